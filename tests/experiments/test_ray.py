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
import json, sys, threading, time
import ray
from pathlib import Path
from ray.cluster_utils import Cluster
from cogsl.experiments.executors import RayCluster
from cogsl.experiments.grid import run_grid
from cogsl.experiments.store import Store
from tests.experiments.test_grid import TASKS, Seen
from tests.experiments.workers import OnNodes

store, said = Store(Path(sys.argv[1])), Path(sys.argv[2])
small = {"object_store_memory": 80 * 2**20, "num_cpus": 1, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=small)
second = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
log = said.with_suffix(".log")
log.touch()

class OnTwo(RayCluster):
    def run(self, work, tasks):
        return super().run(OnNodes(work, log, asleep=second.node_id), tasks)

def kill_it_at_work():
    while second.node_id not in log.read_text():
        time.sleep(0.02)
    cluster.remove_node(second, allow_graceful=False)

threading.Thread(target=kill_it_at_work, daemon=True).start()
seen = Seen()
outcome = run_grid(TASKS, store, OnTwo(cluster.address), observer=seen)
starts = [line.split() for line in log.read_text().splitlines()]
lost = [key for key, node in starts if node == second.node_id]
counts = {
    "done": outcome.n_done,
    "failed": len(outcome.failures),
    "seen": len({done.task.key for done in seen.ended}),
    "lost": len(lost),
    "done again": sum(key in lost and node != second.node_id for key, node in starts),
    "starts": len(starts),
}
said.write_text(json.dumps(counts))  # Ray prints what it likes
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
    expected |= {"lost": 1, "done again": 1, "starts": len(TASKS) + 1}
    assert json.loads(counts.read_text()) == expected
    assert lasting(there) == lasting(here)  # bit for bit
