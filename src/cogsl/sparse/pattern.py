"""Fixed sparsity patterns: worked out once, so that training touches value vectors only."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

_INT32_MAX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which entries of a matrix are stored, in CSR form with sorted columns.

    Parameters
    ----------
    crow : where each row begins, n_rows + 1; 32-bit where the number of entries allows.
    col : the column of each entry, nnz; the same type.
    n_cols : number of columns.
    is_symmetric : (j, i) is stored wherever (i, j) is.
    """

    crow: Tensor
    col: Tensor
    n_cols: int
    is_symmetric: bool = False

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array) -> Pattern:
        """Take the pattern of a SciPy matrix; its values are not looked at."""
        sorted_matrix = matrix if matrix.has_sorted_indices else matrix.sorted_indices()
        kind = np.int32 if max(sorted_matrix.nnz, *matrix.shape) <= _INT32_MAX else np.int64
        crow = torch.from_numpy(sorted_matrix.indptr.astype(kind))
        col = torch.from_numpy(sorted_matrix.indices.astype(kind))
        return cls(crow, col, int(matrix.shape[1]))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.crow.numel() - 1

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self.col.numel()

    @cached_property
    def row(self) -> Tensor:
        """The row of each entry, nnz."""
        rows = torch.arange(self.n_rows, dtype=self.col.dtype)
        return torch.repeat_interleave(rows, (self.crow[1:] - self.crow[:-1]).long())

    @property
    def _keys(self) -> npt.NDArray[np.int64]:
        """One ascending number for each entry: row * n_cols + column; 8 bytes each, not kept."""
        lengths = np.diff(self.crow.numpy())
        keys = np.repeat(np.arange(self.n_rows, dtype=np.int64) * self.n_cols, lengths)
        keys += self.col.numpy()
        return keys

    def has_entries_of(self, other: Pattern) -> bool:
        """Tell whether both store the same entries."""
        return (
            self.n_cols == other.n_cols
            and torch.equal(self.crow, other.crow)
            and torch.equal(self.col, other.col)
        )

    def to_scipy(self, values: Tensor | None = None) -> sp.csr_array:
        """Return a SciPy matrix with these values (ones where there are none)."""
        data = torch.ones(self.nnz) if values is None else values.detach()
        parts = (data.numpy(), self.col.numpy(), self.crow.numpy())
        return sp.csr_array(parts, shape=(self.n_rows, self.n_cols))

    def positions_of(self, part: Pattern) -> Tensor:
        """Return where each entry of ``part`` stands among the entries of this pattern."""
        keys, wanted = self._keys, part._keys
        found = np.searchsorted(keys, wanted)
        if found.size and (found[-1] == self.nnz or (keys[found] != wanted).any()):
            raise ValueError("The part has entries that this pattern lacks.")
        return torch.from_numpy(found).to(self.col.dtype)

    @property
    def transposed(self) -> tuple[Pattern, Tensor]:
        """The transpose, and for each of its entries where that stands among this one's."""
        flipped, order = self._transposed
        return flipped or self, order

    @cached_property
    def _transposed(self) -> tuple[Pattern | None, Tensor]:
        """The same; None stands for this pattern itself, which thus holds no copy of itself."""
        numbers = torch.arange(self.nnz, dtype=self.col.dtype)
        flipped = self.to_scipy(numbers).tocsc()
        order = torch.from_numpy(flipped.data)
        if self.is_symmetric:
            return None, order
        crow = torch.from_numpy(flipped.indptr).to(self.crow.dtype)
        col = torch.from_numpy(flipped.indices).to(self.col.dtype)
        return Pattern(crow, col, self.n_rows), order

    @cached_property
    def diagonal(self) -> Tensor:
        """Where the diagonal entries stand; all of them must be stored."""
        where = torch.nonzero(self.row == self.col).flatten().to(self.col.dtype)
        if where.numel() != self.n_rows:
            raise ValueError("The pattern does not store its whole diagonal.")
        return where

    def symmetrised(self) -> Pattern:
        """Return the union of this pattern, its mirror image and the diagonal."""
        eye = torch.arange(self.n_rows + 1, dtype=self.col.dtype)
        both = union([self, self.transposed[0], Pattern(eye, eye[:-1], self.n_rows)])
        return dataclasses.replace(both, is_symmetric=True)

    def rows(self, index: Tensor) -> tuple[Pattern, Tensor]:
        """Return the pattern of some rows, and where their entries stand among this one's."""
        start = self.crow.index_select(0, index)
        counts = (self.crow.index_select(0, index + 1) - start).long()
        crow = torch.zeros(index.numel() + 1, dtype=self.crow.dtype)
        torch.cumsum(counts, 0, out=crow[1:])
        n_entries = int(crow[-1])
        shift = torch.repeat_interleave(start - crow[:-1], counts, output_size=n_entries)
        where = torch.arange(n_entries, dtype=self.crow.dtype) + shift
        return Pattern(crow, self.col.index_select(0, where), self.n_cols), where

    @property
    def used_columns(self) -> Tensor:
        """The columns in which anything is stored, ascending."""
        used = np.zeros(self.n_cols, dtype=np.bool_)  # NumPy writes at places four times as fast
        used[self.col.numpy()] = True
        return torch.from_numpy(np.flatnonzero(used))

    def columns(self, index: Tensor) -> Pattern:
        """Return the pattern on some columns only, which hold every entry; they must ascend."""
        place = torch.zeros(self.n_cols, dtype=self.col.dtype)
        place[index] = torch.arange(index.numel(), dtype=self.col.dtype)
        return Pattern(self.crow, place.index_select(0, self.col), index.numel())


def union(patterns: Sequence[Pattern]) -> Pattern:
    """Return the pattern that stores every entry which one of the patterns stores."""
    total = patterns[0].to_scipy()
    for pattern in patterns[1:]:
        total = total + pattern.to_scipy()
    return Pattern.from_scipy(sp.csr_array(total))
