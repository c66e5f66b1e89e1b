"""Pairs scored by how alike their embeddings are."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cogsl.nn import glorot, unit_rows
from cogsl.scorers.base import ALL, Nodes, Scorer
from cogsl.sparse import Pattern, sampled_product

_SCALE_START = 5.0  # far from uniform, and far from one-hot


class CosineScorer(Scorer):
    """A scorer whose terms do not cancel: w_ij = s cos(z_i Q, z_j Q). Beyond the paper."""

    def __init__(self, n_hidden: int, *, generator: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = glorot(n_hidden, n_hidden, generator=generator, dtype=dtype)
        self.scale = nn.Parameter(torch.full((1,), _SCALE_START, dtype=dtype))

    def forward(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return s cos(u_i, u_j), computed on the scope's pattern only."""
        units = unit_rows(nodes.embeddings @ self.weight, 1e-8)
        return self.scale * sampled_product(scope, units[rows], units)
