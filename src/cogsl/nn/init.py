"""Drawing weights and dropout masks from a generator that the caller names."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def glorot(*shape: int, generator: torch.Generator, dtype: torch.dtype) -> nn.Parameter:
    """Return a weight with Glorot's uniform initialisation, U(-a, a), a = sqrt(6 / (in + out))."""
    weight = torch.empty(*shape, dtype=dtype)
    nn.init.xavier_uniform_(weight, generator=generator)
    return nn.Parameter(weight)


def zeros(n: int, *, dtype: torch.dtype) -> nn.Parameter:
    """Return a bias as it is before training."""
    return nn.Parameter(torch.zeros(n, dtype=dtype))


def dropout(x: Tensor, rate: float, *, generator: torch.Generator | None) -> Tensor:
    """Zero each number with probability ``rate`` and scale the rest; no generator, no dropout.

    One random word serves four numbers, so the rate is met to 1/65536.
    """
    if generator is None or rate == 0.0:
        return x
    words = torch.empty((x.numel() + 3) // 4, dtype=torch.int64)
    words.random_(-(2**63), None, generator=generator)
    bits = words.view(torch.int16)[: x.numel()].view(x.shape)
    keep = bits < min(round((1.0 - rate) * 2**16) - 2**15, 2**15 - 1)
    return x * keep.to(x.dtype).mul_(1.0 / (1.0 - rate))
