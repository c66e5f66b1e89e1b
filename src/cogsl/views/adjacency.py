"""The graph as it was given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.views.base import (
    ENTRY_SECONDS,
    ExpectedView,
    View,
    with_self_loops,
)
from cogsl.views.scope import expected_hops, hops


@dataclass(frozen=True, kw_only=True)
class Adjacency(View):
    """The graph's own edges, with self-loops: V = D^-1/2 (A + I) D^-1/2."""

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)

    def matrix(self, graph: Graph, *, generator: np.random.Generator) -> csr_array:
        """Return A + I; the generator is not used."""
        return with_self_loops(graph.adjacency)

    def scope_of(self, matrix: csr_array) -> csr_array:
        """Return the pairs of nodes that are so many hops apart."""
        return hops(matrix, self.scope)

    def expect(self, size: GraphSize) -> ExpectedView:
        """Return the edges and loops, and the hops around them."""
        entries = size.entries + size.nodes
        scope = expected_hops(size.nodes, entries, self.scope)
        return ExpectedView(entries, scope, scope, ENTRY_SECONDS * scope)
