"""What is done to features before a graph is made of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.datasets.files import Archive


def csr_from_parts(archive: Archive, prefix: str = "x") -> csr_array:
    """Return the CSR matrix that an archive holds as data, indices, indptr and shape."""
    data, indices, indptr, shape = (
        archive[f"{prefix}_{part}"] for part in ("data", "indices", "indptr", "shape")
    )
    n_rows, n_columns = (int(n) for n in shape)
    return csr_array((data, indices, indptr), shape=(n_rows, n_columns))


def parts_from_csr(matrix: csr_array, prefix: str = "x") -> Archive:
    """Return a CSR matrix as the parts that ``csr_from_parts`` reads."""
    return {
        f"{prefix}_data": matrix.data.astype(np.float32),
        f"{prefix}_indices": matrix.indices,
        f"{prefix}_indptr": matrix.indptr,
        f"{prefix}_shape": np.array(matrix.shape, dtype=np.int64),
    }


def row_normalise(matrix: csr_array) -> csr_array:
    """Return the non-negative matrix with each row divided by its sum; zero rows stay zero."""
    lengths = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(matrix.shape[0]), lengths)
    sums = np.bincount(rows, weights=matrix.data, minlength=matrix.shape[0])
    sums[sums == 0] = 1.0
    data = (matrix.data / np.repeat(sums, lengths)).astype(np.float32)
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def binary(matrix: csr_array) -> csr_array:
    """Return 1 where the matrix is positive, 0 elsewhere."""
    data = (matrix.data > 0).astype(np.float32)
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def standardise(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the matrix with columns of zero mean and unit variance; constant ones become zero."""
    spread = matrix.std(axis=0)
    spread[spread == 0] = 1.0
    centred: npt.NDArray[np.float64] = (matrix - matrix.mean(axis=0)) / spread
    return centred
