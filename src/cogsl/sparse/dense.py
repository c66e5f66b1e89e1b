"""Products of dense matrices, by the library that is fastest on this processor.

PyTorch multiplies float32 with MKL, which on other makers' processors than Intel's does without
AVX-512. oneDNN, which every x86 build of PyTorch has as well, uses it there: products of a million
multiplications and more take half to a third of the time. It is found out once, from the processor
alone, so that the same machine always takes the same way.

oneDNN keeps some memory for every shape that it has met, up to a thousand. So these products are
for operands whose shapes stay the same from step to step; elsewhere ``use_onednn(False)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from cogsl.machine import processor_maker

_WORTH_IT = 1 << 20  # multiplications; below, the call itself costs as much as is gained


def _by_onednn(left: Tensor, right: Tensor) -> Tensor:
    """Return A B, or (B^T A^T)^T where A's columns are contiguous: it would be copied otherwise."""
    if left.t().is_contiguous() and not left.is_contiguous():
        return _times_transpose(right.t(), left).t()
    return _times_transpose(left, right.t())


def _times_transpose(left: Tensor, right: Tensor) -> Tensor:
    """Return A B^T. Of a B that is cut out of a wider matrix oneDNN has no fast product."""
    if not right.is_contiguous() and not right.t().is_contiguous():
        right = right.contiguous()
    result: Tensor = torch.ops.mkldnn._linear_pointwise(left, right, None, "none", [], "")
    return result


def _onednn_works() -> bool:
    """Try a product: the operator is not part of PyTorch's documented interface."""
    try:
        product = _by_onednn(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]]))
    except (AttributeError, RuntimeError, TypeError):
        return False
    return product.tolist() == [[11.0]]


def _onednn_is_faster() -> bool:
    """Tell whether MKL holds back on this processor, and oneDNN does not."""
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return wide and processor_maker() not in ("", "GenuineIntel") and _onednn_works()


_uses_onednn = _onednn_is_faster()


@contextmanager
def use_onednn(allowed: bool) -> Iterator[None]:
    """Let products be made by oneDNN inside the scope, whatever the processor, or by none."""
    global _uses_onednn
    before, _uses_onednn = _uses_onednn, allowed and _onednn_works()
    try:
        yield
    finally:
        _uses_onednn = before


def product(left: Tensor, right: Tensor, *, space: Tensor | None = None) -> Tensor:
    """Return A B without a gradient, n x m.

    Parameters
    ----------
    left : A, n x k.
    right : B, k x m.
    space : memory that the result may be written to, where no fresh one is needed.
    """
    n_multiplications = left.shape[0] * left.shape[1] * right.shape[1]
    if _uses_onednn and n_multiplications >= _WORTH_IT and left.dtype == torch.float32:
        return _by_onednn(left.detach(), right.detach())
    return torch.mm(left, right, out=space)


class _Product(Function):
    """Y = A B;  dA = dY B^T,  dB = A^T dY, each only if it is needed."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor) -> Tensor:
        ctx.save_for_backward(left, right)
        return product(left, right)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        left, right = ctx.saved_tensors
        grad_left = matmul(grad, right.t()) if ctx.needs_input_grad[0] else None
        grad_right = matmul(left.t(), grad) if ctx.needs_input_grad[1] else None
        return grad_left, grad_right


def matmul(left: Tensor, right: Tensor) -> Tensor:
    """Return A B, n x m, differentiable in both as often as wanted."""
    result: Tensor = _Product.apply(left, right)  # type: ignore[no-untyped-call]
    return result
