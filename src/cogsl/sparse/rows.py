"""Rows of matrices that may be dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

Matrix = npt.NDArray[Any] | csr_array


def stacked(above: Matrix, below: Matrix) -> Matrix:
    """Return the rows of both matrices, dense or CSR as ``above`` is."""
    if isinstance(above, csr_array):
        return csr_array(vstack([above, csr_array(below)], format="csr"))
    return np.concatenate([above, below.toarray() if isinstance(below, csr_array) else below])


def differing_rows(one: Matrix, other: Matrix, tolerance: float) -> npt.NDArray[np.bool_]:
    """Tell which rows differ by more than ``tolerance`` in some entry, n."""
    apart = abs(csr_array(one) - csr_array(other)).tocoo()
    differs = np.zeros(apart.shape[0], dtype=np.bool_)
    differs[apart.row[apart.data > tolerance]] = True
    return differs
