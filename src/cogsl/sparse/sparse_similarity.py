"""The similarity graph of sparse rows: which pairs are above a threshold, and how alike they are.

S = sum over heads p of U_p U_p^T, where the U_p share one sparse pattern, and A_ij = S_ij where
that is above the threshold. Panels of columns of S are made one at a time, each as sparse rows
times a dense panel of U_p^T, so neither S nor a dense U is ever held; A is a sparse matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.sparse.blocks import blocks
from cogsl.sparse.kernels import active_kernels
from cogsl.sparse.ops import SparseMatrix
from cogsl.sparse.pattern import Pattern
from cogsl.sparse.similarity import mirrored

_PANEL_BYTES = 1 << 22


def sparse_similarities(pattern: Pattern, values: Tensor, threshold: float) -> SparseMatrix:
    """Return A, N x N; its values are differentiable in those of the rows.

    Parameters
    ----------
    pattern : where the rows U_p are stored, N x D.
    values : of each U_p, m x nnz.
    threshold : entries of A that are not above it are not stored; it must not be negative.
    """
    found = _entries_above(pattern, values.detach(), threshold)
    alike: Tensor = _SparseSimilarities.apply(values, pattern, found)  # type: ignore[no-untyped-call]
    return SparseMatrix(found.pattern, alike, symmetric=True)


class _SparseSimilarities(Function):
    """s_ij = sum_p u_pi . u_pj on a pattern;  dU_p = (G + G^T) U_p where U_p is stored."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, pattern: Pattern, found: SparseMatrix) -> Tensor:
        ctx.pattern, ctx.pairs = pattern, found.pattern
        ctx.save_for_backward(values)
        return found.values.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (values,) = ctx.saved_tensors
        pattern: Pattern = ctx.pattern
        both = grad + grad.index_select(0, ctx.pairs.transposed[1])
        grad_values = torch.zeros_like(values)
        for part in _panels(pattern):
            left = dense_panel(ctx.pairs, both, part)  # N x w
            for head, head_grad in zip(values, grad_values, strict=True):
                right = dense_panel(pattern, head, part)  # D x w
                head_grad += active_kernels().sampled(pattern.crow, pattern.col, left, right)
        return grad_values, None, None


def _panels(pattern: Pattern) -> Iterator[slice]:
    """Cut the rows into parts of which a dense panel, as long as N or D, fits the cache."""
    longest = max(pattern.n_rows, pattern.n_cols)
    return blocks(pattern.n_rows, row_bytes=4 * longest, block_bytes=_PANEL_BYTES)


def dense_panel(pattern: Pattern, values: Tensor, part: slice) -> Tensor:
    """Return the transpose of some rows of a sparse matrix as a dense one, n_cols x w."""
    begin, end = int(pattern.crow[part.start]), int(pattern.crow[part.stop])
    panel = values.new_zeros(pattern.n_cols, part.stop - part.start)
    local = pattern.row[begin:end].long() - part.start
    panel[pattern.col[begin:end].long(), local] = values[begin:end]
    return panel


def _entries_above(pattern: Pattern, values: Tensor, threshold: float) -> SparseMatrix:
    """Return A as a constant: each panel is made from its first row down, and then mirrored."""
    n, found = pattern.n_rows, []
    for part in _panels(pattern):
        begin = int(pattern.crow[part.start])
        crow, col = pattern.crow[part.start :] - begin, pattern.col[begin:]
        panel = values.new_zeros(n - part.start, part.stop - part.start)
        for head in values:
            right = dense_panel(pattern, head, part)
            panel += active_kernels().product(crow, col, head[begin:], pattern.n_cols, right)
        row, column = torch.nonzero(panel > threshold, as_tuple=True)
        once = row >= column
        row, column = row[once], column[once]
        found.append((row + part.start, column + part.start, panel[row, column]))
    rows, columns, alike = (torch.cat(parts) for parts in zip(*found, strict=True))
    return mirrored(rows.int(), columns.int(), alike, n)
