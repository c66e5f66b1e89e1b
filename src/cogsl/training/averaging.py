"""Averages over iterations."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

State = Sequence[dict[str, Tensor]]


class RunningAverage:
    """An exponential average: a_t = w a_{t-1} + (1 - w) x_t, a_0 = x_0.

    After a value that was not finite it starts anew.
    """

    def __init__(self, weight: float) -> None:
        self._weight = weight
        self._average: Tensor | None = None

    def update(self, value: Tensor) -> Tensor:
        """Take in a value and return the new average, a tensor of its own."""
        if self._average is None or not bool(self._average.isfinite().all()):
            self._average = value.clone()
        else:
            self._average = self._weight * self._average + (1.0 - self._weight) * value
        return self._average


class StateAverage:
    """The same average of every parameter of some modules, given as their state dicts.

    Each batch draws parameters its own way, towards the classes that it happens to hold; their
    average is drawn by all.
    """

    def __init__(self, weight: float) -> None:
        self._weight = weight
        self._averages: list[dict[str, RunningAverage]] = []
        self.state: tuple[dict[str, Tensor], ...] = ()

    def update(self, state: State) -> None:
        """Take in the parameters as they are now."""
        if not self._averages:
            self._averages = [{n: RunningAverage(self._weight) for n in group} for group in state]
        self.state = tuple(
            {name: averages[name].update(value) for name, value in group.items()}
            for averages, group in zip(self._averages, state, strict=True)
        )
