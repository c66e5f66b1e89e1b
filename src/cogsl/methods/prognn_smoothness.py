"""How much features differ along the edges of a learned graph."""

from __future__ import annotations

import torch
from torch import Tensor

from cogsl.graph import Features
from cogsl.sparse.blocks import blocks
from cogsl.sparse.dense_graph import gram_matrix

_SLACK = 1e-3  # added to the degrees, so that nodes without edges have a gradient


class FeatureSmoothness:
    """tr(X^T L X), L = C (D - S) C, D the row sums of S, C = (D + e)^-1/2, e = 1e-3.

    = sum_i c_i^2 d_i k_ii - sum_ij c_i c_j s_ij k_ij = c . (c d k - T c),  K = X X^T, T = S * K.
    The degrees are those of the learned graph, so they have a share in the gradient:

        dL/ds_ij = -c_i c_j k_ij + (h_i + h_j) / 2,  h_i = e c_i^4 k_ii + c_i^3 (T c)_i

    K is made once, and is N x N. A graph that is not symmetric counts as (S + S^T) / 2.
    """

    def __init__(self, features: Features, dtype: torch.dtype) -> None:
        self.gram = gram_matrix(features, dtype)

    def add_gradient_(self, target: Tensor, matrix: Tensor, weight: float) -> float:
        """Add ``weight`` times the gradient for S to ``target``, N x N; return the value."""
        degrees = (matrix.sum(dim=0) + matrix.sum(dim=1)) / 2
        c = (degrees + _SLACK).rsqrt()
        diagonal = self.gram.diagonal()
        pulled = self._pulled(matrix, c)
        h = _SLACK * c**4 * diagonal + c**3 * pulled
        for rows in self._blocks():
            part = self.gram[rows] * c
            part.mul_(c[rows, None]).sub_(h / 2).sub_(h[rows, None] / 2)
            target[rows].sub_(part, alpha=weight)
        return float(c @ (c * degrees * diagonal - pulled))

    def _pulled(self, matrix: Tensor, c: Tensor) -> Tensor:
        """Return (T + T^T) c / 2, N."""
        pulled = torch.zeros_like(c)
        for rows in self._blocks():
            part = matrix[rows] * self.gram[rows]
            pulled[rows] += part @ c
            pulled += c[rows] @ part
        return pulled / 2

    def _blocks(self) -> list[slice]:
        return list(blocks(len(self.gram), row_bytes=self.gram[0].nbytes))
