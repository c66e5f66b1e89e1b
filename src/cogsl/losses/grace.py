"""The contrastive objective of GRACE in one fused function."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.errors import SettingValueError
from cogsl.losses.infonce import LEAST_TAU, Workspace

_BLOCK_BYTES = 1 << 26  # a block of similarities; larger problems are worked off in several
_SAFE_EXPONENT = 80.0  # exp(x) and exp(-x) are sound in float32; in float64 up to 700


def grace_loss(
    left: Tensor,
    right: Tensor,
    tau: float,
    *,
    block_bytes: int = _BLOCK_BYTES,
    workspace: Workspace | None = None,
) -> Tensor:
    """Return InfoNCE whose negatives are the other nodes of both views, both directions.

    Eq. (1) and (2) of Zhu et al. (2021), with the sign of a loss:
    L = - 1/(2B) sum_i [ log e(u_i, v_i) / (sum_k e(u_i, v_k) + sum_{k != i} e(u_i, u_k))
                       + log e(v_i, u_i) / (sum_k e(v_i, u_k) + sum_{k != i} e(v_i, v_k)) ],
    e(a, b) = exp(a . b / tau).

    Similarities are cosines, so exp(s/tau) neither overflows nor vanishes for the temperatures in
    use (smaller ones are worked out in float64). The gradient is formed in the forward pass, in
    blocks of rows: memory is O(B d + block), never B x B for large B.

    Parameters
    ----------
    left, right : unit rows u_i and v_i, B x d (row i of both is the same node).
    tau : temperature, at least 0.003.
    workspace : memory to use again, where many calls follow one another.
    """
    if tau < LEAST_TAU:
        raise SettingValueError(f"The temperature must be at least {LEAST_TAU}. Got {tau} instead.")
    space = workspace or Workspace()
    if left.dtype == torch.float32 and 1.0 / tau > _SAFE_EXPONENT:
        wide = left.double(), right.double()
        return grace_loss(*wide, tau, block_bytes=block_bytes, workspace=space).float()
    result: Tensor = _Grace.apply(left, right, tau, block_bytes, space)  # type: ignore[no-untyped-call]
    return result


class _Grace(Function):
    """The loss, with its gradient formed on the way."""

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, tau: float, block_bytes: int, space: Workspace
    ) -> Tensor:
        n = left.shape[0]
        rows = max(1, block_bytes // (n * left.element_size()))
        blocks = [slice(start, min(start + rows, n)) for start in range(0, n, rows)]
        similar = _Similarities(left, right, tau, space, keep=len(blocks) == 1)
        left_sum, right_sum = similar.sums(blocks)
        log_sums = torch.log(left_sum).mean() + torch.log(right_sum).mean()
        loss = 0.5 * log_sums - (left * right).sum(dim=1).mean() / tau
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            ctx.save_for_backward(*similar.gradients(blocks, left_sum, right_sum))
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        grad_left, grad_right = ctx.saved_tensors
        return grad * grad_left, grad * grad_right, None, None, None


class _Similarities:
    """Blocks of E = exp(A B^T / tau) for "UV", "UU" and "VV", the last two with an empty diagonal.

    They are made when asked for; where one block is all, it is made once.
    """

    def __init__(
        self, left: Tensor, right: Tensor, tau: float, space: Workspace, *, keep: bool
    ) -> None:
        self.views = {"U": left, "V": right}
        self.tau, self.space, self.keep = tau, space, keep
        self._kept: dict[str, Tensor] = {}

    def block(self, pair: str, rows: slice) -> Tensor:
        """Return some rows of E, rows x B; the next block may overwrite it."""
        if pair in self._kept:
            return self._kept[pair]
        a, b = (self.views[view] for view in pair)
        scaled = a[rows] * (1.0 / self.tau)
        block = self.space.take(pair if self.keep else "E", len(scaled), len(b), scaled.dtype)
        torch.mm(scaled, b.t(), out=block).exp_()
        if pair != "UV":
            block.diagonal(offset=rows.start).zero_()
        if self.keep:
            self._kept[pair] = block
        return block

    def sums(self, blocks: list[slice]) -> tuple[Tensor, Tensor]:
        """Return the denominators of both directions."""
        left_sum, right_sum = (torch.zeros_like(view[:, 0]) for view in self.views.values())
        for rows in blocks:
            between = self.block("UV", rows)
            left_sum[rows] += between.sum(dim=1)
            right_sum += between.sum(dim=0)
            left_sum[rows] += self.block("UU", rows).sum(dim=1)
            right_sum[rows] += self.block("VV", rows).sum(dim=1)
        return left_sum, right_sum

    def gradients(
        self, blocks: list[slice], left_sum: Tensor, right_sum: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return dL/dU and dL/dV.

        With p = 1 / (2 B left_sum), q = 1 / (2 B right_sum) and the blocks E of this class:
        dL/dU = [(E_uv * (p_i + q_k)) V - V / B + (E_uu * (p_i + p_k)) U] / tau, and V likewise.
        """
        left, right = self.views["U"], self.views["V"]
        scale = 1.0 / (len(left) * self.tau)
        p, q = (0.5 * scale) / left_sum, (0.5 * scale) / right_sum
        grad_left, grad_right = right * -scale, left * -scale
        for rows in blocks:
            pull = self._weighted("UV", rows, p, q)
            grad_left[rows].addmm_(pull, right)
            grad_right.addmm_(pull.t(), left[rows])
            grad_left[rows].addmm_(self._weighted("UU", rows, p, p), left)
            grad_right[rows].addmm_(self._weighted("VV", rows, q, q), right)
        return grad_left, grad_right

    def _weighted(self, pair: str, rows: slice, a: Tensor, b: Tensor) -> Tensor:
        """Return E_ik (a_i + b_k) for some rows i, in the memory of the block."""
        block = self.block(pair, rows)
        shares = self.space.take("shares", len(block), len(b), block.dtype)
        torch.add(a[rows, None], b[None, :], out=shares)
        return block.mul_(shares)
