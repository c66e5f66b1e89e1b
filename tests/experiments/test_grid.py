"""Grids: nothing is done twice, and nothing that was finished is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cogsl.evaluation import Record
from cogsl.experiments.executors import InProcess, Processes
from cogsl.experiments.grid import run_grid
from cogsl.experiments.store import Store
from cogsl.experiments.tasks import AttackOn, Task

TASKS = [
    Task(
        dataset="wine",
        method=method,
        name=method.upper(),
        seed=seed,
        settings=settings,
        attack=AttackOn(kind="edge_addition", ratio=ratio) if ratio else None,
    )
    for method, settings in (("mlp", {"epochs": 20}), ("gcn", {"epochs": 20}))
    for ratio in (0.0, 0.5)
    for seed in (0, 1)
]


def lasting(store: Store) -> dict[str, dict[str, object]]:
    """Return the records without what differs from run to run."""
    found = {}
    for path in store.folder.glob("*.json"):
        record = json.loads(path.read_text())
        found[path.stem] = {
            key: value for key, value in record.items() if key not in ("seconds", "peak_memory")
        }
    return found


def test_what_is_there_is_not_done_again(tmp_path: Path) -> None:
    store, seen = Store(tmp_path), list[str]()
    first = run_grid(TASKS[:3], store, InProcess())
    again = run_grid(TASKS[:4], store, InProcess(), on_done=lambda task, _: seen.append(task.name))
    assert (first.n_done, again.n_done, len(seen)) == (3, 1, 1)
    assert again.records[:3] == first.records
    assert [r["name"] for r in again.records] == ["MLP"] * 4


def test_equal_tasks_are_done_once_and_keep_their_names(tmp_path: Path) -> None:
    twin = Task(dataset="wine", method="mlp", name="twin", seed=0, settings={"epochs": 20})
    outcome = run_grid([TASKS[0], twin], Store(tmp_path), InProcess())
    assert outcome.n_done == 1
    assert [record["name"] for record in outcome.records] == ["MLP", "twin"]


def test_processes_give_the_same_bits_as_one(tmp_path: Path) -> None:
    one, several = Store(tmp_path / "one"), Store(tmp_path / "several")
    run_grid(TASKS, one, InProcess())
    run_grid(TASKS, several, Processes(2))
    assert lasting(one) == lasting(several)
    assert len(lasting(one)) == len(TASKS)


def test_a_run_that_fails_is_told_of_and_the_others_are_kept(tmp_path: Path) -> None:
    impossible = AttackOn(kind="edge_deletion", ratio=0.999)
    bad = Task(dataset="wine", method="mlp", name="bad", seed=0, attack=impossible)
    outcome = run_grid([bad, TASKS[0]], Store(tmp_path), InProcess())
    ((task, error),) = outcome.failures
    assert task.name == "bad"
    assert "Lower 'ratio'" in str(error)
    assert [record["name"] for record in outcome.records] == ["MLP"]


_KILLED = """
import sys
from pathlib import Path
from cogsl.evaluation import Record
from cogsl.experiments.executors import InProcess
from cogsl.experiments.grid import run_grid
from cogsl.experiments.store import Store
from tests.experiments.test_grid import TASKS
run_grid(TASKS, Store(Path(sys.argv[1])), InProcess())
"""


def test_a_killed_grid_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, killed = Store(tmp_path / "whole"), Store(tmp_path / "killed")
    run_grid(TASKS, whole, InProcess())
    command = [sys.executable, "-c", _KILLED, str(killed.folder)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 120
    while len(lasting(killed)) < 2 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = set(lasting(killed))
    if len(before) == len(TASKS):
        pytest.fail("the grid had ended before it was killed")
    times = {key: killed.path(key).stat().st_mtime_ns for key in before}
    outcome = run_grid(TASKS, killed, InProcess())
    assert outcome.n_done == len(TASKS) - len(before)
    assert lasting(killed) == lasting(whole)
    assert times == {key: killed.path(key).stat().st_mtime_ns for key in before}


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    """Another process has finished a run meanwhile: it is read, not done, seconds and all."""
    store, stolen = Store(tmp_path), list[Record]()

    def steal(task: Task, _: object) -> None:
        if not stolen:
            stolen.extend(run_grid(TASKS[1:2], store, InProcess()).records)

    outcome = run_grid(TASKS[:2], store, InProcess(), on_done=steal)
    assert outcome.records[1:] == stolen
