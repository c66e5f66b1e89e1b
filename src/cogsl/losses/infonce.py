"""InfoNCE of two views in one fused function."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.errors import SettingValueError

_BLOCK_BYTES = 1 << 26  # a block of similarities; larger problems are worked off in several
_SAFE_EXPONENT = 80.0  # exp(x) and exp(-x) are sound in float32; in float64 up to 700
LEAST_TAU = 0.003  # 1 / tau < 700


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


def infonce(
    left: Tensor,
    right: Tensor,
    tau: float,
    *,
    block_bytes: int = _BLOCK_BYTES,
    workspace: Workspace | None = None,
) -> Tensor:
    """Return the InfoNCE loss of two views, both directions.

    Implements Eq. (17):
    L = - 1/(2B) sum_i [ log e^{s_ii/tau} / sum_k e^{s_ik/tau}
                       + log e^{s_ii/tau} / sum_j e^{s_ji/tau} ],  s_ij = a_i . b_j.

    Similarities are cosines, so exp(s/tau) neither overflows nor vanishes for the temperatures in
    use (smaller ones are worked out in float64), and one exponential serves both directions. The
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
    if left.dtype == torch.float32 and 1.0 / tau > _SAFE_EXPONENT:
        wide = infonce(left.double(), right.double(), tau, block_bytes=block_bytes, workspace=space)
        return wide.float()
    result: Tensor = _InfoNCE.apply(left, right, tau, block_bytes, space)  # type: ignore[no-untyped-call]
    return result


class _InfoNCE(Function):
    """The loss, with its gradient formed on the way."""

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, tau: float, block_bytes: int, space: Workspace
    ) -> Tensor:
        n = left.shape[0]
        rows = max(1, block_bytes // (n * left.element_size()))
        blocks = [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
        similar = _Similarities(left, right, tau, space, keep=len(blocks) == 1)
        row_sum, column_sum = similar.sums(blocks)
        log_sums = torch.log(row_sum).mean() + torch.log(column_sum).mean()
        loss = 0.5 * log_sums - (left * right).sum(dim=1).mean() / tau
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            ctx.save_for_backward(*similar.gradients(blocks, row_sum, column_sum))
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        grad_left, grad_right = ctx.saved_tensors
        return grad * grad_left, grad * grad_right, None, None, None


class _Similarities:
    """Blocks of E = exp(A B^T / tau), made when asked for; a single block is made once."""

    def __init__(
        self, left: Tensor, right: Tensor, tau: float, space: Workspace, *, keep: bool
    ) -> None:
        self.left, self.right, self.tau, self.space, self.keep = left, right, tau, space, keep
        self._kept: Tensor | None = None

    def block(self, rows: slice) -> Tensor:
        """Return E for some rows, rows x B; the next block may overwrite it."""
        if self._kept is not None:
            return self._kept
        scaled = self.left[rows] * (1.0 / self.tau)
        block = self.space.take("E", scaled.shape[0], len(self.right), scaled.dtype)
        torch.mm(scaled, self.right.t(), out=block).exp_()
        self._kept = block if self.keep else None
        return block

    def sums(self, blocks: list[slice]) -> tuple[Tensor, Tensor]:
        """Return the row and the column sums of E."""
        row_sums, column_sum = [], torch.zeros_like(self.left[:, 0])
        for rows in blocks:
            block = self.block(rows)
            row_sums.append(block.sum(dim=1))
            column_sum += block.sum(dim=0)
        return torch.cat(row_sums), column_sum

    def gradients(
        self, blocks: list[slice], row_sum: Tensor, column_sum: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return dL/dA and dL/dB:  dL/dS = (E / r_i + E / c_j) / (2B) - I / B, S = A B^T / tau."""
        left, right = self.left, self.right
        scale = 1.0 / (len(left) * self.tau)
        row_share, column_share = (0.5 * scale) / row_sum, (0.5 * scale) / column_sum
        grad_left, grad_right = right * -scale, left * -scale
        for rows in blocks:
            block = self.block(rows)
            shares = self.space.take("shares", len(block), len(right), block.dtype)
            torch.add(row_share[rows, None], column_share[None, :], out=shares)
            pull = block.mul_(shares)
            grad_left[rows].addmm_(pull, right)
            grad_right.addmm_(pull.t(), left[rows])
        return grad_left, grad_right
