"""Who is told how training goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Listener(Protocol):
    """Told of each phase and of each finished iteration; a progress bar is one."""

    def on_phase(self, phase: str) -> None:
        """Training enters a phase, e.g. "views", "view step", "classifier step"."""

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        """An outer iteration (or epoch) ended; ``record`` is its entry in ``history_``."""


class SilentListener:
    """Hears everything and says nothing."""

    def on_phase(self, phase: str) -> None:
        """Ignore the phase."""

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        """Ignore the iteration."""
