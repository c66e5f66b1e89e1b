"""Hypothesis strategies for small sparse matrices."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


@st.composite
def matrices(
    draw: st.DrawFn, *, max_rows: int = 9, max_cols: int = 9, square: bool = False
) -> sp.csr_array:
    """Draw a CSR matrix with any pattern, empty rows and no entries at all among them."""
    n_rows = draw(st.integers(1, max_rows))
    n_cols = n_rows if square else draw(st.integers(1, max_cols))
    seed = draw(st.integers(0, 2**32 - 1))
    density = draw(st.sampled_from([0.0, 0.1, 0.4, 1.0]))
    rng = np.random.default_rng(seed)
    mask = rng.random((n_rows, n_cols)) < density
    return sp.csr_array(np.where(mask, rng.uniform(0.1, 1.0, mask.shape), 0.0))
