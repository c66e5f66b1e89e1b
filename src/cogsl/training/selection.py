"""Which iteration is kept: rules that look at validation figures only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod


class KeepRule(ABC):
    """Told the validation figures of each iteration, says whether its state is the one to keep."""

    def keeps(self, *, accuracy: float, loss: float) -> bool:
        """Tell whether this iteration is better than the one kept so far; NaN never is."""
        return math.isfinite(loss) and self._is_better(accuracy, loss)

    @abstractmethod
    def _is_better(self, accuracy: float, loss: float) -> bool:
        """Compare finite figures with the kept ones, and take them over if they are better."""


class JointRule(KeepRule):
    """The paper's rule: accuracy at least the kept one's, and loss below the kept one's."""

    def __init__(self) -> None:
        self._accuracy, self._loss = -math.inf, math.inf

    def _is_better(self, accuracy: float, loss: float) -> bool:
        if accuracy < self._accuracy or loss >= self._loss:
            return False
        self._accuracy, self._loss = accuracy, loss
        return True


class AccuracyRule(KeepRule):
    """The highest accuracy; of equals, the lowest loss."""

    def __init__(self) -> None:
        self._best = (-math.inf, -math.inf)

    def _is_better(self, accuracy: float, loss: float) -> bool:
        if (accuracy, -loss) <= self._best:
            return False
        self._best = (accuracy, -loss)
        return True


class LossRule(KeepRule):
    """The lowest loss."""

    def __init__(self) -> None:
        self._loss = math.inf

    def _is_better(self, accuracy: float, loss: float) -> bool:
        if loss >= self._loss:
            return False
        self._loss = loss
        return True


class Patience:
    """Counts iterations without a new kept state."""

    def __init__(self, patience: int | None) -> None:
        self._patience, self._waited = patience, 0

    def is_over(self, *, kept: bool) -> bool:
        """Tell whether training has waited long enough; None waits for ever."""
        self._waited = 0 if kept else self._waited + 1
        return self._patience is not None and self._waited >= self._patience
