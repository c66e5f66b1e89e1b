"""Executors do each task once, whatever happens to the processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch

from cogsl.errors import InputError, MissingExtraError, WorkerLostError
from cogsl.experiments import executors
from cogsl.experiments.executors import Executor, InProcess, Processes, RayCluster
from tests.experiments import workers

EXECUTORS: dict[str, Executor] = {"in process": InProcess(), "processes": Processes(2)}


@pytest.fixture(params=list(EXECUTORS))
def executor(request: pytest.FixtureRequest) -> Executor:
    return EXECUTORS[str(request.param)]


def test_each_task_is_done_once(executor: Executor) -> None:
    done = list(executor.run(workers.square, range(5)))
    assert sorted((d.task, d.result) for d in done) == [(k, k * k) for k in range(5)]
    assert all(d.error is None for d in done)


def test_an_error_of_ours_is_a_result_and_the_others_go_on(executor: Executor) -> None:
    done = {d.task: d for d in executor.run(workers.fail_on_three, range(5))}
    assert isinstance(done[3].error, InputError)
    assert done[3].result is None
    assert [done[k].result for k in (0, 1, 2, 4)] == [0, 1, 2, 4]


def test_any_other_error_ends_the_grid(executor: Executor) -> None:
    with pytest.raises(ZeroDivisionError):
        list(executor.run(workers.crash_on_three, range(5)))


def test_tasks_run_on_one_thread_and_the_caller_s_number_comes_back(executor: Executor) -> None:
    before = torch.get_num_threads()
    assert [d.result for d in executor.run(workers.threads, range(2))] == [1, 1]
    assert torch.get_num_threads() == before


def test_a_task_whose_process_died_is_done_again_and_none_twice(tmp_path: Path) -> None:
    done = list(Processes(2).run(workers.DieOnce(tmp_path, victim=2), range(6)))
    assert sorted((d.task, d.result) for d in done) == [(k, k * k) for k in range(6)]


def test_a_task_that_kills_every_process_is_given_up_and_takes_no_other_along(
    tmp_path: Path,
) -> None:
    work = workers.DieOnce(tmp_path, victim=0, always=True)
    done = {d.task: d for d in Processes(2).run(work, range(4))}
    assert isinstance(done[0].error, WorkerLostError)
    assert "died 3 times" in str(done[0].error)
    assert [done[k].result for k in (1, 2, 3)] == [1, 4, 9]


class _PoolThatBreaks:
    """A pool in which all that is submitted ends at once, and the first 2 with its process."""

    ran: ClassVar[Counter[int]] = Counter()

    def __init__(self, *_: object) -> None:
        pass

    def submit(self, _: object, work: Callable[[int], int], task: int) -> Future[Any]:
        self.ran[task] += 1
        future: Future[Any] = Future()
        if task == 2 and self.ran[task] == 1:
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result((work(task), None))
        return future

    def shutdown(self, **_: object) -> None:
        pass


def test_what_ended_beside_a_process_that_died_is_not_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_PoolThatBreaks, "ran", Counter[int]())
    monkeypatch.setattr(executors, "ProcessPoolExecutor", _PoolThatBreaks)
    done = list(Processes(8).run(workers.square, range(8)))
    assert sorted((d.task, d.result) for d in done) == [(k, k * k) for k in range(8)]
    assert _PoolThatBreaks.ran == Counter(range(8)) + Counter([2])


_POOL = """
import sys
from pathlib import Path
from cogsl.experiments.executors import Processes
from tests.experiments.workers import TellAndSleep
if __name__ == "__main__":
    list(Processes(2).run(TellAndSleep(Path(sys.argv[1])), range(2)))
"""


def _is_there(pid: str) -> bool:
    """Tell whether a process runs; one that ended and that nobody asked after does not."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    parent = subprocess.Popen([sys.executable, "-c", _POOL, str(tmp_path)], cwd=root)
    assert _wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 120)
    pids = [path.name for path in tmp_path.iterdir()]
    assert all(map(_is_there, pids))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _wait_until(lambda: not any(map(_is_there, pids)), 10)


def test_no_tasks_are_no_work(executor: Executor) -> None:
    assert list(executor.run(workers.square, [])) == []


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"compact-gsl\[ray\]"):
        list(RayCluster().run(workers.square, [1]))


class _NoCluster:
    """Ray, as far as a grid without tasks needs it."""

    def __init__(self) -> None:
        self.addresses: list[str] = []

    def is_initialized(self) -> bool:
        return False

    def init(self, *, address: str, log_to_driver: bool) -> None:
        self.addresses.append(address)

    def remote(self, **options: object) -> Callable[[object], object]:
        return lambda function: function


@pytest.mark.parametrize(("asked", "used"), [(None, "local"), ("10.0.0.1:6379", "10.0.0.1:6379")])
def test_without_an_address_ray_starts_here_and_joins_no_cluster_that_was_left(
    asked: str | None, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = _NoCluster()
    monkeypatch.setattr(executors, "import_extra", lambda *_, **__: ray)
    assert list(RayCluster(asked).run(str, [])) == []
    assert ray.addresses == [used]


class _Lossy:
    """Ray on which a result is lost some times for each task, with a given error."""

    def __init__(self, error: Exception, losses: dict[int, int]) -> None:
        self.tries, self._error, self._losses = Counter[int](), error, losses
        self.exceptions = pytest.importorskip("ray.exceptions")

    def is_initialized(self) -> bool:
        return True

    def remote(self, **options: object) -> Callable[[object], object]:
        assert options["max_retries"] == 0  # we count
        return lambda function: SimpleNamespace(remote=lambda work, task: (work, task, object()))

    def wait(self, references: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return references[:num_returns], references[num_returns:]

    def get(self, reference: tuple[Callable[[int], int], int, object]) -> tuple[int, None]:
        work, task, _ = reference
        self.tries[task] += 1
        if self.tries[task] <= self._losses.get(task, 0):
            raise self._error
        return work(task), None


def _losses_of_ray() -> list[Any]:
    ray = pytest.importorskip("ray.exceptions")
    return [
        ray.WorkerCrashedError(),
        ray.NodeDiedError("gone"),
        ray.OutOfMemoryError("full"),
        ray.ObjectLostError("00", None, ""),
        ray.ObjectReconstructionFailedError("00", None, ""),
    ]


@pytest.mark.parametrize("number", range(5))
def test_what_ray_loses_is_done_again_and_then_given_up_alone(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = _Lossy(_losses_of_ray()[number], {1: 2, 2: 99})
    monkeypatch.setattr(executors, "import_extra", lambda *_, **__: ray)
    done = {d.task: d for d in RayCluster().run(workers.square, range(4))}
    assert {task: d.result for task, d in done.items()} == {0: 0, 1: 1, 2: None, 3: 9}
    assert "died 3 times" in str(done[2].error)
    assert ray.tries == {0: 1, 1: 3, 2: 3, 3: 1}


def test_another_error_of_ray_ends_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = pytest.importorskip("ray.exceptions").RuntimeEnvSetupError("no such package")
    monkeypatch.setattr(executors, "import_extra", lambda *_, **__: _Lossy(wrong, {1: 1}))
    with pytest.raises(type(wrong)):
        list(RayCluster().run(workers.square, range(2)))
