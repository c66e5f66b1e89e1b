"""A random share of the graph's edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

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

Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Subgraph(View):
    """A random share q of the edges, with self-loops.

    V = D^-1/2 (A' + I) D^-1/2, where A' has round(q E) of the E undirected edges of A.
    """

    scope: int = setting(1, "hops around a node in which pairs are estimated", low=1)
    subgraph_share: float = setting(
        0.5, "share of the edges in the subgraph view", symbol="q", low=0, high=1, open_low=True
    )

    def build(self, graph: Graph, *, generator: np.random.Generator) -> BasicView:
        """Return a view of ``graph`` drawn with ``generator``."""
        kept = sample_edges(graph.adjacency, share=self.subgraph_share, generator=generator)
        matrix = normalise(with_self_loops(kept))
        return BasicView(matrix, hops(matrix, self.scope))

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
    rows, columns, weights = _upper_edges(adjacency)
    count = round(share * len(rows))
    drawn = generator.permutation(len(rows))[:count]
    i, j, w = rows[drawn], columns[drawn], weights[drawn]
    both = (np.concatenate([i, j]), np.concatenate([j, i]))
    return coo_array((np.concatenate([w, w]), both), shape=adjacency.shape).tocsr()


def _upper_edges(adjacency: csr_array) -> tuple[Array, Array, Array]:
    """Return the ends (i < j) and weights of each edge, in the order of (i, j)."""
    A = adjacency.tocoo()
    upper = np.flatnonzero(A.row < A.col)
    upper = upper[np.lexsort((A.col[upper], A.row[upper]))]
    return A.row[upper], A.col[upper], A.data[upper]
