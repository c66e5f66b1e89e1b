"""The edges of a learned graph beside those of the given one, and the views they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cogsl.errors import UnknownNameError, did_you_mean
from cogsl.pruning import strongest
from cogsl.sparse.blocks import blocks
from cogsl.sparse.undirected import Edges, brought_together, edges_of

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.cogsl import CoGSL

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

KEPT, ADDED, DROPPED = CHANGES = ("kept", "added", "dropped")
BOTH = "both"
SCORES = {
    BOTH: "learned weight, its division by the nodes' degrees undone, times agreement",
    "weight": "learned weight",
    "agreement": "agreement",
}
"""What edges can be strong by."""


@dataclass(frozen=True, eq=False)
class LearnedEdges:
    """All pairs of nodes that the given or the learned graph joins, each once, in order.

    Parameters
    ----------
    low, high : the ends of each pair.
    given, learned : its weight in either graph, 0 where there is none.
    agreement : how probable it is, by the predictions, that both ends are of one class.
    shares : what each view adds to the learned weight, E x m.
    views : the names of these m views.
    """

    low: IntArray
    high: IntArray
    given: FloatArray
    learned: FloatArray
    agreement: FloatArray
    shares: FloatArray
    views: tuple[str, ...]

    @classmethod
    def of(cls, method: CoGSL, graph: Graph) -> LearnedEdges:
        """Take them from a fitted method and the graph it was given.

        The learned weight of i and j is (V*_ij + V*_ji) / 2, and as V* is a sum over the views k,
        so is the weight: view k adds (beta_i^k V^k_ij + beta_j^k V^k_ji) / 2. Their agreement is
        sum_c p_ic p_jc.
        """
        assert method.learned_graph_ is not None
        views = [
            _both_ways(method.fusion_weights_[:, k], view)
            for k, view in enumerate(method.estimated_views_)
        ]
        graphs = (graph.adjacency, method.learned_graph_.adjacency)
        edges = [*map(edges_of, graphs), *views]
        low, high, weights = brought_together(edges, graph.n_nodes)
        agreement = _agreement(method.probabilities_, low, high)
        return cls(low, high, weights[0], weights[1], agreement, weights[2:].T, method.views)

    def __len__(self) -> int:
        return len(self.low)

    def matrix(self, n: int, *, by: str = "weight") -> sp.csr_array:
        """Return the scores of the learned edges as a symmetric matrix, N x N."""
        return self._scored(by).matrix(n)

    def score(self, by: str) -> FloatArray:
        """Return one of ``SCORES`` for each pair, E."""
        if by not in SCORES:
            raise UnknownNameError(f"Edges cannot be chosen by '{by}'{did_you_mean(by, SCORES)}")
        if by == BOTH:
            return self.learned * self._degrees * self.agreement
        return self.learned if by == "weight" else self.agreement

    @property
    def _degrees(self) -> FloatArray:
        """sqrt(d_i d_j) of each pair, d the given number of neighbours, at least 1.

        A normalised view divides by it, so that edges of nodes with many neighbours weigh little.
        """
        ends = np.concatenate([self.low, self.high])
        degree = np.bincount(ends, np.tile(self.given > 0, 2)).clip(min=1.0)
        root: FloatArray = np.sqrt(degree).astype(np.float32)
        return root[self.low] * root[self.high]

    def _scored(self, by: str) -> Edges:
        """Return the learned edges with their scores."""
        return Edges(self.low, self.high, self.score(by)).some(self.learned > 0)

    def choose(
        self,
        n: int,
        *,
        by: str = BOTH,
        n_edges: int | None = None,
        least: float | None = None,
        per_node: int | None = None,
    ) -> sp.csr_array:
        """Return the learned edges that are strongest by one of ``SCORES``, with their weights.

        What stays is said as in ``strongest``; ``least`` is the least score.
        """
        left = strongest(
            self.matrix(n, by=by), n_edges=n_edges, min_weight=least, per_node=per_node
        )
        weighted = self._scored("weight")
        return weighted.some(np.isin(weighted.numbers(n), edges_of(left).numbers(n))).matrix(n)

    def changes(self, chosen: sp.csr_array) -> npt.NDArray[np.str_]:
        """Return what became of each pair, one of ``CHANGES`` or "" for a pair that is in neither.

        ``chosen`` is the learned graph, or what is left of it after weak edges were cut off.
        """
        n = chosen.shape[0]
        numbers = self.low * n + self.high
        stays = np.isin(numbers, edges_of(chosen).numbers(n))
        was = self.given > 0
        cases = [was & stays, stays & ~was, was & ~stays]
        return np.select(cases, CHANGES, default="")

    def table(self, nodes: tuple[str, ...], chosen: sp.csr_array) -> Any:
        """Return a data frame: the ends, the change, both weights, and each view's share."""
        import pandas as pd  # heavy

        changes, names = self.changes(chosen), np.array(nodes, dtype=object)
        shown = np.flatnonzero(changes != "")
        stays = changes[shown] != DROPPED
        columns = {
            "source": names[self.low[shown]],
            "target": names[self.high[shown]],
            "change": changes[shown],
            "weight": np.where(stays, self.learned[shown], 0.0),
            "given_weight": self.given[shown],
            "score": self.learned[shown],
            "agreement": self.agreement[shown],
        }
        for k, view in enumerate(self.views):
            columns[f"score_{k + 1}_{view}"] = self.shares[shown, k]
        return pd.DataFrame(columns)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return them as arrays, for a file."""
        names = ("low", "high", "given", "learned", "agreement", "shares")
        return {name: getattr(self, name) for name in names} | {"views": np.array(self.views)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> LearnedEdges:
        """Return what ``arrays`` gave."""
        columns: dict[str, Any] = dict(arrays)
        return cls(**columns | {"views": tuple(arrays["views"].tolist())})


def _agreement(probabilities: npt.NDArray[np.float64], low: IntArray, high: IntArray) -> FloatArray:
    """Return sum_c p_ic p_jc of each pair, in blocks."""
    found = np.empty(len(low), dtype=np.float32)
    for part in blocks(len(low), row_bytes=16 * probabilities.shape[1]):
        pairs = probabilities[low[part]], probabilities[high[part]]
        found[part] = np.einsum("ec,ec->e", *pairs)
    return found


def _both_ways(scale: npt.NDArray[np.float64], view: sp.csr_array) -> Edges:
    """Return the edges of (B V + (B V)^T) / 2 off the diagonal, B the diagonal matrix of scale."""
    scaled = view.astype(np.float64)
    scaled.data *= np.repeat(scale, np.diff(scaled.indptr))
    return edges_of(sp.csr_array((scaled + scaled.T) / 2))
