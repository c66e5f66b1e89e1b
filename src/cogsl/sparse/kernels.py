"""The few compiled kernels that everything rests on, in a fast and a portable version.

The fast version uses PyTorch's CSR kernels, which need a build with MKL, and for wide products its
weighted bags of rows, which take half the time. Where a build has no MKL (Apple silicon, for one)
the portable version takes over by itself: SciPy's CSR product and a blocked gather.
``use_kernels`` forces one of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from cogsl.errors import UnknownNameError, did_you_mean

_BLOCK_NUMBERS = 1 << 22  # numbers held at once by the portable sampled product
_NARROW = 8  # PyTorch's sampled product is several times slower below this many columns
_WIDE = 24  # columns from which a bag of rows is faster than MKL's product, in float32


class Kernels(Protocol):
    """What a backend must offer; matrices come as CSR parts."""

    def product(
        self, crow: Tensor, col: Tensor, values: Tensor, n_cols: int, dense: Tensor
    ) -> Tensor:
        """Return the sparse matrix times ``dense`` (n_cols x d)."""

    def sampled(self, crow: Tensor, col: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Return left_i . right_j at each stored (i, j); left is rows x d, right n_cols x d."""


class MKLKernels:
    """PyTorch's CSR kernels."""

    def product(
        self, crow: Tensor, col: Tensor, values: Tensor, n_cols: int, dense: Tensor
    ) -> Tensor:
        """Return the sparse matrix times ``dense``."""
        if dense.shape[1] >= _WIDE and dense.dtype == torch.float32:
            return _sums_of_rows(crow, col, values, dense)
        matrix = _csr(crow, col, values, n_cols)
        if dense.shape[1] == 1:  # row sums, mostly: MKL's product of matrices takes twice as long
            return matrix.mv(dense.flatten()).unsqueeze(1)
        # Into memory of our own, whatever lies there: "@" would fill and copy zeros first.
        result = dense.new_empty(crow.numel() - 1, dense.shape[1])
        return result.addmm_(matrix, dense, beta=0.0)

    def sampled(self, crow: Tensor, col: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Return left_i . right_j at each stored (i, j)."""
        missing = _NARROW - left.shape[1]
        if missing > 0:
            left = torch.nn.functional.pad(left, (0, missing))
            right = torch.nn.functional.pad(right, (0, missing))
        frame = _csr(crow, col, left.new_zeros(col.numel()), right.shape[0])
        result: Tensor = torch.sparse.sampled_addmm(frame, left, right.t(), beta=0.0)
        return result.values()


class PortableKernels:
    """SciPy's CSR product and a blocked gather: slower, and at home everywhere."""

    def product(
        self, crow: Tensor, col: Tensor, values: Tensor, n_cols: int, dense: Tensor
    ) -> Tensor:
        """Return the sparse matrix times ``dense``."""
        parts = (values.detach().numpy(), col.numpy(), crow.numpy())
        matrix = sp.csr_array(parts, shape=(crow.numel() - 1, n_cols))
        return torch.from_numpy(matrix @ dense.detach().contiguous().numpy())

    def sampled(self, crow: Tensor, col: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Return left_i . right_j at each stored (i, j)."""
        counts = (crow[1:] - crow[:-1]).long()
        row = torch.repeat_interleave(torch.arange(counts.numel()), counts)
        out = left.new_empty(col.numel())
        step = max(1, _BLOCK_NUMBERS // max(1, left.shape[1]))
        for start in range(0, col.numel(), step):
            part = slice(start, start + step)
            pairs = left.index_select(0, row[part]) * right.index_select(0, col[part])
            torch.sum(pairs, dim=1, out=out[part])
        return out


def _csr(crow: Tensor, col: Tensor, values: Tensor, n_cols: int) -> Tensor:
    """Make PyTorch's CSR tensor from parts that are known to be sound."""
    shape = (crow.numel() - 1, n_cols)
    return torch.sparse_csr_tensor(crow, col, values, shape, check_invariants=False)


def _sums_of_rows(crow: Tensor, col: Tensor, values: Tensor, dense: Tensor) -> Tensor:
    """Return the weighted sum of the rows of ``dense`` that each row of the matrix names."""
    return embedding_bag(
        col,
        dense.detach().contiguous(),
        crow,
        mode="sum",
        per_sample_weights=values,
        include_last_offset=True,
    )


def _mkl_works() -> bool:
    """Try the fast kernels on a 1 x 1 matrix; this also spends PyTorch's once-only beta warning."""
    crow, col, one = torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            MKLKernels().product(crow.int(), col.int(), one, 1, torch.ones(1, 1))
            MKLKernels().sampled(crow.int(), col.int(), torch.ones(1, 1), torch.ones(1, 1))
        except RuntimeError:
            return False
    return True


KERNELS: dict[str, Kernels] = {"mkl": MKLKernels(), "portable": PortableKernels()}
_active: Kernels = KERNELS["mkl" if _mkl_works() else "portable"]


def active_kernels() -> Kernels:
    """Return the kernels in use."""
    return _active


@contextmanager
def use_kernels(name: str) -> Iterator[None]:
    """Use the kernels of that name inside the scope."""
    global _active
    if name not in KERNELS:
        raise UnknownNameError(f"Unknown kernels '{name}'{did_you_mean(name, KERNELS)}")
    before, _active = _active, KERNELS[name]
    try:
        yield
    finally:
        _active = before
