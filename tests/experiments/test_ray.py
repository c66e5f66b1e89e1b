"""A grid on a Ray cluster of two nodes on this machine, one of which is killed in the middle.

The cluster is made in a process of its own, as Ray's threads and warnings would stay in this one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cogsl.experiments.executors import InProcess
from cogsl.experiments.grid import run_grid
from cogsl.experiments.store import Store
from tests.experiments.test_grid import TASKS, lasting

pytest.importorskip("ray")

_ON_TWO_NODES = """
import json, sys
import ray
from pathlib import Path
from ray.cluster_utils import Cluster
from cogsl.experiments.executors import RayCluster
from cogsl.experiments.grid import run_grid
from cogsl.experiments.store import Store
from tests.experiments.test_grid import TASKS

small = {"object_store_memory": 80 * 2**20, "num_cpus": 1, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=small)
second = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
seen = []

def kill_one(task, result):
    seen.append((task.method, task.seed, task.attack is None))
    if len(seen) == 2:
        cluster.remove_node(second, allow_graceful=False)

outcome = run_grid(TASKS, Store(Path(sys.argv[1])), RayCluster(cluster.address), on_done=kill_one)
counts = {"done": outcome.n_done, "failed": len(outcome.failures), "seen": len(set(seen))}
Path(sys.argv[2]).write_text(json.dumps(counts))  # Ray prints what it likes
ray.shutdown()
cluster.shutdown()
"""


def test_a_node_that_dies_loses_nothing_and_nothing_is_counted_twice(tmp_path: Path) -> None:
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    run_grid(TASKS, here, InProcess())
    counts = tmp_path / "counts.json"
    command = [sys.executable, "-c", _ON_TWO_NODES, str(there.folder), str(counts)]
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    expected = {"done": len(TASKS), "failed": 0, "seen": len(TASKS)}
    assert json.loads(counts.read_text()) == expected
    assert lasting(there) == lasting(here)  # bit for bit
