"""How trials are shown while they go on: bars on a terminal, one plain line a trial elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from cogsl.cli.formatting import format_seconds
from cogsl.cli.printing import new_console, print_note
from cogsl.cli.progress import BarListener
from cogsl.cli.tuning_tables import format_best, format_trial
from cogsl.experiments.trials import TuningObserver
from cogsl.training.listener import Listener, SilentListener

if TYPE_CHECKING:
    from cogsl.experiments.tuning import Trial


class Display(TuningObserver, Protocol):
    """An observer that is also told of the runs before and after tuning."""

    def on_test_start(self, name: str, seed: int, max_iterations: int) -> Listener:
        """A run starts whose test figures will be read."""


@contextmanager
def show_trials(n_trials: int | None, seconds: float | None, n_done: int) -> Iterator[Display]:
    """Yield a display that suits where stderr goes; ``n_done`` trials are finished already."""
    console, clock = new_console(stderr=True), _Clock(n_trials, seconds, n_done)
    if not console.is_terminal:
        yield TrialLines(clock)
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[phase]:<11}"),
        TextColumn("{task.fields[validation]}"),
        console=console,
        refresh_per_second=5,
    ) as progress:
        yield TrialBars(progress, clock)


class _Clock:
    """Knows how many trials there will be, and how much time is left."""

    def __init__(self, n_trials: int | None, seconds: float | None, n_done: int) -> None:
        self.n_trials, self.n_done = n_trials, n_done
        self._seconds, self._start, self._n_here = seconds, time.monotonic(), 0

    def end_trial(self, place: int) -> str:
        """Count a trial, and return how much time is left, in words."""
        self._n_here, self.n_done = self._n_here + 1, max(self.n_done, place + 1)
        passed = time.monotonic() - self._start
        left = [] if self._seconds is None else [max(0.0, self._seconds - passed)]
        if self.n_trials is not None:
            left.append(passed / self._n_here * max(0, self.n_trials - self.n_done))
        return f"about {format_seconds(min(left))} left" if min(left) > 0 else ""


class TrialLines:
    """Says nothing during a trial and one line after it."""

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        """Return a listener that says nothing."""
        return SilentListener()

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        """Print the trial's line."""
        left = self._clock.end_trial(trial.place)
        line = format_trial(trial, self._clock.n_trials, best)
        print_note(f"{line}; {left}" if left else line)

    def on_test_start(self, name: str, seed: int, max_iterations: int) -> Listener:
        """Return a listener that says nothing."""
        return SilentListener()


class TrialBars:
    """A bar for the trial that is under way, and one for all trials."""

    def __init__(self, progress: Progress, clock: _Clock) -> None:
        self._progress, self._clock = progress, clock
        self._all = self._add("Trials", clock.n_trials)
        self._progress.update(self._all, completed=clock.n_done)
        self._current: TaskID | None = None

    def _add(self, title: str, total: int | None) -> TaskID:
        return self._progress.add_task(title, total=total, phase="", validation="")

    def _replace(self, title: str, total: int) -> Listener:
        """Put a new bar in the place of the one of the last trial."""
        self._remove()
        self._current = self._add(title, total)
        return BarListener(self._progress, self._current)

    def _remove(self) -> None:
        if self._current is not None:
            self._progress.remove_task(self._current)
            self._current = None

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        """Show the trial's bar and return what moves it."""
        return self._replace(f"Trial {place + 1}", max_iterations)

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        """Put the trial's line in the place of its bar."""
        self._remove()
        left = self._clock.end_trial(trial.place)
        line = format_trial(trial, self._clock.n_trials, best)
        self._progress.console.print(line, markup=False, soft_wrap=True)
        best_so_far = "; ".join(filter(None, (format_best(best), left)))
        self._progress.update(self._all, completed=self._clock.n_done, validation=best_so_far)

    def on_test_start(self, name: str, seed: int, max_iterations: int) -> Listener:
        """Show the run's bar and return what moves it."""
        return self._replace(f"{name.capitalize()}, seed {seed}", max_iterations)
