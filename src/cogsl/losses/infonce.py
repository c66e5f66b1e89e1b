"""InfoNCE of two views in one fused function."""

from __future__ import annotations

import torch
from torch import Tensor

from cogsl.losses.contrast import BLOCK_BYTES, Workspace, contrast, exponentials
from cogsl.sparse import product


def infonce(
    left: Tensor,
    right: Tensor,
    tau: float,
    *,
    block_bytes: int = BLOCK_BYTES,
    workspace: Workspace | None = None,
) -> Tensor:
    """Return the InfoNCE loss of two views, both directions.

    Implements Eq. (17):
    L = - 1/(2B) sum_i [ log e^{s_ii/tau} / sum_k e^{s_ik/tau}
                       + log e^{s_ii/tau} / sum_j e^{s_ji/tau} ],  s_ij = a_i . b_j.

    Parameters are those of ``contrast``: unit rows a_i and b_i, B x d, and the temperature.
    """
    return contrast(_Between, left, right, tau, block_bytes=block_bytes, workspace=workspace)


class _Between:
    """Blocks of E = exp(A B^T / tau), made when asked for; a single block is made once.

    The denominators are the row and the column sums of E: one exponential serves both directions.
    """

    def __init__(
        self, left: Tensor, right: Tensor, tau: float, space: Workspace, *, keep: bool
    ) -> None:
        self.left, self.right, self.tau, self.space, self.keep = left, right, tau, space, keep
        self._kept: Tensor | None = None

    def block(self, rows: slice) -> Tensor:
        """Return E for some rows, rows x B; the next block may overwrite it."""
        if self._kept is not None:
            return self._kept
        left, right = self.left[rows], self.right
        space = self.space.take("E", len(left), len(right), left.dtype)
        block = exponentials(left, right, self.tau, space)
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
            grad_left[rows] += product(pull, right)
            grad_right += product(pull.t(), left[rows])
        return grad_left, grad_right
