"""Where the runs of a grid are done: in this process, in several, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Generic, Protocol, TypeVar

from cogsl.errors import CogslError, WorkerLostError, import_extra

Task = TypeVar("Task")
Result = TypeVar("Result")

RETRIES = 2
"""How often a run is done again whose worker died."""


@dataclass(frozen=True)
class Done(Generic[Task, Result]):
    """A task that ended: with a result, or with an error of ours."""

    task: Task
    result: Result | None = None
    error: CogslError | None = None


class Executor(Protocol):
    """Does tasks in whatever order, and hands out each result once, as soon as it is there."""

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks. ``work`` must be a function that can be sent to another process."""


class InProcess:
    """One task after the other, here, on one thread."""

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks in their order."""
        for task in tasks:
            result, error = attempt(work, task)
            yield Done(task, result, error)


@dataclass(frozen=True)
class Processes:
    """Several processes on this machine.

    A process that dies takes others with it (the pool is broken); what they had not finished is
    done again by a new pool, up to ``RETRIES`` times.
    """

    count: int

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks."""
        left = dict(enumerate(tasks))
        for _ in range(RETRIES + 1):
            try:
                for number, (result, error) in self._round(work, left):
                    yield Done(left.pop(number), result, error)
                return
            except BrokenProcessPool:
                continue
        for task in left.values():
            yield Done(task, error=WorkerLostError.after(RETRIES + 1))

    def _round(
        self, work: Callable[[Task], Result], left: dict[int, Task]
    ) -> Iterator[tuple[int, tuple[Result | None, CogslError | None]]]:
        """Do what is left, until it is done or a process dies."""
        with ProcessPoolExecutor(self.count, mp_context=get_context("spawn")) as pool:
            running: dict[Future[Any], int] = {
                pool.submit(attempt, work, task): number for number, task in left.items()
            }
            try:
                while running:
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        yield running.pop(future), future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class RayCluster:
    """The nodes of a Ray cluster, one processor a task. Ray does a task again whose worker died.

    Parameters
    ----------
    address : of the cluster, e.g. "auto" or "10.0.0.1:6379"; None starts one on this machine.
    """

    address: str | None = None

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks."""
        ray = import_extra("ray", extra="ray", purpose="Running on a cluster")
        if not ray.is_initialized():
            ray.init(address=self.address, log_to_driver=False)
        remote = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(attempt)
        running = {remote.remote(work, task): task for task in tasks}
        while running:
            ended, _ = ray.wait(list(running), num_returns=1)
            for reference in ended:
                task = running.pop(reference)
                try:
                    result, error = ray.get(reference)
                except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError):
                    result, error = None, WorkerLostError.after(RETRIES + 1)
                yield Done(task, result, error)


def attempt(work: Callable[[Task], Result], task: Task) -> tuple[Result | None, CogslError | None]:
    """Do a task on one thread; an error of ours is a result, any other one ends the grid.

    Threads of several processes would fight; and one gives the same bits everywhere.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return work(task), None
    except CogslError as error:
        return None, error
    finally:
        torch.set_num_threads(threads)
