"""Nodes with similar features, joined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.sparse.neighbours import EXACT_NODES, nearest_neighbours
from cogsl.views.base import ENTRY_SECONDS, ExpectedView, View
from cogsl.views.scope import expected_hops, hops

_BOTH_WAYS = 1.5  # entries with their mirror images, for each entry
_PAIR_SECONDS = 8e-10  # to compare two nodes in one feature, and to keep the largest
_APPROXIMATE_SECONDS = 8e-5  # to find the neighbours of a node by an index


@dataclass(frozen=True, kw_only=True)
class KNN(View):
    """Each node joined to the k nodes whose features are most alike by cosine, itself among them.

    V = D^-1/2 B D^-1/2, with b_ij = 1 where j is among the k nearest of i. Not symmetric, as j may
    have k nodes that are nearer than i. The graph's edges play no part. Large graphs are searched
    approximately (``nearest_neighbours``).
    """

    follows_edges = False

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)
    knn_neighbours: int = setting(
        20, "entries a row of the KNN view, self included", symbol="k", low=1
    )

    def matrix(self, graph: Graph, *, generator: np.random.Generator) -> csr_array:
        """Return B; the generator is not used."""
        return nearest_neighbours(graph.features, self.knn_neighbours)

    def scope_of(self, matrix: csr_array) -> csr_array:
        """Return the pairs of nodes that are so many hops apart."""
        return hops(matrix, self.scope)

    def expect(self, size: GraphSize) -> ExpectedView:
        """Return k entries a row, and the hops around them."""
        n = size.nodes
        entries = n * min(n, self.knn_neighbours)
        scope = expected_hops(n, entries, self.scope)
        symmetric = min(_BOTH_WAYS * scope, n * n)
        seconds = _APPROXIMATE_SECONDS * n
        if n <= EXACT_NODES:
            seconds = _PAIR_SECONDS * n * (20 * n + size.multiplied)
        return ExpectedView(entries, scope, symmetric, seconds + ENTRY_SECONDS * scope)
