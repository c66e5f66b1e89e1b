"""The graph that IDGL ends with, as one that others can use."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array, vstack
from torch import Tensor

from cogsl.methods.idgl_graphs import LearnedGraph
from cogsl.methods.idgl_network import mixed
from cogsl.sparse import SparseMatrix
from cogsl.sparse.blocks import blocks, top_of_rows
from cogsl.sparse.sparse_similarity import dense_panel


def learned_adjacency(
    given: SparseMatrix,
    first: LearnedGraph,
    current: LearnedGraph | None,
    *,
    skip: float,
    update: float,
    most: int,
) -> csr_array:
    """Return (K + K^T) / 2 without its diagonal, K the largest entries of each row of A~.

    A~ is made in blocks of rows.

    Parameters
    ----------
    given, first, current : L0, A^(1), and the A^(t) of the last turn if that is another.
    skip, update : lambda and eta.
    most : entries that are kept of each row, beside the diagonal.
    """
    n = given.shape[0]
    found = []
    for part in blocks(n, row_bytes=16 * n):
        rows = (
            dense_panel(given.pattern, given.values, part).T,
            first.rows(part),
            None if current is None else current.rows(part),
        )
        found.append(_largest(mixed(*rows, skip=skip, update=update), part, most))
    kept = csr_array(vstack(found, format="csr"))
    both = csr_array(kept + kept.T, dtype=np.float32)
    both.data *= np.float32(0.5)
    both.eliminate_zeros()
    return both


def _largest(block: Tensor, part: slice, most: int) -> csr_array:
    """Return the largest entries of some rows beside the diagonal, b x N."""
    values = block.detach().to(torch.float64).numpy()
    diagonal = np.arange(part.start, part.stop)
    columns = top_of_rows(values, most + 1, always=diagonal)  # b x k
    data = np.take_along_axis(values, columns, axis=1)
    data[columns == diagonal[:, None]] = 0.0
    starts = columns.shape[1] * np.arange(len(columns) + 1)
    kept = csr_array((data.ravel(), columns.ravel(), starts), shape=values.shape)
    kept.eliminate_zeros()
    return kept
