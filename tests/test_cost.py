"""Counts in, seconds and bytes out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cogsl import cost
from cogsl.cost import (
    Cost,
    Estimate,
    GraphSize,
    dense_slowness,
    on_usual_machine,
    slowness,
)
from cogsl.graph import Graph


@pytest.mark.parametrize("sparse", [False, True])
def test_the_size_of_a_graph(sparse: bool) -> None:
    x = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0], [4.0, 0.0, 0.0]])
    graph = Graph.from_edges(
        [[0, 1, 2], [1, 2, 3]],
        features=csr_array(x) if sparse else x,
        labels=[0, 1, 0, 1],
        train=[0, 1],
        val=[2],
    )
    size = GraphSize.of(graph)
    assert (size.nodes, size.entries, size.features, size.classes, size.train) == (4, 6, 3, 2, 2)
    assert size.feature_entries == (4 if sparse else None)
    assert size.multiplied == (4 if sparse else 12)
    assert size.feature_bytes == (8 * 4 + 4 * 4 if sparse else 4 * 12)
    assert size.making_bytes > size.graph_bytes > size.feature_bytes


def test_a_run_takes_its_views_its_iterations_and_its_result() -> None:
    run = Estimate(Cost(5.0, 300.0), Cost(2.0, 100.0), 10, Cost(1.0, 200.0), "Wait.")
    assert run.seconds == 26.0
    assert run.peak_bytes == 300.0


def test_this_machine_is_neither_a_thousand_times_faster_nor_slower() -> None:
    assert 1e-3 < slowness() < 1e3
    assert 1e-3 < dense_slowness() < 1e3


def test_the_usual_machine_is_as_fast_as_it_is_whatever_this_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cost, "_fastest", lambda _: 1.0)
    cost._fastest_with.cache_clear()
    try:
        with on_usual_machine():
            assert (slowness(), dense_slowness()) == (0.34, 0.68)
        assert slowness() == pytest.approx(1 / 1.8e-3)
    finally:
        cost._fastest_with.cache_clear()


def test_speed_is_measured_for_each_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def probe(_: object) -> float:
        measured.append(torch.get_num_threads())
        return 1.0

    monkeypatch.setattr(cost, "_fastest", probe)
    cost._fastest_with.cache_clear()
    before = torch.get_num_threads()
    try:
        for threads in (1, 2, 1, 2):
            torch.set_num_threads(threads)
            slowness()
        assert measured == [1, 2]
    finally:
        torch.set_num_threads(before)
        cost._fastest_with.cache_clear()
