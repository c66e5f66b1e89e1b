"""How a grid is shown while it goes on: a bar on a terminal, one plain line a run elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cogsl.cli.formatting import format_seconds
from cogsl.cli.printing import new_console
from cogsl.experiments.executors import Done, Executor
from cogsl.experiments.grid import Answer, Job
from cogsl.experiments.reproduction import expected_seconds
from cogsl.experiments.time_left import TimeLeft

_BESIDE = 1.0  # seconds that a run takes beside its estimate, so that short ones mislead less


class GridProgress:
    """Counts all runs of a grid, those that were there too, and tells the time that is left."""

    def __init__(self, executor: Executor, root: Path | None) -> None:
        self._executor, self._root = executor, root
        self._n_runs, self._time = 0, TimeLeft({})
        self._console = new_console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._runs = self._bar.add_task("Runs", total=None, left="")

    def __enter__(self) -> GridProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def on_start(self, n_runs: int, missing: Sequence[Job]) -> None:
        """Show how many runs there are, how many are missing, and how long these take."""
        tasks = [job.task for job in missing]
        seconds = expected_seconds(tasks, self._root)
        pairs = zip(missing, seconds, strict=True)
        self._n_runs = n_runs
        self._time = TimeLeft({job.key: _BESIDE + expected for job, expected in pairs})
        self._print(format_plan(n_runs, len(missing), sum(seconds)))
        self._show()

    def on_end(self, done: Done[Job, Answer]) -> None:
        """Move the bar, or print a line."""
        seconds = None if done.result is None else done.result.seconds
        self._time.on_end(done.task.key, seconds)
        count = self._show()
        if not self._console.is_terminal:
            self._print(f"{format_end(done)}; {count}")

    def _print(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        self._console.print(line, markup=False, soft_wrap=True)

    def _show(self) -> str:
        """Bring the bar up to date, and return the same in words."""
        n_left = len(self._time.expected)
        left = format_left(self._time.seconds(self._executor.n_workers())) if n_left else ""
        n_done = self._n_runs - n_left
        self._bar.update(self._runs, total=self._n_runs, completed=n_done, left=left)
        return ", ".join(filter(None, (f"{n_done} of {self._n_runs}", left)))


def format_plan(n_runs: int, n_missing: int, seconds: float) -> str:
    """Return one line about a grid before it starts; ``seconds`` are those of the missing runs."""
    if not n_missing:
        return f"{n_runs} runs, and all are there."
    minutes = max(1, round(seconds / 60))
    time = f"about {minutes:,} minute{'s' * (minutes > 1)} of one processor"
    return f"{n_runs} runs, of which {n_missing} are missing: {time}."


def format_end(done: Done[Job, Answer]) -> str:
    """Return how a run ended, e.g. ``GCN on wine, seed 3: 2.1 s``."""
    task = done.task.task
    if done.result is None:
        ended = "failed"
    elif done.result.seconds is None:
        ended = "done by another process"
    else:
        ended = format_seconds(done.result.seconds)
    return f"{task.name} on {task.dataset}, seed {task.seed}: {ended}"


def format_left(seconds: float) -> str:
    """Return the time that is left in words, no finer than it is known."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute left"
    if minutes < 120:
        return f"about {minutes} minute{'s' * (minutes > 1)} left"
    return f"about {seconds / 3600:.1f} hours left"
