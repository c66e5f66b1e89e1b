"""Edges that do not belong there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cogsl.attacks.base import EdgeAttack, check_budget
from cogsl.sparse.undirected import Edges

Pairs = npt.NDArray[np.int64]

_CROWDED = 0.25  # share of all pairs that are joined afterwards, from which they are all listed


@dataclass(frozen=True, kw_only=True)
class EdgeAddition(EdgeAttack):
    """Adds round(ratio E) edges, drawn from all pairs of nodes that are not joined.

    Each gets the mean weight of the given edges.
    """

    def _most(self, edges: Edges, n: int) -> float:
        return _n_free(edges, n) / len(edges) if len(edges) else math.inf

    def _change(self, edges: Edges, n: int, generator: np.random.Generator) -> Edges:
        wanted, free = round(self.ratio * len(edges)), _n_free(edges, n)
        what = "pairs of nodes that are not joined"
        check_budget(wanted, free, what, n_edges=len(edges))
        low, high = np.divmod(unjoined_pairs(edges.numbers(n), wanted, n, generator), n)
        weight = edges.weights.mean() if len(edges) else 1.0
        weights = np.full(wanted, weight, dtype=edges.weights.dtype)
        return Edges(
            np.concatenate([edges.low, low]),
            np.concatenate([edges.high, high]),
            np.concatenate([edges.weights, weights]),
        )


def _n_free(edges: Edges, n: int) -> int:
    """Return how many pairs of nodes are not joined."""
    return n * (n - 1) // 2 - len(edges)


def unjoined_pairs(joined: Pairs, wanted: int, n: int, generator: np.random.Generator) -> Pairs:
    """Draw pairs i < j, as i N + j, without replacement; none of them is among ``joined``.

    Where few pairs are joined, those that hit one are drawn anew; else all pairs are listed.
    """
    n_pairs = n * (n - 1) // 2
    if len(joined) + wanted > _CROWDED * n_pairs:
        low, high = np.triu_indices(n, 1)
        free = np.setdiff1d(low.astype(np.int64) * n + high, joined, assume_unique=True)
        return generator.permutation(free)[:wanted]
    found: Pairs = np.empty(0, dtype=np.int64)
    while len(found) < wanted:
        ends = generator.integers(n, size=(2, 2 * (wanted - len(found)) + 16))
        ends = ends[:, ends[0] != ends[1]]
        pairs = ends.min(axis=0) * n + ends.max(axis=0)
        pairs = pairs[~np.isin(pairs, joined) & ~np.isin(pairs, found)]
        _, first = np.unique(pairs, return_index=True)
        found = np.concatenate([found, pairs[np.sort(first)]])
    return found[:wanted]
