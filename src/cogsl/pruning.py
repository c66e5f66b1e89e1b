"""The strongest edges of a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.sparse.undirected import Edges, edges_of


def strongest(
    adjacency: csr_array,
    *,
    n_edges: int | None = None,
    min_weight: float | None = None,
    per_node: int | None = None,
) -> csr_array:
    """Return what is left of a symmetric matrix, N x N, after weak edges were cut off.

    Parameters
    ----------
    n_edges : how many edges stay, the heaviest; of equals those that come first.
    min_weight : the least weight of an edge that stays.
    per_node : an edge stays if it is among so many heaviest edges of one of its ends.
    """
    n, edges = adjacency.shape[0], edges_of(adjacency)
    stays = np.ones(len(edges), dtype=np.bool_)
    if min_weight is not None:
        stays &= edges.weights >= min_weight
    if per_node is not None:
        stays &= _rank_at_node(edges, n) < per_node
    if n_edges is not None:
        order = np.argsort(-edges.weights[stays], kind="stable")
        stays[np.flatnonzero(stays)[order[n_edges:]]] = False
    return edges.some(stays).matrix(n)


def _rank_at_node(edges: Edges, n: int) -> npt.NDArray[np.int64]:
    """Return the rank of each edge, from 0, among those of the end at which it ranks higher."""
    end = np.concatenate([edges.low, edges.high])
    other = np.concatenate([edges.high, edges.low])
    weights = np.concatenate([edges.weights, edges.weights])
    order = np.lexsort((other, -weights, end))
    start = np.searchsorted(end[order], np.arange(n))
    rank = np.empty(len(end), dtype=np.int64)
    rank[order] = np.arange(len(end)) - start[end[order]]
    return np.minimum(rank[: len(edges)], rank[len(edges) :])
