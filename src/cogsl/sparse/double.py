"""Products that can be differentiated as often as one likes.

Those of ``ops`` can be differentiated once, which is all that training needs. Differentiating
through training itself (how does a validation loss move if an edge had weighed more while the
network was trained?) takes second derivatives. Here each backward pass is written with the
functions of this file, so that it can be differentiated in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.autograd import Function

from cogsl.sparse.kernels import active_kernels
from cogsl.sparse.ops import SparseMatrix
from cogsl.sparse.pattern import Pattern


@dataclass(frozen=True, eq=False)
class Pairs:
    """Unordered pairs of nodes i < j; a number for each is a symmetric matrix A without diagonal.

    Parameters
    ----------
    upper : the pairs as entries (i, j), i < j, N x N, E entries.
    both : the same with their mirror images, 2 E entries.
    pair : which pair each entry of ``both`` belongs to, 2 E.
    """

    upper: Pattern
    both: Pattern
    pair: Tensor

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array) -> Pairs:
        """Take each pair that is stored in one direction or the other; values are not looked at."""
        ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
        upper = Pattern.from_scipy(sp.csr_array(sp.triu(ones + ones.T, 1)))
        # From 1 and in whole numbers, as a sum would drop a zero and float32 lose count.
        numbered = upper.to_scipy(torch.arange(1, upper.nnz + 1))
        both = sp.csr_array(numbered + numbered.T).sorted_indices()
        pattern = Pattern.from_scipy(both)
        symmetric = Pattern(pattern.crow, pattern.col, pattern.n_cols, is_symmetric=True)
        pair = torch.from_numpy(both.data - 1).to(pattern.col.dtype)
        return cls(upper, symmetric, pair)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, N."""
        return self.upper.n_rows

    def __len__(self) -> int:
        """Return the number of pairs, E."""
        return self.upper.nnz


class _PairProduct(Function):
    """Y = A X;  da_ij = dy_i . x_j + dy_j . x_i,  dX = A dY."""

    @staticmethod
    def forward(ctx: Any, numbers: Tensor, dense: Tensor, pairs: Pairs) -> Tensor:
        ctx.pairs = pairs
        ctx.save_for_backward(numbers, dense)
        both, values = pairs.both, numbers.index_select(0, pairs.pair)
        return active_kernels().product(
            both.crow, both.col, values, both.n_cols, dense.contiguous()
        )

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        numbers, dense = ctx.saved_tensors
        wants_numbers, wants_dense, _ = ctx.needs_input_grad
        return (
            pair_sampled(ctx.pairs, grad, dense) if wants_numbers else None,
            pair_product(ctx.pairs, numbers, grad) if wants_dense else None,
            None,
        )


class _PairSampled(Function):
    """a_ij = l_i . r_j + l_j . r_i;  dL = dA R,  dR = dA L."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, pairs: Pairs) -> Tensor:
        ctx.pairs = pairs
        ctx.save_for_backward(left, right)
        upper = pairs.upper
        forth, back = torch.cat((left, right), dim=1), torch.cat((right, left), dim=1)
        return active_kernels().sampled(upper.crow, upper.col, forth, back)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        left, right = ctx.saved_tensors
        wants_left, wants_right, _ = ctx.needs_input_grad
        return (
            pair_product(ctx.pairs, grad, right) if wants_left else None,
            pair_product(ctx.pairs, grad, left) if wants_right else None,
            None,
        )


def pair_product(pairs: Pairs, numbers: Tensor, dense: Tensor) -> Tensor:
    """Return A X, N x d, with a_ij = a_ji the number of the pair {i, j}.

    Parameters
    ----------
    pairs : where A may have entries.
    numbers : one for each pair, E.
    dense : X, N x d.
    """
    result: Tensor = _PairProduct.apply(numbers, dense, pairs)  # type: ignore[no-untyped-call]
    return result


def pair_sampled(pairs: Pairs, left: Tensor, right: Tensor) -> Tensor:
    """Return left_i . right_j + left_j . right_i for each pair, E; no E x d matrix is made."""
    result: Tensor = _PairSampled.apply(left, right, pairs)  # type: ignore[no-untyped-call]
    return result


class NormalisedPairs:
    """D^-1/2 (A + I) D^-1/2 of a number for each pair, D the row sums of A + I.

    ``view @ dense`` is s * (A + I) (s * X) with s = D^-1/2, differentiable in numbers and X.
    """

    def __init__(self, pairs: Pairs, numbers: Tensor) -> None:
        self._pairs, self._numbers = pairs, numbers
        ones = numbers.new_ones(pairs.n_nodes, 1)
        self._scale = (1.0 + pair_product(pairs, numbers, ones)).rsqrt()  # N x 1

    def __matmul__(self, dense: Tensor) -> Tensor:
        scaled = self._scale * dense
        return self._scale * (scaled + pair_product(self._pairs, self._numbers, scaled))


class _ConstantProduct(Function):
    """Y = S X for a constant S;  dX = S^T dY."""

    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: SparseMatrix, flipped: SparseMatrix) -> Tensor:
        ctx.matrices = matrix, flipped
        pattern, values = matrix.pattern, matrix.values
        return active_kernels().product(
            pattern.crow, pattern.col, values, pattern.n_cols, dense.contiguous()
        )

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        matrix, flipped = ctx.matrices
        return _ConstantProduct.apply(grad, flipped, matrix), None, None  # type: ignore[no-untyped-call]


def constant_product(matrix: Tensor | SparseMatrix, dense: Tensor) -> Tensor:
    """Return a constant matrix, dense or sparse, times ``dense``, which may carry a gradient."""
    if isinstance(matrix, Tensor):
        return matrix @ dense
    constant, flipped = matrix.detach(), SparseMatrix(*matrix.transposed_parts())
    result: Tensor = _ConstantProduct.apply(dense, constant, flipped)  # type: ignore[no-untyped-call]
    return result
