"""The estimate of CoGSL: it grows as the run does, and is near what is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from cogsl.cost import GraphSize
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.gcn import GCN

SIZE = GraphSize(nodes=100_000, entries=1_000_000, features=64, classes=10, train=200)


@pytest.mark.parametrize(
    "larger",
    [
        {"scope": (1, 80)},
        {"scope": (2, 40)},
        {"views": ("adjacency", "diffusion", "knn"), "scope": (1, 40, 1)},
        {"precision": "float64"},
        {"estimator_hidden": 128},
    ],
)
def test_what_holds_more_is_expected_to_hold_more(larger: dict[str, Any]) -> None:
    usual, more = CoGSL().estimate(SIZE), CoGSL(**larger).estimate(SIZE)
    assert more.peak_bytes > 1.05 * usual.peak_bytes


@pytest.mark.parametrize(
    "longer", [{"view_steps": 5}, {"mi_steps": 20}, {"scope": (1, 80)}, {"mi_batch": 5000}]
)
def test_what_does_more_is_expected_to_take_longer(longer: dict[str, Any]) -> None:
    usual, more = CoGSL().estimate(SIZE), CoGSL(**longer).estimate(SIZE)
    assert more.iteration.seconds > 1.05 * usual.iteration.seconds
    assert CoGSL(iterations=50).estimate(SIZE).seconds < usual.seconds


def test_mini_batches_are_expected_to_need_less_memory() -> None:
    whole, batches = CoGSL().estimate(SIZE), CoGSL(clusters=50).estimate(SIZE)
    assert batches.iteration.peak_bytes < 0.5 * whole.iteration.peak_bytes
    assert "clusters" in whole.remedy
    assert "clusters_per_batch" in batches.remedy


def test_more_clusters_than_nodes_are_estimated_too() -> None:
    tiny = GraphSize(nodes=20, entries=40, features=3, classes=2, train=4)
    assert CoGSL(clusters=1000).estimate(tiny).seconds > 0


def test_the_estimate_of_gcn_grows_with_edges_and_hidden_units() -> None:
    dense = GraphSize(nodes=100_000, entries=5_000_000, features=64, classes=10, train=200)
    usual = GCN().estimate(SIZE)
    assert GCN().estimate(dense).peak_bytes > 2 * usual.peak_bytes
    assert GCN(hidden=64).estimate(SIZE).peak_bytes > 2 * usual.peak_bytes


@pytest.mark.parametrize("clusters", [1, 40])
def test_the_estimated_memory_is_within_a_quarter_of_the_measured(clusters: int) -> None:
    case = json.dumps(["subgraph", 60_000, 1, clusters])
    command = [sys.executable, "-m", "benchmarks.scaling", "--case", case]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    record = json.loads(done.stdout.splitlines()[-1])
    assert record["estimated_bytes"] == pytest.approx(record["peak_bytes"], rel=0.25)
