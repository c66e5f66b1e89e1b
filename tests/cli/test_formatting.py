"""Tables and lines as the command line shows them."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from rich.console import Console, RenderableType

from cogsl.cli.formatting import (
    format_mean,
    format_results,
    format_run,
    format_seconds,
    format_settings,
    format_value,
)
from tests.fakes import Centroids


def shown(renderable: RenderableType) -> str:
    console = Console(width=140, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def record(**changes: Any) -> dict[str, Any]:
    figures = {"macro_f1": 0.9, "micro_f1": 0.8, "auc": 0.7, "accuracy": 0.6}
    origin = {"method": "m", "dataset": "d", "preset": "paper", "split_seed": 3, "seed": 4}
    return {**figures, **origin, "seconds": 2.0, "n_iter": 10, "best_iter": 0, **changes}


@pytest.mark.parametrize(
    ("mean", "deviation", "expected"),
    [(0.979, 0.0034, "97.9 ± 0.3"), (1.0, 0.0, "100.0 ± 0.0"), (0.5, math.nan, "50.0")],
)
def test_shares_are_printed_in_percent(mean: float, deviation: float, expected: str) -> None:
    assert format_mean(mean, deviation) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.04, "0.0 s"),
        (3.25, "3.2 s"),
        (59.94, "59.9 s"),
        (59.99, "1 min 0 s"),
        (250.4, "4 min 10 s"),
        (3599.7, "1 h 0 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_times_are_short(seconds: float, expected: str) -> None:
    assert format_seconds(seconds) == expected


def test_the_table_holds_mean_and_deviation_of_each_metric() -> None:
    text = shown(format_results([record(macro_f1=0.90), record(macro_f1=0.92, seconds=4.0)]))
    # The sample deviation of 90 and 92 is sqrt(2).
    assert "91.0 ± 1.4" in text
    for word in ("80.0 ± 0.0", "70.0 ± 0.0", "60.0 ± 0.0", " 2 ", "3.0 s", "6.0 s"):
        assert word in text
    for word in ("Macro-F1", "Micro-F1", "AUC", "Accuracy", "m on d, preset paper, split seed 3"):
        assert word in text


def test_a_run_has_a_line_of_its_own() -> None:
    assert format_run(record(best_iter=6)) == (
        "Seed 4: Macro-F1 90.0, Micro-F1 80.0, AUC 70.0, kept iteration 7/10, 2.0 s"
    )


def test_settings_are_listed_with_meaning_symbol_default_and_range() -> None:
    lines = shown(format_settings(Centroids, width=140)).splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines[3:]]
    assert lines[1].split() == ["Setting", "Symbol", "Default", "Range", "Meaning"]
    assert rows == [
        ["iterations", "T", "3", ">= 1", "how often the bar moves"],
        ["sharpness", "1/tau", "1", ">= 0", "factor on the distances"],
        ["noise", "0", ">= 0", "how much the seed decides"],
        ["weights", "0.5,0.5", "[0, 1]", "nothing"],
        ["batch", "none", ">= 1", "nothing either"],
        ["flavour", "plain", "plain | spicy", "a word"],
    ]


def test_settings_fit_in_a_narrow_terminal() -> None:
    lines = shown(format_settings(Centroids, width=80)).splitlines()
    row = next(number for number, line in enumerate(lines) if "sharpness" in line)
    assert lines[row].strip().split(maxsplit=2)[1:] == ["1/tau", "factor on the distances"]
    assert lines[row + 1].strip() == "default 1; >= 0"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "none"),
        (True, "true"),
        (5e-4, "0.0005"),
        (1e-10, "1e-10"),
        (200, "200"),
        ("adaptive", "adaptive"),
        ((0.5, 1.0), "0.5,1"),
        (("knn", "diffusion"), "knn,diffusion"),
    ],
)
def test_values_look_as_they_are_typed(value: object, expected: str) -> None:
    assert format_value(value) == expected
