"""The contrastive objective of GRACE in one fused function."""

from __future__ import annotations

import torch
from torch import Tensor

from cogsl.losses.contrast import BLOCK_BYTES, Workspace, contrast, exponentials
from cogsl.sparse import product


def grace_loss(
    left: Tensor,
    right: Tensor,
    tau: float,
    *,
    block_bytes: int = BLOCK_BYTES,
    workspace: Workspace | None = None,
) -> Tensor:
    """Return InfoNCE whose negatives are the other nodes of both views, both directions.

    Eq. (1) and (2) of Zhu et al. (2021), with the sign of a loss:
    L = - 1/(2B) sum_i [ log e(u_i, v_i) / (sum_k e(u_i, v_k) + sum_{k != i} e(u_i, u_k))
                       + log e(v_i, u_i) / (sum_k e(v_i, u_k) + sum_{k != i} e(v_i, v_k)) ],
    e(a, b) = exp(a . b / tau).

    Parameters are those of ``contrast``: unit rows u_i and v_i, B x d, and the temperature.
    """
    kind = _BetweenAndWithin
    return contrast(kind, left, right, tau, block_bytes=block_bytes, workspace=workspace)


class _BetweenAndWithin:
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
        a, b = self.views[pair[0]][rows], self.views[pair[1]]
        space = self.space.take(pair if self.keep else "E", len(a), len(b), a.dtype)
        block = exponentials(a, b, self.tau, space)
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
            grad_left[rows] += product(pull, right)
            grad_right += product(pull.t(), left[rows])
            grad_left[rows] += product(self._weighted("UU", rows, p, p), left)
            grad_right[rows] += product(self._weighted("VV", rows, q, q), right)
        return grad_left, grad_right

    def _weighted(self, pair: str, rows: slice, a: Tensor, b: Tensor) -> Tensor:
        """Return E_ik (a_i + b_k) for some rows i, in the memory of the block."""
        block = self.block(pair, rows)
        shares = self.space.take("shares", len(block), len(b), block.dtype)
        torch.add(a[rows, None], b[None, :], out=shares)
        return block.mul_(shares)
