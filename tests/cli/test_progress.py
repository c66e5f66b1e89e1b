"""The progress display on a terminal and elsewhere."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from cogsl.cli import progress
from cogsl.cli.progress import PlainLines, show_progress
from cogsl.evaluation import evaluate
from tests.fakes import Centroids, toy_graph


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal of 100 columns in the place of stderr."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False)
    monkeypatch.setattr(progress, "new_console", lambda **_: console)
    return screen


def play(n_runs: int, iterations: int = 4) -> None:
    with show_progress(n_runs) as observer:
        for seed in range(n_runs):
            listener = observer.on_run_start("m", seed, max_iterations=iterations + 5)
            method = Centroids(iterations=iterations)
            observer.on_run_end(evaluate(method, toy_graph(), seed=seed, listener=listener))


def test_a_terminal_shows_the_run_that_is_under_way_and_how_many_are_done(
    terminal: io.StringIO,
) -> None:
    play(n_runs=2)
    for word in ("Runs", "2/2"):
        assert word in terminal.getvalue()


def test_a_finished_run_leaves_its_line_in_the_place_of_its_bar(terminal: io.StringIO) -> None:
    play(n_runs=1, iterations=4)
    text = terminal.getvalue()
    assert re.search(r"Seed 0: Macro-F1 82\.9, .*, kept iteration 1/4, ", text)
    assert "Runs" not in text


def test_the_phase_is_shown_while_a_run_goes_on(terminal: io.StringIO) -> None:
    with show_progress(1) as observer:
        listener = observer.on_run_start("m", 0, max_iterations=3)
        listener.on_phase("view step")
        listener.on_iteration({"val_accuracy": 0.875})
    text = terminal.getvalue()
    assert "view step" in text
    assert "1/3" in text
    assert "val. accuracy 87.5 %" in text


def test_elsewhere_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(2) as observer:
        assert isinstance(observer, PlainLines)
    play(n_runs=2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.split(":")[0] for line in captured.err.splitlines()] == ["Seed 0", "Seed 1"]
