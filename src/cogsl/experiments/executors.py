"""Where the runs of a grid are done: in this process, in several, or on a Ray cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

from cogsl.errors import CogslError, WorkerLostError, import_extra
from cogsl.experiments.workers import end_with_parent
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

    def n_workers(self) -> int:
        """Return how many tasks are under way at a time, as far as it is known now."""


class InProcess:
    """One task after the other, here, on one thread."""

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks in their order."""
        for task in tasks:
            result, error = attempt(work, task)
            yield Done(task, result, error)

    def n_workers(self) -> int:
        """Return 1."""
        return 1


class Nowhere:
    """Does nothing: what is missing stays missing."""

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do no task."""
        yield from ()

    def n_workers(self) -> int:
        """Return 1, as if there were one, so that nothing is divided by 0."""
        return 1


@dataclass(frozen=True)
class Processes:
    """Several processes on this machine.

    When one dies the tasks that were under way are done again at the end, each alone, so that one
    that kills its process takes no other with it. It is given up after ``RETRIES`` more deaths.
    They end with the process that started them, however that ends.
    """

    count: int

    def n_workers(self) -> int:
        """Return the number of processes."""
        return self.count

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
        pool = ProcessPoolExecutor(count, get_context("spawn"), end_with_parent)
        try:
            with suppress(BrokenProcessPool):  # where a new task finds it out
                while waiting or running:
                    while waiting and len(running) < count:
                        future = pool.submit(attempt, work, waiting[0])
                        running[future] = waiting.popleft()
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    yield from _results(ended, running)
                    if ended & running.keys():
                        break
            wait(running)  # a broken pool ends them all; some may have come through before
            yield from _results(list(running), running)
            died += running.values()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _results(
    ended: Iterable[Future[Any]], running: dict[Future[Any], Task]
) -> Iterator[Done[Task, Any]]:
    """Take out of ``running`` what ended with a result; what died with its process stays."""
    for future in ended:
        if not isinstance(future.exception(), BrokenProcessPool):
            yield Done(running.pop(future), *future.result())


@dataclass(frozen=True)
class RayCluster:
    """The nodes of a Ray cluster, one processor a task.

    A task whose worker, node or result was lost is done again, and given up after ``RETRIES`` more
    losses. We count them, as Ray tries for ever where it was memory that was wanting.

    Parameters
    ----------
    address : of the cluster, e.g. "auto" or "10.0.0.1:6379"; None starts one on this machine.
    """

    address: str | None = None

    def run(
        self, work: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[Done[Task, Result]]:
        """Do all tasks."""
        ray = _import_ray()
        if not ray.is_initialized():
            # Without "local" Ray would join whatever cluster was here last, be it dead.
            ray.init(address=self.address or "local", log_to_driver=False)
        remote = ray.remote(num_cpus=1, max_retries=0)(attempt)
        running = {remote.remote(work, task): (task, 1) for task in tasks}
        while running:
            (reference, *_), _ = ray.wait(list(running), num_returns=1)
            task, tries = running.pop(reference)
            try:
                result, error = ray.get(reference)
            except _losses(ray):
                if tries <= RETRIES:
                    running[remote.remote(work, task)] = task, tries + 1
                    continue
                result, error = None, WorkerLostError.after(tries)
            yield Done(task, result, error)

    def n_workers(self) -> int:
        """Return the number of processors in the cluster, 1 before there is one."""
        ray = _import_ray()
        return int(ray.cluster_resources().get("CPU", 1)) if ray.is_initialized() else 1


def _import_ray() -> ModuleType:
    return import_extra("ray", extra="ray", purpose="Running on a cluster")


def _losses(ray: ModuleType) -> tuple[type[Exception], ...]:
    """Return the errors of Ray that say nothing about the task itself."""
    names = (
        "WorkerCrashedError",
        "NodeDiedError",
        "LocalRayletDiedError",
        "OutOfMemoryError",
        "ObjectLostError",
    )
    return tuple(getattr(ray.exceptions, name) for name in names)


def attempt(work: Callable[[Task], Result], task: Task) -> tuple[Result | None, CogslError | None]:
    """Do a task on one thread; an error of ours is a result, any other one ends the grid.

    Threads of several processes would fight; and one gives the same bits everywhere.
    """
    with one_thread():
        try:
            return work(task), None
        except CogslError as error:
            return None, error
