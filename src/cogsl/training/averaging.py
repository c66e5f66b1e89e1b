"""Averages over iterations."""

from __future__ import annotations

from torch import Tensor


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
