"""Published splits: what is drawn, and which runs there are."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.published_splits import (
    PUBLISHED,
    Job,
    Splits,
    first_job,
    more_jobs,
    published_split,
)
from cogsl import Graph, datasets


def test_a_split_is_stratified_and_has_every_node_once() -> None:
    labels = np.repeat([0, 1], [40, 20])
    graph = Graph.from_features(np.random.default_rng(0).random((60, 3)), labels=labels)
    drawn = published_split(graph, Splits((7,), 6, 12), seed=7)
    parts = (drawn.train, drawn.val, drawn.test)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(60))
    assert [np.bincount(labels[part]).tolist() for part in parts] == [[4, 2], [8, 4], [28, 14]]
    again = published_split(graph, Splits((7,), 6, 12), seed=7)
    assert np.array_equal(drawn.train, again.train)
    other = published_split(graph, Splits((7,), 6, 12), seed=8)
    assert not np.array_equal(drawn.train, other.train)


@pytest.mark.parametrize("name", PUBLISHED)
def test_splits_are_as_large_as_the_papers(name: str) -> None:
    stated, splits = datasets.DATASETS[name].statistics, PUBLISHED[name]
    assert (splits.train, splits.val) == (stated.train, stated.val)


def test_baselines_have_searched_settings_and_cogsl_its_defaults() -> None:
    few = min(PUBLISHED, key=lambda name: len(PUBLISHED[name].seeds))
    assert first_job(few, "gcn").preset == "paper"
    assert first_job(few, "cogsl").preset == "default"
    assert first_job(few, "label_spreading").preset == "default"


def test_further_runs_go_round_the_splits() -> None:
    most = max(PUBLISHED, key=lambda name: len(PUBLISHED[name].seeds))
    seeds = PUBLISHED[most].seeds
    first = Job(most, "gcn", "paper", seed=0, split_seed=seeds[0])
    runs = [first, *more_jobs(first, {"seconds": 1.0})]
    assert [run.seed for run in runs] == list(range(10))
    assert [run.split_seed for run in runs] == [*seeds, *seeds]
    assert len(more_jobs(first, {"seconds": 100.0})) == 2
    assert more_jobs(first, {"seconds": 1000.0}) == []
