"""Many runs: what is missing is done, what is there is read."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from cogsl.errors import CogslError
from cogsl.evaluation.protocol import Record
from cogsl.experiments.executors import Done, Executor
from cogsl.experiments.store import Store
from cogsl.experiments.tasks import NOTHING, PLACE, Task, key_of, run_task
from cogsl.experiments.workers import this_worker


@dataclass(frozen=True)
class Job:
    """A task and its key."""

    task: Task
    key: str


@dataclass(frozen=True)
class Answer:
    """A job's record, and the seconds that it took here; None if it was only read."""

    record: Record
    seconds: float | None = None


class Observer(Protocol):
    """Is told how a grid goes on."""

    def on_start(self, n_runs: int, missing: Sequence[Job]) -> None:
        """So many different runs the grid has, and these have no record yet."""

    def on_end(self, done: Done[Job, Answer]) -> None:
        """A run has ended, has failed, or its record has come from another process."""


class SilentObserver:
    """Shows nothing."""

    def on_start(self, n_runs: int, missing: Sequence[Job]) -> None:
        """Show nothing."""

    def on_end(self, done: Done[Job, Answer]) -> None:
        """Show nothing."""


SILENT = SilentObserver()


@dataclass
class GridOutcome:
    """The records of a grid in the order of its tasks, and the tasks that failed.

    ``stored`` are the same as they stand in the store, by their keys; ``n_done`` were done now and
    here, the others were there, or have come from another process.
    """

    records: list[Record] = field(default_factory=list)
    stored: dict[str, Record] = field(default_factory=dict)
    failures: list[tuple[Task, CogslError]] = field(default_factory=list)
    n_done: int = 0


@dataclass(frozen=True)
class Work:
    """Does a job, unless another process has put its record into the store meanwhile."""

    folder: Path
    data_root: Path | None

    def __call__(self, job: Job) -> Answer:
        """Return the job's record."""
        there = Store(self.folder).get(job.key) if self.folder.is_dir() else None
        if there is not None:
            return Answer(there)
        start = time.perf_counter()
        record = run_task(job.task, self.data_root)
        return Answer(record, time.perf_counter() - start)


def run_grid(
    tasks: Sequence[Task],
    store: Store,
    executor: Executor,
    *,
    data_root: Path | None = None,
    recorded: Mapping[str, str] = NOTHING,
    observer: Observer = SILENT,
) -> GridOutcome:
    """Do the tasks that have no record yet, and return the records of all.

    Each record is written as soon as it is there. Equal tasks are done once.

    Parameters
    ----------
    tasks : in the order in which their records come back.
    store : of the records.
    executor : where they are done.
    recorded : hashes of data sets that are not at hand, whose records are only read.
    observer : is told how it goes on.
    """
    jobs = [Job(task, key_of(task, data_root, recorded)) for task in tasks]
    by_key = {job.key: job for job in jobs}
    missing = [by_key[key] for key in store.missing(by_key)]
    observer.on_start(len(by_key), missing)
    n_done, failed = 0, dict[str, CogslError]()
    for done in executor.run(Work(store.folder, data_root), in_own_order(missing)):
        if done.result is not None and done.result.seconds is not None:
            n_done += 1
        if done.result is not None and done.task.key not in store:
            store.put(done.task.key, done.result.record)
        if done.error is not None:
            failed[done.task.key] = done.error
        observer.on_end(done)
    return _outcome(jobs, store, failed, n_done)


def count_records(
    tasks: Sequence[Task],
    store: Store,
    *,
    data_root: Path | None = None,
    recorded: Mapping[str, str] = NOTHING,
) -> dict[str, tuple[int, int]]:
    """Return for each data set how many different runs have a record, and how many there are."""
    keys: dict[str, set[str]] = {}
    for task in tasks:
        keys.setdefault(task.dataset, set()).add(key_of(task, data_root, recorded))
    return {dataset: (sum(k in store for k in of), len(of)) for dataset, of in keys.items()}


def in_own_order(jobs: Sequence[Job]) -> list[Job]:
    """Return jobs in an order that is this process's own.

    So processes that share a store, and look into it before each run, seldom do the same one. The
    same order from another start would not be enough: a process that catches up with another one
    would do all that is left together with it.
    """
    return random.Random(str(this_worker())).sample(jobs, len(jobs))


def _outcome(
    jobs: Sequence[Job], store: Store, failed: Mapping[str, CogslError], n_done: int
) -> GridOutcome:
    """Return what there is of all jobs, in their order."""
    outcome = GridOutcome(n_done=n_done)
    for job in jobs:
        record = store.get(job.key)
        if record is not None:
            outcome.stored[job.key] = record
            outcome.records.append(record | {part: getattr(job.task, part) for part in PLACE})
        elif job.key in failed:
            outcome.failures.append((job.task, failed[job.key]))
    return outcome
