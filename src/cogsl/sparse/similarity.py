"""Similarity graphs of dense rows, A_ij = u_i . u_j where that is above a threshold, else 0.

A has N^2 entries, many of them above the threshold where rows are short embeddings, so it is never
held: each function makes it block by block, forward and again backward, in memory of O(N d). Only
blocks on and above the diagonal are made, as A is symmetric. ``similar_pairs`` gives the entries
of one that is sparse.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import torch
from scipy.sparse import coo_array, csr_array
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.sparse.ops import SparseMatrix
from cogsl.sparse.pattern import Pattern

_BLOCK_NUMBERS = 1 << 18  # a block of A: it stays in the cache between its uses


def _strips(n: int) -> Iterator[tuple[slice, slice, slice]]:
    """Cut the upper half of an n x n matrix into strips of rows.

    Yields the strip's rows, its columns (from its first row on), and the columns beyond its rows.
    """
    start = 0
    while start < n:
        stop = min(n, start + max(8, _BLOCK_NUMBERS // (n - start)))
        yield slice(start, stop), slice(start, n), slice(stop, n)
        start = stop


def _strip(units: Tensor, rows: slice, columns: slice, threshold: float) -> Tensor:
    """Return some rows and columns of A."""
    return torch.threshold_(units[rows] @ units[columns].T, threshold, 0.0)


def _add_product(
    out: Tensor, strip: Tensor, dense: Tensor, rows: slice, columns: slice, beyond: slice
) -> None:
    """Add a strip's share of A times ``dense``, and its mirror image's, to ``out``."""
    out[rows].addmm_(strip, dense[columns])
    out[beyond].addmm_(strip[:, rows.stop - rows.start :].T, dense[rows])


class _SimilarProduct(Function):
    """Y = A X;  dX = A dY,  du_i = sum over j with A_ij > 0 of (dy_i . x_j + x_i . dy_j) u_j."""

    @staticmethod
    def forward(ctx: Any, units: Tensor, dense: Tensor, threshold: float) -> Tensor:
        ctx.threshold = threshold
        ctx.save_for_backward(units, dense)
        out = torch.zeros_like(dense)
        for rows, columns, beyond in _strips(len(units)):
            strip = _strip(units, rows, columns, threshold)
            _add_product(out, strip, dense, rows, columns, beyond)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        units, dense = ctx.saved_tensors
        grad_units, grad_dense = torch.zeros_like(units), torch.zeros_like(dense)
        left, right = torch.cat([grad, dense], dim=1), torch.cat([dense, grad], dim=1)
        for rows, columns, beyond in _strips(len(units)):
            strip = _strip(units, rows, columns, ctx.threshold)
            _add_product(grad_dense, strip, grad, rows, columns, beyond)
            pull = torch.ops.aten.threshold_backward(left[rows] @ right[columns].T, strip, 0.0)
            _add_product(grad_units, pull, units, rows, columns, beyond)
        return grad_units, grad_dense, None


def similar_product(units: Tensor, dense: Tensor, threshold: float) -> Tensor:
    """Return A X, N x h, differentiable in both.

    Parameters
    ----------
    units : u, N x d.
    dense : X, N x h.
    threshold : entries of A that are not above it are 0; it must not be negative.
    """
    result: Tensor = _SimilarProduct.apply(units, dense, threshold)  # type: ignore[no-untyped-call]
    return result


class _SimilarEnergy(Function):
    """E = a sum A_ij^2 + b sum A_ij G_ij;  du_i = 2 sum_j (2 a A_ij + b G_ij) u_j, A_ij > 0.

    The gradient is formed on the way forward: that spares making A a second time.
    """

    @staticmethod
    def forward(
        ctx: Any, units: Tensor, threshold: float, squares: float, gram: Tensor | None, inner: float
    ) -> Tensor:
        total, grad_units = 0.0, torch.zeros_like(units)
        for rows, columns, beyond in _strips(len(units)):
            strip = _strip(units, rows, columns, threshold)
            slope = strip * squares
            if gram is not None:
                slope += torch.where(strip > 0, gram[rows, columns], 0.0).mul_(inner)
            total += _twice_beyond(strip * slope, rows)
            slope.add_(strip, alpha=squares).mul_(2.0)
            _add_product(grad_units, slope, units, rows, columns, beyond)
        ctx.save_for_backward(grad_units)
        return units.new_tensor(total)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
        (grad_units,) = ctx.saved_tensors
        return grad * grad_units, None, None, None, None


def similar_energy(
    units: Tensor, threshold: float, *, squares: float, gram: Tensor | None, inner: float
) -> Tensor:
    """Return a |A|_F^2 + b <A, G>, differentiable in the units.

    Parameters
    ----------
    units : u, N x d.
    threshold : entries of A that are not above it are 0; it must not be negative.
    squares : a.
    gram : G, N x N, symmetric; None stands for 0.
    inner : b.
    """
    result: Tensor = _SimilarEnergy.apply(units, threshold, squares, gram, inner)  # type: ignore[no-untyped-call]
    return result


def _twice_beyond(strip: Tensor, rows: slice) -> float:
    """Return the sum of a strip and of its mirror image."""
    width = rows.stop - rows.start
    return float(strip.sum()) + float(strip[:, width:].sum())


@torch.no_grad()
def similar_distance(units: Tensor, other: Tensor | None, threshold: float) -> float:
    """Return |A - A'|_F^2, A' the graph of other units, or 0 without any."""
    total = 0.0
    for rows, columns, _ in _strips(len(units)):
        strip = _strip(units, rows, columns, threshold)
        if other is not None:
            strip -= _strip(other, rows, columns, threshold)
        total += _twice_beyond(strip.square_(), rows)
    return total


@torch.no_grad()
def similar_pairs(units: Tensor, threshold: float) -> Pattern:
    """Return where A is not 0, a symmetric pattern."""
    found = []
    for rows, columns, _ in _strips(len(units)):
        row, col = _strip(units, rows, columns, threshold).nonzero(as_tuple=True)
        once = col >= row
        found.append(torch.stack([row[once], col[once]]).add_(rows.start).to(torch.int32))
    row, col = torch.cat(found, dim=1)
    return mirrored(row, col, torch.ones(len(row)), len(units)).pattern


def mirrored(row: Tensor, col: Tensor, values: Tensor, n: int) -> SparseMatrix:
    """Return the symmetric n x n matrix of entries on one side of the diagonal, or on it."""
    off = row != col
    rows, cols = torch.cat([row, col[off]]).numpy(), torch.cat([col, row[off]]).numpy()
    data = torch.cat([values, values[off]]).numpy()
    matrix = csr_array(coo_array((data, (rows, cols)), shape=(n, n)))
    matrix.sort_indices()
    pattern = dataclasses.replace(Pattern.from_scipy(matrix), is_symmetric=True)
    return SparseMatrix(pattern, torch.from_numpy(matrix.data), symmetric=True)
