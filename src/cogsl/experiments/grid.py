"""Many runs: what is missing is done, what is there is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cogsl.errors import CogslError
from cogsl.evaluation.protocol import Record
from cogsl.experiments.executors import Executor
from cogsl.experiments.store import Store
from cogsl.experiments.tasks import NOTHING, PLACE, Task, key_of, run_task


@dataclass(frozen=True)
class Job:
    """A task and its key."""

    task: Task
    key: str


@dataclass
class GridOutcome:
    """The records of a grid in the order of its tasks, and the tasks that failed.

    ``stored`` are the same as they stand in the store, by their keys; ``n_done`` were done now, the
    others were there.
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

    def __call__(self, job: Job) -> Record:
        """Return the job's record."""
        there = Store(self.folder).get(job.key) if self.folder.is_dir() else None
        return there if there is not None else run_task(job.task, self.data_root)


def run_grid(
    tasks: Sequence[Task],
    store: Store,
    executor: Executor,
    *,
    data_root: Path | None = None,
    recorded: Mapping[str, str] = NOTHING,
    on_done: Callable[[Task, Record | CogslError], None] | None = None,
) -> GridOutcome:
    """Do the tasks that have no record yet, and return the records of all.

    Each record is written as soon as it is there. Equal tasks are done once.

    Parameters
    ----------
    tasks : in the order in which their records come back.
    store : of the records.
    executor : where they are done.
    recorded : hashes of data sets that are not at hand, whose records are only read.
    on_done : is told of each run that has just ended.
    """
    jobs = [Job(task, key_of(task, data_root, recorded)) for task in tasks]
    by_key = {job.key: job for job in jobs}
    todo = [by_key[key] for key in store.missing(job.key for job in jobs)]
    outcome, failed = GridOutcome(), dict[str, CogslError]()
    for done in executor.run(Work(store.folder, data_root), todo):
        if done.result is not None:
            store.put(done.task.key, done.result)
            outcome.n_done += 1
        elif done.error is not None:
            failed[done.task.key] = done.error
        if on_done is not None:
            on_done(done.task.task, done.result or failed[done.task.key])
    for job in jobs:
        record = store.get(job.key)
        if record is not None:
            outcome.stored[job.key] = record
            outcome.records.append(record | {part: getattr(job.task, part) for part in PLACE})
        elif job.key in failed:
            outcome.failures.append((job.task, failed[job.key]))
    return outcome
