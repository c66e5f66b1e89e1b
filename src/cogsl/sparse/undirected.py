"""Lists of edges become symmetric matrices, and these lists of edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float32]


class Undirected(NamedTuple):
    """A symmetric matrix, and what was done to get it.

    matrix: N x N, indices sorted, no duplicates.
    n_duplicates: entries that repeated another one.
    n_one_way: pairs whose other direction was missing or had another weight.
    """

    matrix: csr_array
    n_duplicates: int
    n_one_way: int


@dataclass(frozen=True, eq=False)
class Edges:
    """Undirected edges, each once: the ends i < j, and the weights."""

    low: npt.NDArray[np.signedinteger]
    high: npt.NDArray[np.signedinteger]
    weights: npt.NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.low)

    def some(self, which: npt.NDArray[np.integer | np.bool_]) -> Edges:
        """Return some of the edges, by their places or by a mask."""
        return Edges(self.low[which], self.high[which], self.weights[which])

    def numbers(self, n: int) -> IntArray:
        """Return one number for each edge among N nodes, i N + j."""
        return self.low.astype(np.int64) * n + self.high

    def matrix(self, n: int) -> csr_array:
        """Return the symmetric matrix, N x N."""
        ends = (np.concatenate([self.low, self.high]), np.concatenate([self.high, self.low]))
        return csr_array((np.concatenate([self.weights, self.weights]), ends), shape=(n, n))


def edges_of(matrix: csr_array) -> Edges:
    """Return the edges of a symmetric matrix, in the order of (i, j), whatever that of storage."""
    entries = matrix.tocoo()
    upper = np.flatnonzero(entries.row < entries.col)
    if not matrix.has_sorted_indices:
        upper = upper[np.lexsort((entries.col[upper], entries.row[upper]))]
    return Edges(entries.row[upper], entries.col[upper], entries.data[upper])


def brought_together(graphs: Sequence[Edges], n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pairs that any of some graphs on N nodes joins, in order, and their weights.

    These are the lower ends, the higher ends, and a row of weights for each graph, 0 where it does
    not join the pair.
    """
    numbers = [edges.numbers(n) for edges in graphs]
    ordered = np.sort(np.concatenate(numbers))  # faster than numpy.unique
    pairs = ordered[np.diff(ordered, prepend=-1) > 0]
    weights = np.zeros((len(graphs), len(pairs)), dtype=np.float32)
    for row, own, edges in zip(weights, numbers, graphs, strict=True):
        row[np.searchsorted(pairs, own)] = edges.weights
    return pairs // n, pairs % n, weights


def is_canonical(matrix: csr_array) -> bool:
    """Tell whether a matrix is what ``undirected`` makes: nothing is left to do then.

    Square, float32, symmetric, sorted, no duplicates, no diagonal, weights finite and above 0.
    """
    n, n_columns = matrix.shape
    if n == 0 or n != n_columns or matrix.dtype != np.float32:
        return False
    indices = np.asarray(matrix.indices)
    rows = np.repeat(np.arange(n, dtype=indices.dtype), np.diff(matrix.indptr))
    ascends = (np.diff(indices) > 0) | (np.diff(rows) > 0)
    if not ascends.all() or (rows == indices).any():
        return False
    if not (np.isfinite(matrix.data) & (matrix.data > 0)).all():
        return False
    del rows, ascends
    mirror = matrix.T.tocsr()
    return all(
        np.array_equal(getattr(matrix, part), getattr(mirror, part))
        for part in ("indptr", "indices", "data")
    )


def undirected(rows: IntArray, cols: IntArray, weights: FloatArray, n: int) -> Undirected:
    """Merge equal entries, then both directions of each pair, keeping the largest weight.

    Args:
        rows, cols, weights: E entries off the diagonal, in any order.
        n: number of rows and columns, N.
    """
    code = (np.minimum(rows, cols) * n + np.maximum(rows, cols)) * 2 + (rows > cols)
    order = np.argsort(code)  # by pair, then by direction
    code, weights = code[order], weights[order]
    entry = np.flatnonzero(np.diff(code, prepend=-1))
    code, weights = code[entry], _largest(weights, entry)
    pair = np.flatnonzero(np.diff(code // 2, prepend=-1))
    lightest, heaviest = -_largest(-weights, pair), _largest(weights, pair)
    index = np.int32 if max(n, 2 * len(pair)) < 2**31 else np.int64
    low, high = (ends.astype(index) for ends in np.divmod(code[pair] // 2, n))
    both = (np.concatenate([low, high]), np.concatenate([high, low]))
    matrix = csr_array((np.concatenate([heaviest, heaviest]), both), shape=(n, n))
    n_one_way = 2 * len(pair) - len(entry) + int(np.count_nonzero(lightest < heaviest))
    return Undirected(matrix, len(order) - len(entry), n_one_way)


def _largest(values: FloatArray, starts: npt.NDArray[np.intp]) -> FloatArray:
    """Return the largest of each run of ``values``; ``starts`` says where the runs begin."""
    if len(starts) == 0:
        return values
    largest: FloatArray = np.maximum.reduceat(values, starts)
    return largest
