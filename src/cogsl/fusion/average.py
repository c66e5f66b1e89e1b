"""Average fusion: every view counts the same for every node."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from cogsl.fusion.base import Fusion


class AverageFusion(Fusion):
    """beta_i^k = 1 / m."""

    def __init__(self, n_views: int, *, epsilon: float, lam: float, dtype: torch.dtype) -> None:
        super().__init__()

    def forward(self, log_probabilities: Sequence[Tensor]) -> Tensor:
        """Return beta, N x m."""
        shape = (log_probabilities[0].shape[0], len(log_probabilities))
        return torch.full(shape, 1.0 / shape[1], dtype=log_probabilities[0].dtype)
