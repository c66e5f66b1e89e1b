"""Nearest neighbours by cosine similarity: exact, in blocks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from cogsl.errors import InputError
from cogsl.sparse.blocks import BLOCK_BYTES, Float64Array, blocks, top_of_rows


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
    k = min(k, n)
    similarities = (
        _SparseRows(features) if issparse(features) else _DenseRows(features, block_bytes)
    )
    columns = np.empty((n, k), dtype=np.int32)
    for rows in blocks(n, row_bytes=8 * n, block_bytes=block_bytes):
        itself = np.arange(rows.start, rows.stop)
        columns[rows] = top_of_rows(similarities.block(rows), k, always=itself)
    ones = np.ones(n * k, dtype=np.float32)
    return csr_array((ones, columns.ravel(), k * np.arange(n + 1)), shape=(n, n))


class _DenseRows:
    """Cosine similarities of dense rows; float64 copies are made panel by panel."""

    def __init__(self, features: npt.NDArray[Any], panel_bytes: int) -> None:
        squares = np.einsum("nd,nd->n", features, features, dtype=np.float64)
        self._features = features
        self._scale = _inverse_root(squares)
        self._panel_bytes = panel_bytes

    def block(self, rows: slice) -> Float64Array:
        """Return the similarities of some rows to all, b x N."""
        n, width = self._features.shape
        left = self._unit(rows)
        out = np.empty((len(left), n))
        for panel in blocks(n, row_bytes=8 * width, block_bytes=self._panel_bytes):
            np.matmul(left, self._unit(panel).T, out=out[:, panel])
        return out

    def _unit(self, rows: slice) -> Float64Array:
        """Return some rows, each of length 1."""
        unit: Float64Array = self._features[rows] * self._scale[rows, None]
        return unit


class _SparseRows:
    """Cosine similarities of sparse rows, by sparse products."""

    def __init__(self, features: csr_array) -> None:
        n = features.shape[0]
        row = np.repeat(np.arange(n), np.diff(features.indptr))
        data = features.data.astype(np.float64)
        squares = np.bincount(row, weights=data**2, minlength=n).astype(np.float64)
        data *= _inverse_root(squares)[row]
        parts = (data, features.indices, features.indptr)
        self._unit = csr_array(parts, shape=features.shape)
        self._transpose = self._unit.T.tocsr()

    def block(self, rows: slice) -> Float64Array:
        """Return the similarities of some rows to all, b x N."""
        similarities: Float64Array = (self._unit[rows] @ self._transpose).toarray()
        return similarities


def _inverse_root(squares: Float64Array) -> Float64Array:
    """Return 1 / sqrt(x), and 0 where x is 0."""
    root = np.sqrt(squares)
    return np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
