"""The limits that we claim to keep, and the verdict on a run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_CLAIMS = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))

REFERENCE: str = _CLAIMS["dataset"]
SMALL: tuple[str, ...] = tuple(_CLAIMS["small"])

_UNITS = {
    "seconds": "{:.1f} s",
    "times_example": "{:.2f} times PyTorch Geometric's example",
    "gibibytes": "{:.2f} GiB at the peak",
}


@dataclass(frozen=True)
class Claim:
    """Limits of a run by name (none for most data sets), and the settings they hold for."""

    limits: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """A limit, the figure beside it, and whether it is kept; None where it cannot be judged."""

    name: str
    limit: float
    figure: float | None
    kept: bool | None
    reason: str = ""

    def __str__(self) -> str:
        unit = _UNITS[self.name]
        measured = "not measured" if self.figure is None else unit.format(self.figure)
        word = {True: "pass", False: "FAIL", None: "not judged"}[self.kept]
        reason = f"; {self.reason}" if self.reason else ""
        return f"{word}: {measured} (limit {unit.format(self.limit)}){reason}"


def claim_for(dataset: str) -> Claim:
    """Return what is claimed for a data set."""
    entry = dict(_CLAIMS["limits"].get(dataset, {}))
    settings = entry.pop("settings", {})
    return Claim(entry, settings)


def judge(claim: Claim, figures: Mapping[str, float | None], doubts: list[str]) -> list[Verdict]:
    """Hold figures against a claim; ``doubts`` say why this run is not the one it speaks of."""
    verdicts = []
    for name, limit in claim.limits.items():
        figure = figures.get(name)
        if figure is None or doubts:
            verdicts.append(Verdict(name, limit, figure, None, ", ".join(doubts)))
        else:
            verdicts.append(Verdict(name, limit, figure, figure <= limit))
    return verdicts
