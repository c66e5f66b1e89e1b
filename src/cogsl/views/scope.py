"""Scopes: which pairs of nodes are estimated anew."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def hops(matrix: csr_array, k: int) -> csr_array:
    """Return which nodes are at most k steps away: the pattern of V + V^2 + ... + V^k.

    With a full diagonal, as every view has it, V^k holds the powers before it. For one hop no
    product is made.

    Parameters
    ----------
    matrix : V, N x N, with self-loops.
    k : number of hops, at least 1.

    Returns
    -------
    N x N, entries of 1.0 (float32), sorted.
    """
    assert k >= 1
    assert matrix.diagonal().all(), "a scope starts from a view with self-loops"
    reached = matrix
    if k > 1:
        step = pattern(matrix, dtype=np.bool_)  # a byte an entry, and no sum can overflow
        reached = step
        for _ in range(k - 1):
            reached = csr_array(reached @ step)
    return pattern(reached)


def expected_hops(n_nodes: int, entries: float, k: int) -> float:
    """Return about how many entries ``hops`` has: N (1 + d + d^2 + ... + d^k), at most N^2.

    d is the mean number of neighbours, itself not counted; ``entries`` are those of the view.
    """
    degree = entries / n_nodes - 1
    return n_nodes * min(n_nodes, sum(degree**power for power in range(k + 1)))


def top_entries(matrix: csr_array, h: int) -> csr_array:
    """Keep the diagonal and the largest other entries of each row, h in all.

    Ties go to the lower column.

    Parameters
    ----------
    matrix : N x N, sorted.
    h : entries a row, at least 1; a row that has fewer keeps what it has.
    """
    assert h >= 1
    assert matrix.has_sorted_indices
    lengths = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(matrix.shape[0]), lengths)
    value = np.where(matrix.indices == rows, np.inf, matrix.data)
    order = np.lexsort((-value, rows))  # stable: equal values stay in the order of columns
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order)) - np.repeat(matrix.indptr[:-1], lengths)
    kept = rank < h
    indptr = np.concatenate([[0], np.cumsum(np.minimum(lengths, h))])
    return csr_array((matrix.data[kept], matrix.indices[kept], indptr), shape=matrix.shape)


def pattern(matrix: csr_array, *, dtype: type[np.generic] = np.float32) -> csr_array:
    """Return ones where ``matrix`` has entries, sorted; nothing is shared."""
    ones = np.ones(matrix.nnz, dtype=dtype)
    result = csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
    result.sort_indices()
    return result
