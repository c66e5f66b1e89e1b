"""How a grid is shown while it goes on."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from cogsl.cli import grid_progress
from cogsl.cli.grid_progress import GridProgress, format_end, format_left, format_plan
from cogsl.errors import CogslError
from cogsl.experiments.executors import Done, Processes
from cogsl.experiments.grid import Answer, Job
from cogsl.experiments.tasks import Task

JOBS = [Job(Task(dataset="wine", method="gcn", name="GCN", seed=k), f"key {k}") for k in range(4)]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than a minute left"),
        (29, "less than a minute left"),
        (61, "about 1 minute left"),
        (35 * 60, "about 35 minutes left"),
        (119 * 60, "about 119 minutes left"),
        (2.5 * 3600, "about 2.5 hours left"),
    ],
)
def test_the_time_left_is_told_in_words(seconds: float, words: str) -> None:
    assert format_left(seconds) == words


def test_a_plan_says_what_is_missing_and_how_long_that_takes() -> None:
    missing = "320 runs, of which 10 are missing: about 3 minutes of one processor."
    assert format_plan(320, 10, 170.0) == missing
    assert format_plan(320, 1, 2.0).endswith("about 1 minute of one processor.")
    assert format_plan(320, 0, 0.0) == "320 runs, and all are there."


def test_a_line_says_how_a_run_ended() -> None:
    ends = [
        Done(JOBS[0], Answer({}, 2.14)),
        Done(JOBS[1], Answer({})),
        Done(JOBS[2], error=CogslError("no")),
    ]
    assert [format_end(done) for done in ends] == [
        "GCN on wine, seed 0: 2.1 s",
        "GCN on wine, seed 1: done by another process",
        "GCN on wine, seed 2: failed",
    ]


@pytest.fixture
def _an_hour_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_progress, "expected_seconds", lambda tasks, _: [3600.0] * len(tasks))


def play() -> None:
    """Go through a grid of 12 runs, of which 8 are there."""
    with GridProgress(Processes(2), None) as progress:
        progress.on_start(12, JOBS)
        progress.on_end(Done(JOBS[0], Answer({}, 600.0)))
        progress.on_end(Done(JOBS[1], Answer({})))
        progress.on_end(Done(JOBS[2], error=CogslError("no")))
        progress.on_end(Done(JOBS[3], Answer({}, 1200.0)))


@pytest.mark.usefixtures("_an_hour_each")
def test_each_plain_line_has_the_count_and_the_time_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    play()
    assert [line.rpartition("; ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "12 runs, of which 4 are missing: about 240 minutes of one processor.",
        "9 of 12, about 15 minutes left",  # three runs of 10 minutes, two side by side
        "10 of 12, about 10 minutes left",
        "11 of 12, about 10 minutes left",
        "12 of 12",
    ]


@pytest.mark.usefixtures("_an_hour_each")
def test_the_bar_begins_with_what_is_there_and_ends_full(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False)
    monkeypatch.setattr(grid_progress, "new_console", lambda **_: console)
    with GridProgress(Processes(2), None) as progress:
        progress.on_start(12, JOBS)
        progress._bar.refresh()
    assert "8/12" in screen.getvalue()
    assert "about 2.0 hours left" in screen.getvalue()
    play()
    assert "12/12" in screen.getvalue()
    assert "seed" not in screen.getvalue()
