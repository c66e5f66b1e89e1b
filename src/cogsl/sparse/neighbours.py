"""Nearest neighbours by cosine similarity: exact, in blocks of rows; and the choice of a way."""

from __future__ import annotations

import logging
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, issparse

from cogsl.errors import InputError
from cogsl.sparse.blocks import BLOCK_BYTES, Float64Array, Int64Array, blocks, top_of_rows

EXACT_NODES = 20_000
"""Up to here every pair is looked at, which takes half a minute at most.

The approximate search is faster from some 3,000 nodes on where the features form clusters or are
bags of words, but only from 10,000 to 20,000 on where they hardly do; and exact is exact.
``python -m benchmarks.neighbours`` measures both.
"""

logger = logging.getLogger("cogsl")


def nearest_neighbours(features: npt.NDArray[Any] | csr_array, k: int) -> csr_array:
    """Join each node to the k nodes whose features are most alike, itself among them.

    Exact (``cosine_neighbours``) up to ``EXACT_NODES`` nodes. Beyond that the time of N^2 pairs
    would tell, and ``approximate_cosine_neighbours`` takes over, which needs the library faiss.

    Parameters and result are those of ``cosine_neighbours``.
    """
    n = features.shape[0]
    if n <= EXACT_NODES:
        return cosine_neighbours(features, k)
    # Late, as the approximate search builds on the exact one.
    from cogsl.sparse.approximate_neighbours import approximate_cosine_neighbours

    logger.info("More than %d nodes (%d): neighbours are approximate.", EXACT_NODES, n)
    return approximate_cosine_neighbours(features, k)


def cosine_neighbours(
    features: npt.NDArray[Any] | csr_array, k: int, *, block_bytes: int = BLOCK_BYTES
) -> csr_array:
    """Join each node to the k nodes whose features are most alike, itself among them.

    sim(i, j) = x_i . x_j / (|x_i| |x_j|), and 0 where a row is all zeros.

    Similarities that differ by less than 1.5e-11 are ties. Ties go to the lower index; the node
    itself always comes first. One block of rows of the similarities is held at a time, never all
    N x N, and sparse features stay sparse.

    Parameters
    ----------
    features : X, N x D, dense or CSR.
    k : entries a row, self included; N if there are fewer nodes.
    block_bytes : size of a block of similarities.

    Returns
    -------
    N x N, min(k, N) entries of 1.0 (float32) a row; not symmetric in general.
    """
    if k < 1:
        raise InputError(f"The 'k' parameter of cosine_neighbours must be >= 1. Got {k} instead.")
    n = features.shape[0]
    similarities = similarities_of(features, block_bytes)
    columns = nearest_columns(similarities, np.arange(n), k, block_bytes=block_bytes)
    return joined(columns)


def nearest_among(
    features: npt.NDArray[Any] | csr_array,
    rows: Int64Array,
    n: int,
    k: int,
    *,
    block_bytes: int = BLOCK_BYTES,
) -> Int64Array:
    """Return the k of the first n rows that are most alike to each of some rows, b x min(k, n).

    By cosine and with ties as in ``cosine_neighbours``; exact, whatever the size.
    """
    similarities = similarities_of(features, block_bytes)
    columns = np.empty((len(rows), min(k, n)), dtype=np.int64)
    for part in blocks(len(rows), row_bytes=8 * n, block_bytes=block_bytes):
        columns[part] = top_of_rows(similarities.between(rows[part], np.arange(n)), k)
    return columns


def nearest_columns(
    similarities: Similarities, rows: Int64Array, k: int, *, block_bytes: int = BLOCK_BYTES
) -> npt.NDArray[np.int32]:
    """Return the k nodes most alike to each of some rows, ascending, b x min(k, N)."""
    n = similarities.n
    columns = np.empty((len(rows), min(k, n)), dtype=np.int32)
    for part in blocks(len(rows), row_bytes=8 * n, block_bytes=block_bytes):
        columns[part] = top_of_rows(similarities.block(rows[part]), k, always=rows[part])
    return columns


def joined(columns: npt.NDArray[np.int32]) -> csr_array:
    """Return the matrix, N x N, with 1 in the given columns of each row (N x k, ascending)."""
    n, k = columns.shape
    ones = np.ones(n * k, dtype=np.float32)
    return csr_array((ones, columns.ravel(), k * np.arange(n + 1)), shape=(n, n))


def similarities_of(
    features: npt.NDArray[Any] | csr_array, panel_bytes: int = BLOCK_BYTES
) -> Similarities:
    """Return the cosine similarities of dense or sparse rows, computed block by block."""
    if issparse(features):
        return SparseRows(features, panel_bytes)
    return DenseRows(features, panel_bytes)


class DenseRows:
    """Cosine similarities of dense rows; float64 copies are made panel by panel."""

    def __init__(self, features: npt.NDArray[Any], panel_bytes: int) -> None:
        squares = np.einsum("nd,nd->n", features, features, dtype=np.float64)
        self._features = features
        self._scale = _inverse_root(squares)
        self._panel_bytes = panel_bytes
        self.n = len(features)

    def block(self, rows: Int64Array) -> Float64Array:
        """Return the similarities of some rows to all, b x N."""
        width = self._features.shape[1]
        left = self.unit(rows)
        out = np.empty((len(left), self.n))
        for panel in blocks(self.n, row_bytes=8 * width, block_bytes=self._panel_bytes):
            np.matmul(left, self.unit(panel).T, out=out[:, panel])
        return out

    def between(self, rows: Int64Array, columns: Int64Array) -> Float64Array:
        """Return the similarities of some rows to some others, b x c."""
        # PyTorch's product, as its number of threads can be set for a while, unlike NumPy's.
        left, right = (torch.from_numpy(self.unit(part)) for part in (rows, columns))
        similarities: Float64Array = (left @ right.T).numpy()
        return similarities

    def unit(self, rows: slice | Int64Array) -> Float64Array:
        """Return some rows, each of length 1 (or 0)."""
        unit: Float64Array = self._features[rows] * self._scale[rows, None]
        return unit


class SparseRows:
    """Cosine similarities of sparse rows, by sparse products."""

    def __init__(self, features: csr_array, panel_bytes: int) -> None:
        n = features.shape[0]
        row = np.repeat(np.arange(n), np.diff(features.indptr))
        data = features.data.astype(np.float64)
        squares = np.bincount(row, weights=data**2, minlength=n).astype(np.float64)
        data *= _inverse_root(squares)[row]
        parts = (data, features.indices, features.indptr)
        self._unit = csr_array(parts, shape=features.shape)
        self._transpose = self._unit.T.tocsr()
        self._panel_bytes = panel_bytes
        self.n = n

    def block(self, rows: Int64Array) -> Float64Array:
        """Return the similarities of some rows to all, b x N."""
        similarities: Float64Array = (self._unit[rows] @ self._transpose).toarray()
        return similarities

    def between(self, rows: Int64Array, columns: Int64Array) -> Float64Array:
        """Return the similarities of some rows to some others, b x c."""
        left, right = self._unit[rows], self._unit[columns]
        if left.nnz < self._unit.shape[1]:  # a dense copy would take longer to make than to use
            return np.asarray((left @ right.T).toarray())
        out = np.empty((len(rows), len(columns)))
        row_bytes = 8 * self._unit.shape[1]
        for panel in blocks(len(columns), row_bytes=row_bytes, block_bytes=self._panel_bytes):
            out[:, panel] = left @ np.ascontiguousarray(right[panel].toarray().T)
        return out

    def unit(self, rows: slice | Int64Array) -> csr_array:
        """Return some rows, each of length 1 (or 0)."""
        return self._unit[rows]


Similarities: TypeAlias = DenseRows | SparseRows


def _inverse_root(squares: Float64Array) -> Float64Array:
    """Return 1 / sqrt(x), and 0 where x is 0."""
    root = np.sqrt(squares)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
