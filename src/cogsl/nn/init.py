"""Drawing weights and dropout masks from a generator that the caller names."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def glorot(*shape: int, generator: torch.Generator, dtype: torch.dtype) -> nn.Parameter:
    """Return a weight with Glorot's uniform initialisation, U(-a, a), a = sqrt(6 / (in + out))."""
    weight = torch.empty(*shape, dtype=dtype)
    nn.init.xavier_uniform_(weight, generator=generator)
    return nn.Parameter(weight)


def dropout(x: Tensor, rate: float, *, generator: torch.Generator | None) -> Tensor:
    """Zero each number with probability ``rate`` and scale the rest; no generator, no dropout."""
    if generator is None or rate == 0.0:
        return x
    keep = torch.empty_like(x).bernoulli_(1.0 - rate, generator=generator)
    return x * keep.div_(1.0 - rate)
