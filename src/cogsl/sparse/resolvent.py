"""The resolvent of a symmetric sparse matrix: exact, or in blocks of rows.

S = (1 - c) (I - c G)^-1, for a symmetric G (N x N) whose spectrum lies in [-1, 1] and a damping c
in [0, 1). The spectrum of S lies in (0, 1], and so no entry of S exceeds 1 in absolute value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from cogsl.sparse.blocks import Float64Array, Int64Array, blocks, snap
from cogsl.sparse.kernels import MKLKernels, active_kernels

_CACHE_BYTES = 1 << 22  # blocks that stay in the processor's cache are twice as fast
_LEAST_COLUMNS = 16

_Step = Callable[[Float64Array, Float64Array, float, float], None]
"""step(X, Y, a, b) sets Y to a G X + b Y, in place; X and Y are N x b."""


def exact_resolvent(matrix: csr_array, *, damping: float) -> csr_array:
    """Return S with all its entries by a dense inverse: for tests and small graphs.

    Parameters
    ----------
    matrix : G, N x N.
    damping : c.
    """
    G = matrix.astype(np.float64).toarray()
    S: Float64Array = (1 - damping) * np.linalg.inv(np.eye(len(G)) - damping * G)
    return csr_array(snap(S))


def resolvent_rows(
    matrix: csr_array, *, damping: float, tolerance: float
) -> Iterator[tuple[Int64Array, Float64Array]]:
    """Yield S in blocks: the numbers of some rows (b), and these rows (b x N).

    Chebyshev's semi-iteration on a few columns at a time; as S is symmetric, a column is a row.

    Parameters
    ----------
    matrix : G, N x N.
    damping : c.
    tolerance : bound of the error of each entry.
    """
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)  # neighbours lie close in memory
    place = np.argsort(order)
    step = _make_step(csr_array(matrix[order][:, order]))
    n_steps = chebyshev_steps(damping, tolerance)
    n = len(order)
    block_bytes = max(_CACHE_BYTES, _LEAST_COLUMNS * 8 * n)
    for block in blocks(n, row_bytes=8 * n, block_bytes=block_bytes):
        columns = _chebyshev(step, n, block, damping=damping, n_steps=n_steps)
        yield order[block].astype(np.int64), columns[place].T


def chebyshev_steps(damping: float, tolerance: float) -> int:
    """Return after how many steps no entry is off by more than ``tolerance``.

    The error after k steps is at most 1 / T_k(1 / c) = 1 / cosh(k arcosh(1 / c)), T_k being the
    Chebyshev polynomial. At c = 0.8 it halves with each step.
    """
    if damping == 0 or tolerance >= 1:
        return 1
    return max(1, math.ceil(math.acosh(1 / tolerance) / math.acosh(1 / damping)))


def _chebyshev(step: _Step, n: int, block: slice, *, damping: float, n_steps: int) -> Float64Array:
    """Return some columns of S, N x b; e holds the same columns of I.

    x_{k+1} = w_{k+1} (c G x_k + (1 - c) e - x_{k-1}) + x_{k-1},  w_{k+1} = 1 / (1 - c^2 w_k / 4),
    from x_0 = 0, x_1 = (1 - c) e and w_1 = 2.
    """
    width = block.stop - block.start
    unit = (np.arange(block.start, block.stop), np.arange(width))
    previous, current = np.zeros((n, width)), np.zeros((n, width))
    current[unit] = 1 - damping
    weight = 2.0
    for _ in range(n_steps - 1):
        weight = 1 / (1 - damping**2 * weight / 4)
        step(current, previous, weight * damping, 1 - weight)
        previous[unit] += weight * (1 - damping)
        previous, current = current, previous
    return current


def _make_step(matrix: csr_array) -> _Step:
    """Return the product with G, by the kernels in use."""
    G = matrix.astype(np.float64)
    return _mkl_step(G) if isinstance(active_kernels(), MKLKernels) else _scipy_step(G)


def _scipy_step(G: csr_array) -> _Step:
    def step(X: Float64Array, Y: Float64Array, a: float, b: float) -> None:
        Y *= b
        Y += (a * G) @ X

    return step


def _mkl_step(G: csr_array) -> _Step:
    crow, col = (torch.from_numpy(index.astype(np.int32)) for index in (G.indptr, G.indices))
    values = torch.from_numpy(G.data)
    tensor = torch.sparse_csr_tensor(crow, col, values, G.shape, check_invariants=False)

    def step(X: Float64Array, Y: Float64Array, a: float, b: float) -> None:
        out = torch.from_numpy(Y)
        torch.addmm(out, tensor, torch.from_numpy(X), beta=b, alpha=a, out=out)

    return step
