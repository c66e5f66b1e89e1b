"""Executors do each task once, whatever happens to the processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
