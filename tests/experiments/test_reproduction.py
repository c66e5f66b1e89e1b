"""How many runs a table or figure takes, and how long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cogsl import cost
from cogsl.experiments import reproduction
from cogsl.experiments.reproduction import estimated, runs_by_time, total_seconds, usual_runs
from cogsl.experiments.tasks import AttackOn, Task
from cogsl.machine import one_thread
from tests.attacks.graphs import random_graph

TASK = Task(dataset="citeseer", method="gcn", name="GCN", seed=0)
NOISE = AttackOn(kind="feature_noise", ratio=0.1)


@pytest.fixture(autouse=True)
def _sparse_features(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    graph = random_graph(n=200, sparse=True)
    monkeypatch.setattr(reproduction, "load", lambda *_: graph)
    reproduction._size.cache_clear()
    yield
    reproduction._size.cache_clear()


@pytest.mark.parametrize(("seconds", "runs"), [(1, 10), (59, 10), (60, 3), (599, 3), (600, 1)])
def test_longer_runs_are_fewer(seconds: float, runs: int) -> None:
    assert runs_by_time(seconds) == runs


def test_the_estimate_is_of_the_graph_that_the_method_is_given() -> None:
    """Noise makes sparse features dense, and more edges take longer."""
    clean = estimated(TASK)
    noisy = estimated(replace(TASK, attack=NOISE))
    assert noisy.peak_bytes > clean.peak_bytes
    more = estimated(replace(TASK, attack=AttackOn(kind="edge_addition", ratio=3.0)))
    assert more.seconds > clean.seconds


def test_an_attack_on_views_leaves_the_graph_as_it_is() -> None:
    task = replace(TASK, method="cogsl")
    views = AttackOn(kind="edge_addition", ratio=3.0, target=(0,))
    assert estimated(replace(task, attack=views)) == estimated(task)


def test_five_judges_of_views_take_their_time_after_the_run() -> None:
    """Each is a GCN on some view, and no view has fewer entries than the graph."""
    run = replace(TASK, method="cogsl")
    judged = replace(run, measure="views")
    gcn = estimated(TASK).seconds
    assert estimated(judged).seconds > estimated(run).seconds + 5 * gcn
    assert estimated(judged).iteration == estimated(run).iteration
    assert estimated(replace(run, measure="information")) == estimated(run)
    with one_thread():
        apart = estimated(run).seconds + estimated(judged).seconds
    assert total_seconds([run, judged]) == pytest.approx(apart)


def test_the_total_tells_attacks_apart() -> None:
    noisy = replace(TASK, attack=AttackOn(kind="edge_addition", ratio=3.0))
    with one_thread():
        apart = estimated(TASK).seconds + estimated(noisy).seconds
    assert total_seconds([TASK, noisy]) == pytest.approx(apart)


def test_a_busy_machine_gives_as_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = usual_runs(TASK)
    monkeypatch.setattr(cost, "_fastest", lambda _: 1e3)
    cost._fastest_with.cache_clear()
    try:
        assert estimated(TASK).seconds > 600
        assert usual_runs(TASK) == runs == 10
    finally:
        cost._fastest_with.cache_clear()
