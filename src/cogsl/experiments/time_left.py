"""How long the rest of a grid takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class TimeLeft:
    """Tells the time that is left from estimates, and from how wrong they were so far.

    Parameters
    ----------
    expected : estimated seconds of each run that is still to be done, by its key.
    """

    expected: dict[str, float]
    _estimated: float = 0.0
    _measured: float = 0.0

    def on_end(self, key: str, seconds: float | None) -> None:
        """Count a run that took so long; None if it was not done here, or failed."""
        estimate = self.expected.pop(key)
        if seconds is not None:
            self._estimated += estimate
            self._measured += seconds

    def seconds(self, n_workers: int) -> float:
        """Return the seconds that are left, with so many runs side by side while there are any."""
        scale = self._measured / self._estimated if self._estimated > 0 else 1.0
        side_by_side = max(1, min(n_workers, len(self.expected)))
        return scale * sum(self.expected.values()) / side_by_side
