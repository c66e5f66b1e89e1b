"""How runs are shown while they go on: bars on a terminal, one plain line a run elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from cogsl.cli.formatting import format_run
from cogsl.cli.printing import new_console, print_note

if TYPE_CHECKING:
    from cogsl.evaluation import Record
    from cogsl.experiments.runner import Observer
    from cogsl.training.listener import Listener


@contextmanager
def show_progress(n_runs: int, *, several_methods: bool = False) -> Iterator[Observer]:
    """Yield an observer that suits where stderr goes, and names the method if there are several."""
    console = new_console(stderr=True)
    if not console.is_terminal:
        yield PlainLines(several_methods)
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[phase]:<11}"),
        TextColumn("{task.fields[validation]}"),
        console=console,
        refresh_per_second=5,
    ) as progress:
        yield Bars(progress, n_runs, several_methods)


class PlainLines:
    """Says nothing during a run and one line after it."""

    def __init__(self, several_methods: bool) -> None:
        self._several_methods = several_methods

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        """Return a listener that says nothing."""
        from cogsl.training.listener import SilentListener

        return SilentListener()

    def on_run_end(self, record: Record) -> None:
        """Print the run's line."""
        print_note(format_run(record, named=self._several_methods))


class Bars:
    """A bar for the run that is under way, and one for all runs if there are several."""

    def __init__(self, progress: Progress, n_runs: int, several_methods: bool) -> None:
        self._progress, self._several_methods = progress, several_methods
        self._runs = self._add("Runs", n_runs) if n_runs > 1 else None
        self._current: TaskID | None = None

    def _add(self, title: str, total: int) -> TaskID:
        return self._progress.add_task(title, total=total, phase="", validation="")

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        """Add the run's bar and return what moves it."""
        name = f"{method}, seed {seed}" if self._several_methods else f"Seed {seed}"
        self._current = self._add(name, max_iterations)
        return BarListener(self._progress, self._current)

    def on_run_end(self, record: Record) -> None:
        """Put the run's line in the place of its bar."""
        assert self._current is not None
        self._progress.remove_task(self._current)
        line = format_run(record, named=self._several_methods)
        self._progress.console.print(line, markup=False, soft_wrap=True)
        if self._runs is not None:
            self._progress.advance(self._runs)


class BarListener:
    """Shows phase, iteration and validation accuracy of one run."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def on_phase(self, phase: str) -> None:
        """Show the phase."""
        self._progress.update(self._task, phase=phase)

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        """Move the bar on and show the validation accuracy."""
        accuracy = record.get("val_accuracy")
        validation = "" if accuracy is None else f"val. accuracy {100 * accuracy:.1f} %"
        self._progress.update(self._task, advance=1, validation=validation)
