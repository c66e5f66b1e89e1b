"""Attention fusion: a learned weight for each view, the same for every node."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from cogsl.fusion.base import Fusion


class AttentionFusion(Fusion):
    """A channel attention layer: beta^k = softmax(a)_k with one learned score a_k a view.

    The scores are trained with the view estimators.
    """

    def __init__(self, n_views: int, *, epsilon: float, lam: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.ones(n_views, dtype=dtype))

    def forward(self, log_probabilities: Sequence[Tensor]) -> Tensor:
        """Return beta, N x m."""
        return torch.softmax(self.scores, dim=0).expand(log_probabilities[0].shape[0], -1)
