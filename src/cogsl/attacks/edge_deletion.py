"""Edges that are taken away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import minimum_spanning_tree

from cogsl.attacks.base import EdgeAttack, check_budget
from cogsl.sparse.undirected import Edges


@dataclass(frozen=True, kw_only=True)
class EdgeDeletion(EdgeAttack):
    """Deletes round(ratio E) of the E edges at random; connected components stay connected.

    The edges of a random spanning forest are never drawn, so the number of components does not
    grow.
    """

    def _change(self, edges: Edges, n: int, generator: np.random.Generator) -> Edges:
        free = np.flatnonzero(~in_random_forest(edges, n, generator))
        wanted = round(self.ratio * len(edges))
        check_budget(wanted, len(free), "edges whose loss parts nothing", n_edges=len(edges))
        kept = np.ones(len(edges), dtype=bool)
        kept[generator.permutation(free)[:wanted]] = False
        return edges.some(kept)


def in_random_forest(
    edges: Edges, n_nodes: int, generator: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Tell of each edge whether it is in a random spanning forest: the lightest by random weights.

    Weights are a permutation of 1, ..., E, so none is 0 and no two are equal.
    """
    ranks = generator.permutation(len(edges)) + 1.0
    drawn = Edges(edges.low, edges.high, ranks)
    forest = minimum_spanning_tree(drawn.matrix(n_nodes))
    return np.isin(ranks, forest.data)
