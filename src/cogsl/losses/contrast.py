"""What contrastive losses of two views share: the loss and its gradient in one pass, in blocks."""

from __future__ import annotations

import math
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.errors import SettingValueError
from cogsl.sparse import product

BLOCK_BYTES = 1 << 26
"""A block of similarities; larger problems are worked off in several."""

_LOG2_E = math.log2(math.e)
LEAST_TAU = 0.003  # 1 / tau < 700
_SAFE_EXPONENT = 80.0  # exp(x) and exp(-x) are sound in float32; in float64 up to 700


class Workspace:
    """Memory for similarities that many calls may share: fresh memory costs as much as the work."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[str, torch.dtype], Tensor] = {}

    def take(self, name: str, n_rows: int, n_columns: int, dtype: torch.dtype) -> Tensor:
        """Return an n_rows x n_columns tensor, whose content is whatever was there before."""
        size = n_rows * n_columns
        buffer = self._buffers.get((name, dtype))
        if buffer is None or buffer.numel() < size:
            buffer = self._buffers[name, dtype] = torch.empty(size, dtype=dtype)
        return buffer[:size].view(n_rows, n_columns)


def exponentials(left: Tensor, right: Tensor, tau: float, space: Tensor) -> Tensor:
    """Return exp(A B^T / tau), perhaps in ``space``; as a power of two it takes half the time."""
    return product(left * (_LOG2_E / tau), right.t(), space=space).exp2_()


class Similarities(Protocol):
    """Exponentials of the similarities of two views, made block of rows by block of rows."""

    def __init__(
        self, left: Tensor, right: Tensor, tau: float, space: Workspace, *, keep: bool
    ) -> None:
        """Take the views; ``keep`` says that one block is all there is."""

    def sums(self, blocks: list[slice]) -> tuple[Tensor, Tensor]:
        """Return the denominators of both directions, B each."""

    def gradients(
        self, blocks: list[slice], left_sum: Tensor, right_sum: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the loss's gradient for both views, B x d each."""


def contrast(
    kind: type[Similarities],
    left: Tensor,
    right: Tensor,
    tau: float,
    *,
    block_bytes: int = BLOCK_BYTES,
    workspace: Workspace | None = None,
) -> Tensor:
    """Return - 1/(2B) sum_i [log e^{s_ii/tau} / l_i + log e^{s_ii/tau} / r_i],  s_ij = a_i . b_j.

    The denominators l and r are what ``kind`` says. Similarities are cosines, so exp(s/tau) neither
    overflows nor vanishes for the temperatures in use (smaller ones are worked out in float64). The
    gradient is formed in the forward pass, in blocks of rows: memory is O(B d + block), never
    B x B for large B.

    Parameters
    ----------
    left, right : unit rows a_i and b_i, B x d (row i of both is the same node).
    tau : temperature, at least 0.003.
    workspace : memory to use again, where many calls follow one another.
    """
    if tau < LEAST_TAU:
        raise SettingValueError(f"The temperature must be at least {LEAST_TAU}. Got {tau} instead.")
    space = workspace or Workspace()
    narrow = left.dtype == torch.float32 and 1.0 / tau > _SAFE_EXPONENT
    views = (left.double(), right.double()) if narrow else (left, right)
    result: Tensor = _Contrast.apply(*views, tau, kind, block_bytes, space)  # type: ignore[no-untyped-call]
    return result.to(left.dtype)


class _Contrast(Function):
    """The loss, with its gradient formed on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        left: Tensor,
        right: Tensor,
        tau: float,
        kind: type[Similarities],
        block_bytes: int,
        space: Workspace,
    ) -> Tensor:
        n = left.shape[0]
        rows = max(1, block_bytes // (n * left.element_size()))
        blocks = [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
        similar = kind(left, right, tau, space, keep=len(blocks) == 1)
        left_sum, right_sum = similar.sums(blocks)
        log_sums = torch.log(left_sum).mean() + torch.log(right_sum).mean()
        loss = 0.5 * log_sums - (left * right).sum(dim=1).mean() / tau
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            ctx.save_for_backward(*similar.gradients(blocks, left_sum, right_sum))
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None, None]:
        grad_left, grad_right = ctx.saved_tensors
        return grad * grad_left, grad * grad_right, None, None, None, None
