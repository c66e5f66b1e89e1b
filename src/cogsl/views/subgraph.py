"""A random share of the graph's edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.sparse.undirected import edges_of
from cogsl.views.base import (
    ENTRY_SECONDS,
    ExpectedView,
    View,
    with_self_loops,
)
from cogsl.views.scope import expected_hops, hops


@dataclass(frozen=True, kw_only=True)
class Subgraph(View):
    """A random share q of the edges, with self-loops.

    V = D^-1/2 (A' + I) D^-1/2, where A' has round(q E) of the E undirected edges of A.
    """

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)
    subgraph_share: float = setting(
        0.5, "share of the edges in the subgraph view", symbol="q", low=0, high=1, open_low=True
    )

    def matrix(self, graph: Graph, *, generator: np.random.Generator) -> csr_array:
        """Return A' + I, drawn with ``generator``."""
        share = self.subgraph_share
        return with_self_loops(sample_edges(graph.adjacency, share=share, generator=generator))

    def scope_of(self, matrix: csr_array) -> csr_array:
        """Return the pairs of nodes that are so many hops apart."""
        return hops(matrix, self.scope)

    def expect(self, size: GraphSize) -> ExpectedView:
        """Return a share of the edges, the loops, and the hops around them."""
        entries = self.subgraph_share * size.entries + size.nodes
        scope = expected_hops(size.nodes, entries, self.scope)
        return ExpectedView(entries, scope, scope, ENTRY_SECONDS * (size.entries + scope))


def sample_edges(
    adjacency: csr_array, *, share: float, generator: np.random.Generator
) -> csr_array:
    """Keep round(share * E) of the E undirected edges, with their weights.

    The draw depends on the edges, not on the order in which they are stored.

    Parameters
    ----------
    adjacency : A, N x N, symmetric, zero diagonal.
    share : which part of the edges to keep, in [0, 1].
    generator : draws the edges.
    """
    edges = edges_of(adjacency)
    drawn = generator.permutation(len(edges))[: round(share * len(edges))]
    return edges.some(drawn).matrix(adjacency.shape[0])
