"""The graph as it was given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.views.base import (
    ENTRY_SECONDS,
    BasicView,
    ExpectedView,
    View,
    normalise,
    with_self_loops,
)
from cogsl.views.scope import expected_hops, hops


@dataclass(frozen=True, kw_only=True)
class Adjacency(View):
    """The graph's own edges, with self-loops: V = D^-1/2 (A + I) D^-1/2."""

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)

    def build(self, graph: Graph, *, generator: np.random.Generator) -> BasicView:
        """Return the view of ``graph``; the generator is not used."""
        matrix = normalise(with_self_loops(graph.adjacency))
        return BasicView(matrix, hops(matrix, self.scope))

    def expect(self, size: GraphSize) -> ExpectedView:
        """Return the edges and loops, and the hops around them."""
        entries = size.entries + size.nodes
        scope = expected_hops(size.nodes, entries, self.scope)
        return ExpectedView(entries, scope, scope, ENTRY_SECONDS * scope)
