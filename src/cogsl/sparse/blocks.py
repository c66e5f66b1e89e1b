"""Dense blocks of bounded size, and the largest entries of their rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

BLOCK_BYTES = 1 << 24
"""Size of a dense block; an algorithm holds about four of them at a time, 64 MiB."""

GRID = 2.0**-36
"""Values in [-1, 1] are compared on this grid (1.5e-11), far above the rounding of float64.

So numbers that are equal by the formula are equal here too, however their sums were ordered.
"""

_INDEX_BITS = 25  # and 36 + 1 for a value on the grid and its sign: a key fits an int64


def blocks(n: int, *, row_bytes: int, block_bytes: int = BLOCK_BYTES) -> Iterator[slice]:
    """Cut ``range(n)`` into slices of as many rows as fit a block, at least one."""
    step = max(1, block_bytes // max(1, row_bytes))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def snap(values: Float64Array) -> Float64Array:
    """Round values to the grid."""
    return np.rint(values / GRID) * GRID


def top_of_rows(values: Float64Array, k: int, *, always: Int64Array | None = None) -> Int64Array:
    """Return the columns of the k largest entries of each row, ascending, b x min(k, N).

    Entries are compared on the grid; ties go to the lower column. Value and column together make
    one whole number: no two are equal, so a partial sort leaves nothing to chance.

    Parameters
    ----------
    values : b x N, entries in [-1, 1].
    k : how many columns to keep.
    always : b, the column of each row that is kept whatever its value; None if there is none.
    """
    n = values.shape[1]
    assert n <= 1 << _INDEX_BITS
    if k >= n:
        return np.tile(np.arange(n), (len(values), 1))
    keys = np.rint(values / GRID).astype(np.int64)
    keys <<= _INDEX_BITS
    keys += np.arange(n - 1, -1, -1)
    if always is not None:
        keys[np.arange(len(keys)), always] = np.iinfo(np.int64).max
    top = np.argpartition(keys, n - k, axis=1)[:, n - k :]
    return np.sort(top, axis=1)
