"""Adaptive fusion: the more confident view counts more, node by node."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from cogsl.fusion.base import Fusion

_FLOOR = 1e-8  # keeps the logarithm finite where two classes tie


def importance(log_probabilities: Tensor, *, epsilon: float, lam: float) -> Tensor:
    """Return how sure a view is of each node, N.

    Implements Eq. (7): pi_i = exp(epsilon (lambda log o_m + (1 - lambda) log(o_m - o_sm))).

    o_m and o_sm are the largest and second largest probability of node i.
    """
    largest, second = torch.topk(log_probabilities, 2, dim=1).values.exp().unbind(dim=1)
    confident = torch.log(largest.clamp(min=_FLOOR))
    margin = torch.log((largest - second).clamp(min=_FLOOR))
    return torch.exp(epsilon * (lam * confident + (1.0 - lam) * margin))


class AdaptiveFusion(Fusion):
    """Weights views by the confidence of their predictions; no parameters.

    Implements Eq. (8): beta_i^k = pi_i^k / sum_l pi_i^l.
    """

    def __init__(self, n_views: int, *, epsilon: float, lam: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.epsilon, self.lam = epsilon, lam

    def forward(self, log_probabilities: Sequence[Tensor]) -> Tensor:
        """Return beta, N x m."""
        pi = torch.stack(
            [importance(o, epsilon=self.epsilon, lam=self.lam) for o in log_probabilities], dim=1
        )
        pi = pi.clamp(min=torch.finfo(pi.dtype).tiny)  # a large epsilon takes all of them to zero
        return pi / pi.sum(dim=1, keepdim=True)
