"""What an iteration of CoGSL comes to: its prediction, and whether it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from cogsl.training import JointRule, KeepRule, LossRule, RunningAverage

SMOOTHING = 0.9
"""Weight of the past, after one iteration, in smoothed predictions and averaged parameters."""

State = tuple[dict[str, Tensor], ...]


class Outcome(Protocol):
    """What counts as an iteration's prediction, and the rule by which one is kept.

    ``views`` are the numbers of the views whose predictions count; the final one is -1.
    """

    views: tuple[int, ...]
    rule: KeepRule

    def combine(self, outputs: Sequence[Tensor]) -> Tensor:
        """Bring log-predictions on these views together, n x C: the nodes of a part, or all."""

    def settle(self, combined: Tensor) -> Tensor:
        """Return the iteration's log-predictions of all nodes, N x C."""


class FinalView:
    """The paper's: predictions on the final view, kept by accuracy and loss together."""

    def __init__(self, n_views: int) -> None:
        self.views: tuple[int, ...] = (-1,)
        self.rule: KeepRule = JointRule()

    def combine(self, outputs: Sequence[Tensor]) -> Tensor:
        """Return the log-predictions on the final view."""
        return outputs[-1]

    def settle(self, combined: Tensor) -> Tensor:
        """Return them as they are."""
        return combined


class SmoothedViews:
    """Ours: predictions averaged over all views and smoothed over iterations, kept by loss.

    With few validation nodes the figures of single iterations are noise; an average is steadier,
    and its loss tells more than its accuracy.
    """

    def __init__(self, n_views: int) -> None:
        self.views: tuple[int, ...] = (*range(n_views), -1)
        self.rule: KeepRule = LossRule()
        self._average = RunningAverage(SMOOTHING)

    def combine(self, outputs: Sequence[Tensor]) -> Tensor:
        """Return the mean of the views' predictions."""
        return torch.stack([output.exp() for output in outputs]).mean(dim=0)

    def settle(self, combined: Tensor) -> Tensor:
        """Return the logarithm of the average over iterations."""
        return self._average.update(combined).log()


OUTCOMES: dict[str, type[FinalView] | type[SmoothedViews]] = {
    "joint": FinalView,
    "smoothed": SmoothedViews,
}


class Tally:
    """The figures and predictions of one iteration, gathered part by part."""

    def __init__(self, n_nodes: int) -> None:
        self._n_nodes = n_nodes
        self._figures: dict[str, list[float]] = {}
        self._output: Tensor | None = None

    def add_figures(self, figures: dict[str, float]) -> None:
        """Take in a part's figures."""
        for name, value in figures.items():
            self._figures.setdefault(name, []).append(value)

    def add_output(self, index: Tensor | None, output: Tensor) -> None:
        """Take in the predictions of a part's nodes, n x C; without an index they are all."""
        if index is None:
            self._output = output
            return
        if self._output is None:
            self._output = output.new_empty(self._n_nodes, output.shape[1])
        self._output.index_copy_(0, index, output)

    @property
    def figures(self) -> dict[str, float]:
        """The mean of each figure over the parts that had it."""
        return {name: sum(values) / len(values) for name, values in self._figures.items()}

    @property
    def output(self) -> Tensor:
        """The predictions of all nodes, N x C."""
        assert self._output is not None
        return self._output


@dataclass(frozen=True, eq=False)
class Kept:
    """The iteration that is kept: its number, the parameters after it, its log-predictions."""

    iteration: int
    state: State
    output: Tensor
