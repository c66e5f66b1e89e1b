"""The resolvent of a symmetric sparse matrix: exact, or block by block.

S = (1 - c) (I - c G)^-1, for a symmetric G (N x N) whose spectrum lies in [-1, 1] and a damping c
in [0, 1). The spectrum of S lies in (0, 1], and so no entry of S exceeds 1 in absolute value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from cogsl.sparse.blocks import Float64Array, Int64Array, blocks, snap

CACHE_BYTES = 1 << 21
"""Size of a block, of which three are in use at a time: they fit into a processor's cache."""

LEAST_COLUMNS = 16
"""Width of a block on graphs that are too large for that."""


def exact_resolvent(matrix: csr_array, *, damping: float) -> csr_array:
    """Return S with all its entries by a dense inverse: for tests and small graphs.

    Parameters
    ----------
    matrix : G, N x N.
    damping : c.
    """
    G = matrix.astype(np.float64).toarray()
    inverse: Float64Array = np.linalg.inv(np.eye(len(G)) - damping * G).astype(np.float64)
    return csr_array(snap((1 - damping) * inverse))


def visit_resolvent(
    matrix: csr_array,
    visit: Callable[[Int64Array, Float64Array], None],
    *,
    damping: float,
    tolerance: float,
) -> None:
    """Call ``visit(rows, S[rows])`` with blocks of rows until every row was visited once.

    As S is symmetric, its rows are its columns, and a few of these are computed at a time. Blocks
    do not depend on one another, so PyTorch's number of threads work on them side by side; the
    bits do not depend on that number.

    Parameters
    ----------
    matrix : G, N x N.
    visit : takes the numbers of some rows (b) and these rows (b x N); called from several threads.
    damping : c.
    tolerance : bound of the error of each entry of S.
    """
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)  # neighbours lie close in memory
    place = np.argsort(order)
    doubled = 2 * csr_array(matrix[order][:, order]).astype(np.float64)
    series = chebyshev_series(damping, tolerance)

    def work(block: slice) -> None:
        columns = _sum_series(doubled, block, series)
        visit(order[block].astype(np.int64), np.ascontiguousarray(columns[place].T))

    column_bytes = 8 * len(order)
    block_bytes = max(CACHE_BYTES, LEAST_COLUMNS * column_bytes)
    parts = blocks(len(order), row_bytes=column_bytes, block_bytes=block_bytes)
    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        list(pool.map(work, parts))  # a list, so that errors come out


def chebyshev_series(damping: float, tolerance: float) -> list[float]:
    """Return a_0, ..., a_K such that |f(x) - a_0 / 2 - sum_k a_k T_k(x)| <= tolerance on [-1, 1].

    f(x) = (1 - c) / (1 - c x),  a_k = 2 (1 - c) / r q^k,  q = c / (1 + r),  r = sqrt(1 - c^2),
    with T_k the Chebyshev polynomials. As |T_k(x)| <= 1, what is left out sums to at most
    a_K q / (1 - q). At c = 0.8 each term is half of the one before it.
    """
    r = math.sqrt(1 - damping**2)
    q = damping / (1 + r)
    terms = [2 * (1 - damping) / r]
    while terms[-1] * q > tolerance * (1 - q):
        terms.append(terms[-1] * q)
    return terms


def _sum_series(doubled: csr_array, block: slice, series: list[float]) -> Float64Array:
    """Return some columns of S = f(G), N x b, by Clenshaw's recurrence.

    B_k = a_k E + 2 G B_{k+1} - B_{k+2},  S E = (B_0 - B_2) / 2,  with E the same columns of I.

    Parameters
    ----------
    doubled : 2 G, N x N.
    block : which columns.
    series : a_0, ..., a_K.
    """
    width = block.stop - block.start
    ones = (np.arange(block.start, block.stop), np.arange(width))  # where E has its entries
    B0, B1, B2 = (np.zeros((doubled.shape[0], width)) for _ in range(3))
    B0[ones] = series[-1]
    for a in series[-2::-1]:
        B1, B2 = B0, B1
        B0 = doubled @ B1
        B0 -= B2
        B0[ones] += a
    B0 -= B2
    B0 /= 2
    return B0
