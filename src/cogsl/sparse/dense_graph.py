"""Graphs that are dense by nature: N x N tensors, and products that make no further ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, vstack
from torch import Tensor

from cogsl.sparse.blocks import blocks


def dense_adjacency(adjacency: csr_array, dtype: torch.dtype) -> Tensor:
    """Return A as a dense tensor of its own, N x N."""
    return torch.from_numpy(adjacency.toarray()).to(dtype)


def gram_matrix(features: npt.NDArray[np.float32] | csr_array, dtype: torch.dtype) -> Tensor:
    """Return X X^T, N x N; sparse features are multiplied as such, a block of rows at a time."""
    if isinstance(features, np.ndarray):
        dense = torch.tensor(features, dtype=dtype)
        return dense @ dense.T
    n = features.shape[0]
    gram = torch.empty(n, n, dtype=dtype)
    X = features.astype(gram.numpy().dtype)
    flipped = X.T.tocsr()
    for rows in blocks(n, row_bytes=8 * n):
        gram[rows] = torch.from_numpy((X[rows] @ flipped).toarray())
    return gram


def entries_above(matrix: Tensor, least: float) -> csr_array:
    """Return (M + M^T) / 2 off the diagonal where it is above ``least``, in float32, N x N."""
    n = len(matrix)
    parts = []
    for rows in blocks(n, row_bytes=8 * n):
        mean = (matrix[rows] + matrix[:, rows].T).mul_(0.5)
        mean.masked_fill_(mean <= least, 0.0)
        mean.diagonal(rows.start).zero_()
        parts.append(csr_array(mean.float().numpy()))
    return csr_array(vstack(parts, format="csr"))


class NormalisedGraph:
    """V = D^-1/2 (S + I) D^-1/2, D the row sums of S + I: multiplied with, and never formed.

    V B = s (S (s B) + s B),  s = D^-1/2. The gradient of a loss for S is of low rank: each product
    with S adds (gradient of the product) (right side)^T, and so do the row sums, S 1.

    Parameters
    ----------
    matrix : S, N x N, no entry below 0.
    tracked : note the products, so that ``gradient`` can be asked for.
    """

    def __init__(self, matrix: Tensor, *, tracked: bool = False) -> None:
        self.matrix = matrix
        self._degrees = matrix.sum(dim=1, keepdim=True).requires_grad_(tracked)
        self._scale = (self._degrees + 1.0).rsqrt()
        self._tracked = tracked
        self._products: list[Tensor] = []
        self._right_sides: list[Tensor] = []

    def __matmul__(self, right: Tensor) -> Tensor:
        scaled = self._scale * right
        # The gradient of S B for a few columns, S^T G, takes ten times as long as (G^T S)^T.
        product = (scaled.T.contiguous() @ self.matrix.T).T
        if self._tracked:
            self._products.append(product)
            self._right_sides.append(scaled.detach())
        return self._scale * (product + scaled)

    def gradient(self, loss: Tensor) -> tuple[Tensor, Tensor]:
        """Return L and R with dloss/dS = L R^T, both N x (1 + columns of all right sides)."""
        left = torch.autograd.grad(loss, [self._degrees, *self._products])
        ones = torch.ones_like(self._degrees, requires_grad=False)
        return torch.cat(left, dim=1), torch.cat([ones, *self._right_sides], dim=1)
