"""Grids: nothing is done twice, and nothing that was finished is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from cogsl.experiments import grid
from cogsl.experiments.executors import Done, InProcess, Processes
from cogsl.experiments.grid import Answer, Job, SilentObserver, count_records, run_grid
from cogsl.experiments.store import Store
from cogsl.experiments.tasks import AttackOn, Task, key_of

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


class Seen(SilentObserver):
    """Keeps what an observer is told."""

    def __init__(self) -> None:
        self.n_runs, self.missing, self.ended = 0, list[str](), list[Done[Job, Answer]]()

    def on_start(self, n_runs: int, missing: Sequence[Job]) -> None:
        self.n_runs, self.missing = n_runs, [job.key for job in missing]

    def on_end(self, done: Done[Job, Answer]) -> None:
        self.ended.append(done)


def test_what_is_there_is_not_done_again(tmp_path: Path) -> None:
    store, seen = Store(tmp_path), Seen()
    first = run_grid(TASKS[:3], store, InProcess())
    again = run_grid(TASKS[:4], store, InProcess(), observer=seen)
    assert (first.n_done, again.n_done) == (3, 1)
    assert (seen.n_runs, seen.missing) == (4, [done.task.key for done in seen.ended])
    assert len(seen.ended) == 1
    assert again.records[:3] == first.records
    assert [r["name"] for r in again.records] == ["MLP"] * 4


def test_equal_tasks_are_done_once_and_keep_their_names(tmp_path: Path) -> None:
    twin = Task(dataset="wine", method="mlp", name="twin", seed=0, settings={"epochs": 20})
    outcome = run_grid([TASKS[0], twin], Store(tmp_path), InProcess())
    assert outcome.n_done == 1
    assert [record["name"] for record in outcome.records] == ["MLP", "twin"]


def test_records_are_counted_for_each_data_set(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_grid(TASKS[:3], store, InProcess())
    elsewhere = Task(dataset="digits", method="mlp", name="MLP", seed=0)
    twin = Task(dataset="wine", method="mlp", name="twin", seed=0, settings={"epochs": 20})
    counts = count_records([*TASKS, twin, elsewhere], store, recorded={"digits": "abc"})
    assert counts == {"wine": (3, len(TASKS)), "digits": (0, 1)}


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


class _Thief(SilentObserver):
    """Another process that does one more run as soon as the first has ended."""

    def __init__(self, store: Store, tasks: Sequence[Task]) -> None:
        self._store, self._tasks, self.stolen = store, tasks, Counter[str]()

    def on_end(self, done: Done[Job, Answer]) -> None:
        if not self.stolen:
            others = [task for task in self._tasks if task is not done.task.task]
            self.stolen.update(run_grid(others, self._store, InProcess()).stored)


def test_a_record_that_came_from_elsewhere_is_read_and_not_counted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    thief = _Thief(store, TASKS[:3])
    outcome = run_grid(TASKS[:3], store, InProcess(), observer=thief)
    assert (outcome.n_done, len(thief.stolen), len(outcome.records)) == (1, 2, 3)


def test_a_record_that_is_there_is_never_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has done the same run meanwhile; all who read the store see its record."""
    store = Store(tmp_path)

    def slower(task: Task, _: Path | None) -> dict[str, object]:
        store.put(key_of(task), {"seconds": 1.0})
        return {"seconds": 2.0}

    monkeypatch.setattr(grid, "run_task", slower)
    outcome = run_grid(TASKS[:1], store, InProcess())
    assert (outcome.n_done, outcome.records[0]["seconds"]) == (1, 1.0)


MANY = [
    Task(dataset="wine", method="mlp", name="MLP", seed=seed, settings={"epochs": 5})
    for seed in range(20)
]

_TOGETHER = """
import json, sys, time
from pathlib import Path
from cogsl.experiments import grid
from cogsl.experiments.executors import InProcess
from cogsl.experiments.store import Store
from tests.experiments.test_grid import MANY

folder, name = Path(sys.argv[1]), sys.argv[2]
done, run_task = [], grid.run_task

def slow(task, root):
    done.append(task.seed)
    time.sleep(0.05)
    return run_task(task, root)

grid.run_task = slow
run_task(MANY[0])  # so that all is loaded
(folder / f"{name}.ready").touch()
for _ in range(5000):  # until the other one is
    if len(list(folder.glob("*.ready"))) == 2:
        break
    time.sleep(0.005)
outcome = grid.run_grid(MANY, Store(folder / "store"), InProcess())
records = [r | {"seconds": 0, "peak_memory": 0} for r in outcome.records]
said = {"done": done, "n_done": outcome.n_done, "records": records}
(folder / f"{name}.json").write_text(json.dumps(said))
"""


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    """In the same order they would do every run twice; a few they may start at the same time."""
    command, root = [sys.executable, "-c", _TOGETHER, str(tmp_path)], Path(__file__).parents[2]
    both = [subprocess.Popen([*command, name], cwd=root) for name in ("one", "two")]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "two"))
    times = Counter([*one["done"], *two["done"]])
    assert set(times) == {task.seed for task in MANY}
    assert max(times.values()) <= 2
    assert times.total() < 1.5 * len(MANY)
    assert one["n_done"] + two["n_done"] == times.total()
    assert one["records"] == two["records"]
    assert [record["seed"] for record in one["records"]] == [task.seed for task in MANY]
