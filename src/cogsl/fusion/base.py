"""What every fusion offers, and the pattern that it writes to."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cogsl.sparse import Pattern, SparseMatrix, rows_to_entries, union


@dataclass(frozen=True, eq=False)
class FusionPlan:
    """The union of the estimated views' patterns, and where each view's entries land in it."""

    pattern: Pattern
    positions: tuple[Tensor, ...]

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> FusionPlan:
        """Work out the plan for views with these patterns."""
        total = union(patterns)
        return cls(total, tuple(total.positions_of(pattern) for pattern in patterns))


class Fusion(nn.Module):
    """Decides how much each view counts for each node."""

    @abstractmethod
    def forward(self, log_probabilities: Sequence[Tensor]) -> Tensor:
        """Return beta, N x m, rows sum to 1, from the views' log-predictions, each N x C."""


def fuse(plan: FusionPlan, views: Sequence[SparseMatrix], weights: Tensor) -> SparseMatrix:
    """Return the final view.

    Implements Eq. (9): V*_i = sum_k beta_i^k V_es,i^k, row by row.

    Parameters
    ----------
    views : the m estimated views, N x N.
    weights : beta, N x m.
    """
    values = torch.zeros(plan.pattern.nnz, dtype=weights.dtype)
    for k, (view, where) in enumerate(zip(views, plan.positions, strict=True)):
        share = rows_to_entries(view.pattern, weights[:, k].contiguous())
        values = values.index_add(0, where, share * view.values)
    return SparseMatrix(plan.pattern, values)
