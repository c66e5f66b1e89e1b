"""Personalised PageRank, kept to the largest entries of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import setting
from cogsl.sparse.blocks import Float64Array, Int64Array, top_of_rows
from cogsl.sparse.push import push_resolvent
from cogsl.sparse.resolvent import chebyshev_series, exact_resolvent, visit_resolvent
from cogsl.views.base import (
    ENTRY_SECONDS,
    ExpectedView,
    View,
    normalise,
    with_self_loops,
)
from cogsl.views.scope import hops, top_entries

TOLERANCE = 1e-7
"""Largest error of an entry: what a float32 near 1 can tell apart."""

EXACT_NODES = 512
"""Up to this many nodes the view uses the dense inverse, which is no slower there."""

SERIES_NODES = 10_000
"""Up to this many nodes the view uses the whole series, whose cost grows with their square."""

PUSH_EFFORT = 100
"""Residuals that count for less than 1 / (100 h) rest: some 95 in 100 of the largest are found."""

_BOTH_WAYS = 1.2  # entries with their mirror images, for each entry
_SERIES_SECONDS = 6e-10  # for an entry of the graph, a node and a term of the series
_TOP_SECONDS = 2e-8  # to look at an entry of S whether it is among the largest of its row
_PUSH_SECONDS = 1.5e-6  # for an entry that is kept
_COMPILER_SECONDS = 3.0  # of Numba, once a process
_COMPILER_BYTES = float(150 << 20)  # which stays once it was used


@dataclass(frozen=True, kw_only=True)
class Diffusion(View):
    """Personalised PageRank, kept to the node itself and the largest other entries of its row.

    V = D^-1/2 S' D^-1/2, where S' has the h largest entries a row of
    S = alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1, and each D the row sums of what it
    normalises. The scope is the pattern of V. A node that reaches fewer than h nodes has fewer
    entries. Up to 512 nodes S comes from the dense inverse, up to 10,000 from blocks of its rows,
    and beyond from a push at each node, which needs the extra ``scale``.
    """

    scope: int = setting(40, "largest entries a row that are kept and estimated", symbol="h", low=1)
    teleport: float = setting(
        0.2,
        "probability to return to the start in the diffusion view",
        symbol="alpha",
        low=0,
        high=1,
        open_low=True,
    )

    def matrix(self, graph: Graph, *, generator: np.random.Generator) -> csr_array:
        """Return S'; the generator is not used."""
        A, alpha, h = graph.adjacency, self.teleport, self.scope
        if graph.n_nodes <= EXACT_NODES:
            return exact_personalised_pagerank(A, teleport=alpha, top=h)
        if graph.n_nodes <= SERIES_NODES:
            return personalised_pagerank(A, teleport=alpha, top=h)
        return push_personalised_pagerank(A, teleport=alpha, top=h)

    def scope_of(self, matrix: csr_array) -> csr_array:
        """Return the pattern of S'."""
        return hops(matrix, 1)

    def expect(self, size: GraphSize) -> ExpectedView:
        """Return h entries a row."""
        n = size.nodes
        entries = n * min(n, self.scope)
        symmetric = min(_BOTH_WAYS * entries, n * n)
        seconds, compiler = _COMPILER_SECONDS + _PUSH_SECONDS * entries, _COMPILER_BYTES
        if n <= SERIES_NODES:
            compiler = 0.0
            terms = len(chebyshev_series(1 - self.teleport, TOLERANCE))
            seconds = n * (_SERIES_SECONDS * terms * (size.entries + n) + _TOP_SECONDS * n)
        seconds += ENTRY_SECONDS * entries
        return ExpectedView(entries, entries, symmetric, seconds, compiler)


def exact_personalised_pagerank(
    adjacency: csr_array, *, teleport: float, top: int | None = None
) -> csr_array:
    """Return S = alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1 by a dense inverse.

    Parameters
    ----------
    adjacency : A, N x N, symmetric, zero diagonal, weighted or not.
    teleport : alpha, in (0, 1].
    top : entries a row that are kept: the node itself, then the largest, ties to the lower index;
        all if None.

    Returns
    -------
    N x N, float64.
    """
    S = exact_resolvent(_transition(adjacency), damping=1 - teleport)
    return S if top is None else top_entries(S, top)


def personalised_pagerank(
    adjacency: csr_array, *, teleport: float, top: int, tolerance: float = TOLERANCE
) -> csr_array:
    """Return what ``exact_personalised_pagerank`` returns, without an N x N matrix.

    No entry is off by more than ``tolerance``, and entries that are no larger are left out.

    Parameters
    ----------
    adjacency : A, N x N, symmetric, zero diagonal, weighted or not.
    teleport : alpha, in (0, 1].
    top : entries a row that are kept: the node itself, then the largest, ties to the lower index.
    tolerance : largest error of an entry.
    """
    n = adjacency.shape[0]
    top = min(top, n)
    columns = np.empty((n, top), dtype=np.int64)
    values = np.empty((n, top))

    def keep_top(rows: Int64Array, block: Float64Array) -> None:
        columns[rows] = top_of_rows(block, top, always=rows)
        values[rows] = np.take_along_axis(block, columns[rows], axis=1)

    visit_resolvent(_transition(adjacency), keep_top, damping=1 - teleport, tolerance=tolerance)
    return _without_small(columns, values, tolerance=tolerance)


def push_personalised_pagerank(
    adjacency: csr_array, *, teleport: float, top: int, epsilon: float | None = None
) -> csr_array:
    """Return nearly what ``exact_personalised_pagerank`` returns, each row from near its node only.

    No entry is too large, and none too small by more than epsilon sqrt(d_i d_j), with d the row
    sums of A + I, scaled so that epsilon means the same whatever weights are measured in
    (``scaled_degrees``). What is small beside that may be absent, and others in its place. The
    cost is O(1 / (alpha epsilon)) a node, however many there are (see ``sparse.push``).

    Parameters
    ----------
    adjacency : A, N x N, symmetric, zero diagonal, weighted or not.
    teleport : alpha, in (0, 1].
    top : entries a row that are kept: the node itself, then the largest, ties to the lower index.
    epsilon : positive; 1 / (100 h) by default, with h = ``top``: a cost of O(N h / alpha) in all.
    """
    if epsilon is None:
        epsilon = 1 / (PUSH_EFFORT * top)
    G, degrees = _transition(adjacency), scaled_degrees(adjacency)
    return push_resolvent(G, degrees, damping=1 - teleport, top=top, epsilon=epsilon)


def scaled_degrees(adjacency: csr_array) -> Float64Array:
    """Return d, N: the row sums of A + I times one number, 1 if every entry of A is.

    So scaled, their mean is the mean number of entries a row of A + I.
    """
    degrees: Float64Array = 1 + adjacency.sum(axis=1, dtype=np.float64)
    degrees *= (adjacency.nnz + len(degrees)) / degrees.sum()
    return degrees


def _transition(adjacency: csr_array) -> csr_array:
    """Return D^-1/2 (A + I) D^-1/2; its spectrum lies in [-1, 1]."""
    return normalise(with_self_loops(adjacency))


def _without_small(columns: Int64Array, values: Float64Array, *, tolerance: float) -> csr_array:
    """Make a CSR matrix of h entries a row, without those that are no more than error."""
    n = len(columns)
    kept = (values > tolerance) | (columns == np.arange(n)[:, None])
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return csr_array((values[kept], columns[kept], indptr), shape=(n, n))
