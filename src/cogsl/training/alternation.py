"""Taking turns: one group of parameters is trained while the others are held still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim import Adam, Optimizer


@contextmanager
def held_still(*modules: nn.Module) -> Iterator[None]:
    """Compute no gradient for these modules' parameters inside the scope."""
    parameters = [p for module in modules for p in module.parameters() if p.requires_grad]
    for parameter in parameters:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in parameters:
            parameter.requires_grad_(True)


def adam(parameters: Iterable[nn.Parameter], *, lr: float, weight_decay: float = 0.0) -> Adam:
    """Return the fused Adam optimiser, several times faster than the plain one on a CPU."""
    return Adam(list(parameters), lr=lr, weight_decay=weight_decay, fused=True)


def descend(loss: Tensor, optimiser: Optimizer) -> None:
    """Take one step down the loss."""
    optimiser.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    optimiser.step()
