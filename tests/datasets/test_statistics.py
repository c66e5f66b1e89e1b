"""Every data set: what its class says of it is so, and its splits are what they should be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.datasets import DATASETS, load
from cogsl.graph import Graph

MEASURED = sorted(set(DATASETS) - {"wikics"})  # that one's figures are as published
ROW_NORMALISED = sorted(
    {"citeseer", "cora", "pubmed", "ms_academic", "amazon_photo", "blogcatalog", "polblogs"}
)


@pytest.mark.parametrize("name", MEASURED)
def test_statistics_are_those_of_the_graph(
    name: str, load_if_at_hand: Callable[..., Graph]
) -> None:
    graph, said = load_if_at_hand(name), DATASETS[name].statistics
    assert graph.name == name
    assert (graph.n_nodes, graph.n_edges) == (said.nodes, said.edges)
    assert (graph.n_features, graph.n_classes) == (said.features, said.classes)
    assert graph.homophily == pytest.approx(said.homophily, abs=5e-4)
    sizes = (len(graph.train), len(graph.val), len(graph.test))
    assert sizes == (said.train, said.val, said.test)
    graph.check_trainable()


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_the_docstring_has_the_statistics(name: str) -> None:
    dataset = DATASETS[name]
    said = dataset.statistics
    for phrase in (
        f"- {said.nodes:,} nodes",
        f"- {said.edges:,} edges",
        f"- {said.features:,} features",
        f"- {said.classes} classes, homophily {said.homophily:g}",
        f"{said.train}/{said.val}/{said.test:,}",
    ):
        assert phrase in (type(dataset).__doc__ or "")


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_a_data_set_is_listed_under_its_name(name: str) -> None:
    assert DATASETS[name].name == name


@pytest.mark.parametrize("name", MEASURED)
def test_a_split_by_seed_has_the_default_sizes_and_depends_on_its_seed(
    name: str, load_if_at_hand: Callable[..., Graph]
) -> None:
    said = DATASETS[name].statistics
    first, same, other = (
        load_if_at_hand(name, split="stratified", split_seed=seed) for seed in (1, 1, 2)
    )
    assert (len(first.train), len(first.val), len(first.test)) == (said.train, said.val, said.test)
    first.check_trainable()
    np.testing.assert_array_equal(first.test, same.test)
    assert not np.array_equal(first.train, other.train)


@pytest.mark.parametrize("name", ["citeseer", "cora", "pubmed", "polblogs"])
def test_the_official_split_depends_on_no_seed(
    name: str, load_if_at_hand: Callable[..., Graph]
) -> None:
    one, other = (load_if_at_hand(name, split="official", split_seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(one.train, other.train)
    np.testing.assert_array_equal(one.train, load(name).train)


@pytest.mark.parametrize("name", ROW_NORMALISED)
def test_features_are_sparse_and_rows_sum_to_one_or_zero(
    name: str, load_if_at_hand: Callable[..., Graph]
) -> None:
    features = load_if_at_hand(name).features
    assert isinstance(features, csr_array)
    sums = features.sum(axis=1)
    np.testing.assert_allclose(sums[sums > 0], 1.0, rtol=1e-5)
    assert np.count_nonzero(sums) > 0.99 * len(sums)
