"""Where the runs of a grid are done: in this process, in several, or on a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Generic, Protocol, TypeVar

from cogsl.errors import CogslError, WorkerLostError, import_extra
from cogsl.machine import one_thread

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


class Nowhere:
    """Does nothing: what is missing stays missing."""

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do no task."""
        yield from ()


@dataclass(frozen=True)
class Processes:
    """Several processes on this machine.

    When one dies the tasks that were under way are done again at the end, each alone, so that one
    that kills its process takes no other with it. It is given up after ``RETRIES`` more deaths.
    """

    count: int

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks."""
        waiting, suspects = deque(tasks), list[Task]()
        while waiting:
            yield from self._round(work, waiting, suspects, self.count)
        for task in suspects:
            yield from self._alone(work, task)

    def _alone(self, work: Callable[[Task], Result], task: Task) -> Iterator[Done[Task, Result]]:
        """Do one task that may have killed its process before."""
        for _ in range(RETRIES):
            died: list[Task] = []
            yield from self._round(work, deque([task]), died, 1)
            if not died:
                return
        yield Done(task, error=WorkerLostError.after(RETRIES + 1))

    def _round(
        self,
        work: Callable[[Task], Result],
        waiting: deque[Task],
        died: list[Task],
        count: int,
    ) -> Iterator[Done[Task, Result]]:
        """Do what is waiting until it is done, or a process dies with the tasks under way."""
        running: dict[Future[Any], Task] = {}
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < count:
                        future = pool.submit(attempt, work, waiting[0])
                        running[future] = waiting.popleft()
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        result, error = future.result()
                        yield Done(running.pop(future), result, error)
            except BrokenProcessPool:
                died += running.values()
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
            # Without "local" Ray would join whatever cluster was here last, be it dead.
            ray.init(address=self.address or "local", log_to_driver=False)
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
    with one_thread():
        try:
            return work(task), None
        except CogslError as error:
            return None, error
