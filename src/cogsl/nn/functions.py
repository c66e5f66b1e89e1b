"""Functions that PyTorch has too, with a gradient that takes fewer passes over the numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu

_LEAST_NORM = 1e-12


class _PReLU(Function):
    """y = max(x, 0) + a min(x, 0);  da = sum of dy min(x, 0)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, slope: Tensor) -> Tensor:
        ctx.save_for_backward(x, slope)
        return leaky_relu(x, float(slope))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, slope = ctx.saved_tensors
        grad_x = grad_slope = None
        if ctx.needs_input_grad[0]:
            grad_x = torch.ops.aten.leaky_relu_backward(grad, x, float(slope), False)
        if ctx.needs_input_grad[1]:
            grad_slope = torch.dot(grad.flatten(), x.clamp(max=0.0).flatten()).view_as(slope)
        return grad_x, grad_slope


def prelu(x: Tensor, slope: Tensor) -> Tensor:
    """Return max(x, 0) + a min(x, 0), where the slope a is one learned number."""
    result: Tensor = _PReLU.apply(x, slope)  # type: ignore[no-untyped-call]
    return result


class _UnitRows(Function):
    """u = x / n, n = max(|x|, least);  dx = (du - u (u . du)) / n, or du / n where n = least."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, least: float) -> Tensor:
        norm: Tensor = torch.linalg.vector_norm(x, dim=1, keepdim=True).clamp_(min=least)
        units = x / norm
        ctx.least = least
        ctx.save_for_backward(units, norm)
        return units

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        units, norm = ctx.saved_tensors
        along = (grad * units).sum(dim=1, keepdim=True) * (norm > ctx.least)
        return torch.addcmul(grad, units, along, value=-1.0).div_(norm), None


def unit_rows(x: Tensor, least: float = _LEAST_NORM) -> Tensor:
    """Return the rows of ``x`` scaled to length 1; one shorter than ``least`` stays shorter."""
    result: Tensor = _UnitRows.apply(x, least)  # type: ignore[no-untyped-call]
    return result
