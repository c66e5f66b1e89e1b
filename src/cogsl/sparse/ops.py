"""Differentiable operations on fixed patterns. Nothing here is N x N, sorted or converted.

Plain indexing (``x[index]``) never stands where a gradient passes: on several threads its backward
pass gives other bits from run to run. ``index_select``, whose backward pass is ``index_add``, and
CSR products give the same bits each time.
"""

from __future__ import annotations

import math
from typing import Any

import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.sparse.kernels import active_kernels
from cogsl.sparse.pattern import Pattern

_MANY_ENTRIES = 1 << 21


class SparseMatrix:
    """A pattern and its values; ``matrix @ dense`` is differentiable in both.

    Parameters
    ----------
    pattern : which entries are stored.
    values : one number for each entry, nnz; may carry a gradient.
    symmetric : the matrix equals its transpose, pattern and values.
    """

    def __init__(self, pattern: Pattern, values: Tensor, *, symmetric: bool = False) -> None:
        self.pattern = pattern
        self.values = values
        self.symmetric = symmetric
        self._flipped: tuple[Pattern, Tensor] | None = None

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array, dtype: torch.dtype) -> SparseMatrix:
        """Make a constant matrix."""
        matrix = matrix if matrix.has_sorted_indices else matrix.sorted_indices()
        return cls(Pattern.from_scipy(matrix), torch.tensor(matrix.data, dtype=dtype))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.pattern.n_rows, self.pattern.n_cols

    def detach(self) -> SparseMatrix:
        """Return the same matrix as a constant."""
        return SparseMatrix(self.pattern, self.values.detach(), symmetric=self.symmetric)

    def rows(self, index: Tensor) -> SparseMatrix:
        """Return some rows as a matrix of their own."""
        pattern, where = self.pattern.rows(index)
        return SparseMatrix(pattern, self.values.index_select(0, where))

    def columns(self, index: Tensor) -> SparseMatrix:
        """Return the matrix on some ascending columns only, which hold every entry."""
        return SparseMatrix(self.pattern.columns(index), self.values)

    def to_scipy(self) -> sp.csr_array:
        """Return the values as a SciPy matrix."""
        return self.pattern.to_scipy(self.values)

    def __matmul__(self, dense: Tensor) -> Tensor:
        result: Tensor = _Product.apply(self.values, dense, self)  # type: ignore[no-untyped-call]
        return result

    def transposed_parts(self) -> tuple[Pattern, Tensor]:
        """Return pattern and values of the transpose; kept, as the values do not change."""
        if self._flipped is None:
            if self.symmetric:
                self._flipped = self.pattern, self.values.detach()
            else:
                pattern, order = self.pattern.transposed
                self._flipped = pattern, self.values.detach().index_select(0, order)
        return self._flipped


def _multiply(pattern: Pattern, values: Tensor, dense: Tensor) -> Tensor:
    """Return the matrix times ``dense`` without a gradient."""
    return active_kernels().product(pattern.crow, pattern.col, values, pattern.n_cols, dense)


def row_sums(pattern: Pattern, values: Tensor) -> Tensor:
    """Return the sum of each row's values, without a gradient."""
    ones = values.new_ones(pattern.n_cols, 1)
    return _multiply(pattern, values, ones).flatten()


def column_sums(pattern: Pattern, values: Tensor) -> Tensor:
    """Return the sum of each column's values, without a gradient.

    Few values are put in the order of columns and summed; where they are so many that each would
    come from memory, not from the cache, they are added one by one, in their own order.
    """
    if pattern.nnz > _MANY_ENTRIES:
        return values.new_zeros(pattern.n_cols).index_add_(0, pattern.col, values)
    flipped, order = pattern.transposed
    return row_sums(flipped, values.index_select(0, order))


class _Product(Function):
    """Y = S X;  dS = (dY X^T) on the pattern,  dX = S^T dY, each only if it is asked for."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, dense: Tensor, matrix: SparseMatrix) -> Tensor:
        ctx.matrix = matrix
        ctx.save_for_backward(dense if values.requires_grad else None)
        return _multiply(matrix.pattern, values, dense)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        (dense,) = ctx.saved_tensors
        pattern = ctx.matrix.pattern
        grad = grad.contiguous()
        grad_values = grad_dense = None
        if ctx.needs_input_grad[0]:
            grad_values = active_kernels().sampled(pattern.crow, pattern.col, grad, dense)
        if ctx.needs_input_grad[1]:
            flipped, values = ctx.matrix.transposed_parts()
            grad_dense = _multiply(flipped, values, grad)
        return grad_values, grad_dense, None


class _SampledProduct(Function):
    """y_ij = a_i . b_j on a pattern;  dA = G B,  dB = G^T A."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, pattern: Pattern) -> Tensor:
        ctx.pattern = pattern
        ctx.save_for_backward(left, right)
        return active_kernels().sampled(pattern.crow, pattern.col, left, right)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        left, right = ctx.saved_tensors
        matrix = SparseMatrix(ctx.pattern, grad)
        flipped, values = matrix.transposed_parts()
        return matrix @ right, _multiply(flipped, values, left), None


def sampled_product(pattern: Pattern, left: Tensor, right: Tensor) -> Tensor:
    """Return left_i . right_j at each stored (i, j), nnz; no nnz x d matrix is made."""
    result: Tensor = _SampledProduct.apply(left, right, pattern)  # type: ignore[no-untyped-call]
    return result


class _ScopeSoftmax(Function):
    """p_ij = exp(w_ij) / sum_k exp(w_ik) over each row's stored entries."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, pattern: Pattern) -> Tensor:
        offsets = pattern.crow.long()
        largest = torch.segment_reduce(scores, "max", offsets=offsets, unsafe=True)
        weights = _exponentials(scores - largest.index_select(0, pattern.row))
        weights /= row_sums(pattern, weights).index_select(0, pattern.row)
        ctx.pattern = pattern
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        pull = grad * weights
        mean = row_sums(ctx.pattern, pull).index_select(0, ctx.pattern.row)
        return pull - weights * mean, None


def _exponentials(scores: Tensor) -> Tensor:
    """Write e^x over the scores, none above 0; what is too small for a normal number becomes 0.

    PyTorch's exponential takes 30 to 80 times as long where it underflows; what is denormal slows
    down everything after it.
    """
    least = 4 * torch.finfo(scores.dtype).tiny
    weights = scores.clamp_(min=math.log(least)).exp_()
    return torch.threshold_(weights, 1.01 * least, 0.0)


def scope_softmax(pattern: Pattern, scores: Tensor) -> Tensor:
    """Return the softmax of each row's stored scores, nnz."""
    result: Tensor = _ScopeSoftmax.apply(scores, pattern)  # type: ignore[no-untyped-call]
    return result


class _AddBothWays(Function):
    """y = c + x + x^T on a symmetric pattern, x stored on a part of it;  dx = dy + dy^T there.

    The mirror image is read, not written, at scattered places: that is twice as fast.
    """

    @staticmethod
    def forward(
        ctx: Any, constant: Tensor, part: Tensor, pattern: Pattern, forth: Tensor, back: Tensor
    ) -> Tensor:
        ctx.save_for_backward(forth, back)
        placed = torch.zeros_like(constant).index_copy_(0, forth.long(), part)
        values = constant + placed
        values += placed.index_select(0, pattern.transposed[1])
        return values

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, None, None, None]:
        forth, back = ctx.saved_tensors
        return None, grad.index_select(0, forth) + grad.index_select(0, back), None, None, None


def add_both_ways(
    pattern: Pattern, constant: Tensor, part: Tensor, forth: Tensor, back: Tensor
) -> Tensor:
    """Return the values of C + X + X^T, nnz.

    Parameters
    ----------
    pattern : a symmetric pattern.
    constant : the values of C on it, nnz.
    part : the values of X on some of its entries.
    forth, back : where these entries, and their mirror images, stand in the pattern.
    """
    result: Tensor = _AddBothWays.apply(constant, part, pattern, forth, back)  # type: ignore[no-untyped-call]
    return result


class _SymmetricNormalise(Function):
    """v_ij = s_i u_ij s_j with s = (row sums of u)^-1/2."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, pattern: Pattern) -> Tensor:
        degree = row_sums(pattern, values)
        scale = torch.where(degree > 0, degree.clamp(min=1e-30).rsqrt(), 0.0)
        pair = scale.index_select(0, pattern.row) * scale.index_select(0, pattern.col)
        result = values * pair
        ctx.pattern = pattern
        ctx.save_for_backward(pair, result, scale)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        pair, result, scale = ctx.saved_tensors
        pattern = ctx.pattern
        pull = grad * result
        both = row_sums(pattern, pull) + column_sums(pattern, pull)
        # ds_i = both_i / s_i and s_i = d_i^-1/2, so dd_i = -s_i^2 both_i / 2
        grad_degree = -0.5 * both * scale * scale
        return grad * pair + grad_degree.index_select(0, pattern.row), None


def symmetric_normalise(pattern: Pattern, values: Tensor) -> Tensor:
    """Return the values of D^-1/2 U D^-1/2, D the row sums of U; empty rows stay empty."""
    result: Tensor = _SymmetricNormalise.apply(values, pattern)  # type: ignore[no-untyped-call]
    return result


class _RowsToEntries(Function):
    """y_ij = x_i at each stored entry;  dx_i = sum_j dy_ij."""

    @staticmethod
    def forward(ctx: Any, per_row: Tensor, pattern: Pattern) -> Tensor:
        ctx.pattern = pattern
        return per_row.index_select(0, pattern.row)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return row_sums(ctx.pattern, grad.contiguous()), None


def rows_to_entries(pattern: Pattern, per_row: Tensor) -> Tensor:
    """Give each stored entry the number of its row."""
    result: Tensor = _RowsToEntries.apply(per_row, pattern)  # type: ignore[no-untyped-call]
    return result


class _ColumnsToEntries(Function):
    """y_ij = x_j at each stored entry;  dx_j = sum_i dy_ij."""

    @staticmethod
    def forward(ctx: Any, per_column: Tensor, pattern: Pattern) -> Tensor:
        ctx.pattern = pattern
        return per_column.index_select(0, pattern.col)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return column_sums(ctx.pattern, grad), None


def columns_to_entries(pattern: Pattern, per_column: Tensor) -> Tensor:
    """Give each stored entry the number of its column."""
    result: Tensor = _ColumnsToEntries.apply(per_column, pattern)  # type: ignore[no-untyped-call]
    return result
