"""Nodes with similar features, joined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.sparse.neighbours import nearest_neighbours
from cogsl.views.base import BasicView, View, normalise
from cogsl.views.scope import hops


@dataclass(frozen=True, kw_only=True)
class KNN(View):
    """Each node joined to the k nodes whose features are most alike by cosine, itself among them.

    V = D^-1/2 B D^-1/2, with b_ij = 1 where j is among the k nearest of i. Not symmetric, as j may
    have k nodes that are nearer than i. The graph's edges play no part. Large graphs are searched
    approximately (``nearest_neighbours``).
    """

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)
    knn_neighbours: int = setting(
        20, "entries a row of the KNN view, self included", symbol="k", low=1
    )

    def build(self, graph: Graph, *, generator: np.random.Generator) -> BasicView:
        """Return the view of ``graph``; the generator is not used."""
        matrix = normalise(nearest_neighbours(graph.features, self.knn_neighbours))
        return BasicView(matrix, hops(matrix, self.scope))
