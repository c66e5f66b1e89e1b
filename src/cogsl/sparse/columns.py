"""Blocks of columns side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

_DENSE = 0.2  # a matrix with a larger share of entries other than 0 is held dense

Block = csr_array | npt.NDArray[np.float32]


def side_by_side(blocks: Sequence[Block]) -> Block:
    """Return blocks of the same rows as one float32 matrix: sparse where most entries are 0."""
    stored = sum(b.nnz if isinstance(b, csr_array) else int(np.count_nonzero(b)) for b in blocks)
    size = sum(b.shape[0] * b.shape[1] for b in blocks)
    if is_mostly_zero(stored, size):
        return csr_array(hstack([csr_array(b) for b in blocks], format="csr", dtype=np.float32))
    dense = [b.toarray() if isinstance(b, csr_array) else b for b in blocks]
    return np.hstack(dense).astype(np.float32, copy=False)


def is_mostly_zero(stored: int, size: int) -> bool:
    """Tell whether so few entries of a matrix are other than 0 that it is held sparse."""
    return stored <= _DENSE * size
