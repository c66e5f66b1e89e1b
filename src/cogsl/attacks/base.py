"""What every attack is: a graph in, a worse one out."""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, eye_array

from cogsl.errors import AttackError
from cogsl.graph import Graph
from cogsl.seeding import Seeds
from cogsl.settings import setting, validate_settings
from cogsl.sparse.undirected import Edges, edges_of

logger = logging.getLogger("cogsl")


@dataclass(frozen=True, kw_only=True)
class Attack(ABC):
    """Changes a graph before any method sees it (poisoning); the given graph stays as it is.

    The same seed gives the same attack, whatever method is trained on it.
    """

    ratio: float = setting(0.1, "how strong the attack is; 0 changes nothing", low=0.0)

    def __post_init__(self) -> None:
        validate_settings(self)

    def apply(self, graph: Graph, *, seed: int) -> Graph:
        """Return the attacked graph, with the same nodes, labels and split."""
        return self._attack(graph, self._generator(seed))

    def _generator(self, seed: int) -> np.random.Generator:
        return Seeds(seed).numpy(f"attack {type(self).__name__}")

    @abstractmethod
    def _attack(self, graph: Graph, generator: np.random.Generator) -> Graph:
        """Return the attacked graph, drawn with ``generator`` only."""


class EdgeAttack(Attack):
    """Changes edges alone; so it can also be turned on a view, which is a matrix."""

    def apply_to_matrix(self, matrix: csr_array, *, seed: int) -> csr_array:
        """Return a matrix whose pairs are attacked as if they were a graph's edges.

        A pair that is dropped loses both its entries, one that is added gets both, with the mean
        of the others off the diagonal. The diagonal stays, and so do the entries of all other
        pairs. A view may be so dense that fewer pairs are free than are to be added; then all are.

        Parameters
        ----------
        matrix : N x N, no negative entries; not symmetric in general.
        seed : of the attack; the same as in ``apply`` draws the same pairs of the same graph.
        """
        n = matrix.shape[0]
        edges = _pairs_of(matrix)
        ratio = min(self.ratio, self._most(edges, n))
        if ratio < self.ratio:
            logger.info("A view has room for %.3f of its pairs, not %g.", ratio, self.ratio)
        left = replace(self, ratio=ratio)._change(edges, n, self._generator(seed))
        was_there = np.isin(left.numbers(n), edges.numbers(n))
        kept, added = left.some(was_there), left.some(~was_there)
        mean = edges.weights.mean() / 2 if len(edges) else 1.0
        ones = Edges(kept.low, kept.high, np.ones(len(kept)))
        mask = ones.matrix(n) + eye_array(n, format="csr")
        more = Edges(added.low, added.high, np.full(len(added), mean))
        changed = csr_array(matrix.multiply(mask) + more.matrix(n))
        changed.sort_indices()
        return changed

    def ratio_on(self, matrix: csr_array) -> float:
        """Return how strong the attack is on a matrix: ``ratio``, or what there is room for."""
        return min(self.ratio, self._most(_pairs_of(matrix), matrix.shape[0]))

    def _attack(self, graph: Graph, generator: np.random.Generator) -> Graph:
        changed = self._change(edges_of(graph.adjacency), graph.n_nodes, generator)
        return graph.with_edges(changed.matrix(graph.n_nodes))

    def _most(self, edges: Edges, n: int) -> float:
        """Return the highest ratio that a view of N nodes has room for."""
        return math.inf

    @abstractmethod
    def _change(self, edges: Edges, n: int, generator: np.random.Generator) -> Edges:
        """Return the attacked edges of N nodes, drawn with ``generator`` only."""


def _pairs_of(matrix: csr_array) -> Edges:
    """Return the pairs of a matrix that have an entry one way or the other."""
    return edges_of(csr_array(matrix + matrix.T))


def check_budget(wanted: int, most: int, what: str, *, n_edges: int) -> None:
    """Raise an error if an attack on edges asks for more than there are.

    Parameters
    ----------
    wanted, most : how many are to be changed, and how many can be.
    what : these, in words.
    n_edges : of the graph, by which the ratio is meant.
    """
    if wanted > most:
        raise AttackError(
            f"The attack wants {wanted:,} {what}, and the graph has {most:,}. Lower 'ratio' to "
            f"{most / n_edges:.3f} or less."
        )
