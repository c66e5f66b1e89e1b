"""Synthetic graphs: every count and share is as set, and the truth is told."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cogsl.datasets import DATASETS, load, settings_class, synthetic
from cogsl.datasets.synthetic import Synthetic, Truth, generate
from cogsl.errors import SettingValueError, UnknownSettingError
from cogsl.graph import Graph

SMALL: dict[str, Any] = {"nodes": 2000, "classes": 4, "val_nodes": 100, "test_nodes": 200}


def small(**changes: Any) -> Synthetic:
    return Synthetic(**(SMALL | changes))


def edges_of(graph: Graph) -> set[tuple[int, int]]:
    rows, cols = graph.adjacency.tocoo().coords
    return {(i, j) for i, j in zip(rows.tolist(), cols.tolist(), strict=True) if i < j}


def as_set(edges: np.ndarray) -> set[tuple[int, int]]:
    return {(min(i, j), max(i, j)) for i, j in edges.T.tolist()}


def same_matrix(one: csr_array, other: csr_array) -> bool:
    return all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for part in ("indptr", "indices", "data")
    )


def same_graph(one: Graph, other: Graph) -> bool:
    parts = ("features", "labels", "train", "val", "test")
    return same_matrix(one.adjacency, other.adjacency) and all(
        np.array_equal(getattr(one, part), getattr(other, part)) for part in parts
    )


@given(
    nodes=st.integers(60, 300),
    classes=st.integers(2, 5),
    mean_degree=st.floats(0, 5),
    homophily=st.floats(0, 1),
    degree_exponent=st.none() | st.floats(2.2, 5),
    wrong_edges=st.floats(0, 1),
    graph_seed=st.integers(0, 2**31),
)
def test_edges_classes_homophily_and_wrong_edges_are_exactly_as_set(**drawn: Any) -> None:
    settings = Synthetic(**drawn, features=8, train_per_class=3, val_nodes=10, test_nodes=None)
    truth = generate(settings)
    true, wrong = as_set(truth.true_edges), as_set(truth.wrong_edges)
    n_edges = round(settings.nodes * settings.mean_degree / 2)
    assert truth.graph.n_edges == truth.true_graph.n_edges == len(true) == n_edges
    assert len(wrong) == round(settings.wrong_edges * n_edges)
    labels = truth.graph.labels
    n_same = sum(labels[i] == labels[j] for i, j in true)
    assert n_same == round(settings.homophily * n_edges)
    assert not any(labels[i] == labels[j] for i, j in wrong)
    assert np.ptp(np.bincount(labels, minlength=settings.classes)) <= 1


def test_the_given_and_the_true_graph_differ_by_exactly_the_wrong_edges() -> None:
    truth = generate(small(wrong_edges=0.3))
    given_edges, true = edges_of(truth.graph), edges_of(truth.true_graph)
    assert true == as_set(truth.true_edges)
    assert given_edges - true == as_set(truth.wrong_edges)
    assert len(true - given_edges) == len(given_edges - true) == 3000
    assert same_graph(
        truth.true_graph, dataclasses.replace(truth.graph, adjacency=truth.true_graph.adjacency)
    )


def test_without_wrong_edges_the_given_graph_is_the_true_one() -> None:
    truth = generate(small())
    assert truth.wrong_edges.shape == (2, 0)
    assert same_graph(truth.graph, truth.true_graph)


def test_the_truth_does_not_depend_on_how_much_of_it_is_made_wrong() -> None:
    clean, spoilt = generate(small()), generate(small(wrong_edges=0.5))
    assert same_graph(clean.graph, spoilt.true_graph)
    assert not same_graph(clean.graph, spoilt.graph)


def test_wrong_edges_are_drawn_uniformly_and_removed_ones_without_regard_to_class() -> None:
    truth = generate(small(mean_degree=20.0, wrong_edges=0.5, degree_exponent=2.5))
    ends = np.bincount(truth.wrong_edges.ravel(), minlength=2000)
    assert ends.mean() == 10.0
    assert ends.var() == pytest.approx(10.0, rel=0.15)  # as a Poisson number's: no hubs
    # Half of the true edges stay, 0.8 of which join equal classes; three standard errors.
    assert truth.graph.homophily == pytest.approx(0.4, abs=3 * 0.4 * 10000**-0.5)


def test_degrees_follow_the_propensities() -> None:
    truth = generate(small(nodes=20000))
    degrees = np.diff(truth.graph.adjacency.indptr)
    expected = 10 * truth.propensities / truth.propensities.mean()
    groups = np.digitize(expected, np.quantile(expected, [0.25, 0.5, 0.75, 0.95]))
    for group in range(5):
        mean = degrees[groups == group].mean()
        assert mean == pytest.approx(expected[groups == group].mean(), rel=0.05)
    spread = (degrees - expected) / np.sqrt(expected)
    assert spread.var() == pytest.approx(1.0, abs=0.1)


def test_propensities_have_the_power_law_of_their_exponent_up_to_the_cap() -> None:
    theta = generate(small(nodes=20000, mean_degree=2.0)).propensities
    cap = 2.0 * (20000 / (4 * 2.0)) ** 0.5  # 100
    for value in (2.0, 5.0, 20.0):  # P(theta > x) = x^-2 for g = 3
        assert np.mean(theta > value) == pytest.approx(value**-2, abs=4 * value**-1 * 20000**-0.5)
    assert theta.min() >= 1
    assert theta.max() <= cap


def test_without_an_exponent_degrees_are_those_of_a_plain_block_model() -> None:
    truth = generate(small(degree_exponent=None))
    assert (truth.propensities == 1).all()
    assert np.diff(truth.graph.adjacency.indptr).var() == pytest.approx(10, rel=0.15)


def test_features_are_class_means_at_the_distance_of_the_signal_and_noise_around_them() -> None:
    graph = generate(small(nodes=20000, features=8, signal=3.0, noise=0.5)).graph
    features = np.asarray(graph.features, dtype=np.float64)
    assert graph.features.dtype == np.float32
    means = np.stack([features[graph.labels == c].mean(axis=0) for c in range(4)])
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    np.testing.assert_allclose(distances, 3.0 * (1 - np.eye(4)), atol=0.05)
    around = features - means[graph.labels]
    np.testing.assert_allclose(np.cov(around.T), 0.25 * np.eye(8), atol=0.01)


def test_two_classes_are_told_apart_by_features_at_the_rate_of_the_formula() -> None:
    graph = generate(small(nodes=20000, classes=2, signal=2.0, noise=1.0)).graph
    features = np.asarray(graph.features, dtype=np.float64)
    means = np.stack([features[graph.labels == c].mean(axis=0) for c in range(2)])
    errors = ((features[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) != graph.labels
    assert errors.mean() == pytest.approx(0.1587, abs=0.01)  # Phi(-1)


def test_without_noise_features_are_the_class_means_whatever_the_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(synthetic, "_CHUNK", 7)
    graph = generate(small(nodes=400, noise=0.0, signal=2.0)).graph
    rows = np.unique(np.asarray(graph.features), axis=0)
    np.testing.assert_allclose(rows @ rows.T, 2 * np.eye(4), atol=1e-6)


def test_the_same_seed_gives_the_same_bits_and_another_another_graph() -> None:
    first, same, other = (generate(small(graph_seed=s, wrong_edges=0.2)) for s in (3, 3, 4))
    assert same_graph(first.graph, same.graph)
    np.testing.assert_array_equal(first.true_edges, same.true_edges)
    assert not np.array_equal(first.graph.labels, other.graph.labels)
    features = [np.asarray(truth.graph.features) for truth in (first, other)]
    assert not np.array_equal(features[0], features[1])
    assert len(edges_of(first.graph) & edges_of(other.graph)) < 500


def test_the_split_seed_decides_the_split_alone() -> None:
    one, two = (generate(small(), split_seed=seed).graph for seed in (0, 1))
    assert not np.array_equal(one.train, two.train)
    assert same_graph(one, two.with_split(one.train, one.val, one.test))
    assert np.bincount(one.labels[one.train]).tolist() == [20] * 4


def test_all_test_nodes_are_those_that_are_left() -> None:
    graph = load("synthetic", settings=SMALL | {"test_nodes": "all"})
    assert len(graph.test) == 2000 - 80 - 100


def test_loading_gives_the_given_graph_of_the_settings() -> None:
    settings = SMALL | {"wrong_edges": "0.25", "degree_exponent": "none"}
    typed = small(wrong_edges=0.25, degree_exponent=None)
    loaded = load("synthetic", settings=settings, split_seed=2)
    assert same_graph(loaded, generate(typed, split_seed=2).graph)
    assert loaded.name == "synthetic"


def test_the_listed_data_set_keeps_its_defaults() -> None:
    known = DATASETS["synthetic"]
    other = known.configured({"nodes": 3000})
    assert (other.get_params()["nodes"], known.get_params()["nodes"]) == (3000, 10_000)
    assert known.configured({}) is known
    with pytest.raises(dataclasses.FrozenInstanceError):
        known.nodes = 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": 1}, "'nodes' setting of Synthetic must be"),
        ({"nodes": 2000.5}, "'nodes' setting .* a whole number"),
        ({"homophily": 1.1}, r"'homophily' .* must be \[0, 1\]"),
        ({"wrong_edges": -0.1}, r"'wrong_edges' .* must be \[0, 1\]"),
        ({"degree_exponent": 2}, "'degree_exponent' .* must be > 2"),
        ({"noise": float("inf")}, "'noise' .* must be >= 0"),
        ({"features": 3}, r"'classes' .* at most 'features' \(3\). Got 4"),
        ({"train_per_class": 501}, "'train_per_class' .* at most 500.* Got 501"),
        ({"val_nodes": 1920}, "'val_nodes' .* below 1920.* Got 1920"),
        ({"test_nodes": 1821}, "'test_nodes' .* at most 1820.* or 'all'. Got 1821"),
        ({"mean_degree": 500.0}, "'mean_degree' .* half of the 499000 pairs of equal classes"),
        ({"mean_degree": 800.0, "homophily": 0}, "half of the 1500000 pairs of different classes"),
        ({"mean_degree": 500.0, "homophily": 0.3, "wrong_edges": 1}, "pairs of different classes"),
    ],
)
def test_impossible_settings_are_an_error_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(np.random, "default_rng", lambda *_: pytest.fail("something was drawn"))
    with pytest.raises(SettingValueError, match=message):
        generate(small(**changes))
    with pytest.raises(SettingValueError, match=message):
        load("synthetic", settings=SMALL | changes)


def test_edges_that_cannot_be_found_are_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "_MOST_ROUNDS", 1)
    dense = small(mean_degree=200.0, homophily=1.0)
    with pytest.raises(SettingValueError, match=r"of 200000 different edges .* 'mean_degree'"):
        generate(dense)


def test_half_of_all_pairs_can_be_joined() -> None:
    settings = small(mean_degree=249.0, homophily=1.0)
    assert generate(settings).graph.n_edges == 249_000


def test_a_graph_without_edges_can_be_drawn() -> None:
    assert generate(small(mean_degree=0)).graph.n_edges == 0


def test_unknown_settings_get_a_suggestion() -> None:
    with pytest.raises(UnknownSettingError, match="'nods' for Synthetic; did you mean 'nodes'"):
        load("synthetic", settings={"nods": 5})


@pytest.mark.parametrize("name", sorted(set(DATASETS) - {"synthetic"}))
def test_the_other_data_sets_have_no_settings(name: str) -> None:
    assert settings_class(name) is None
    with pytest.raises(UnknownSettingError, match=f"'{name}' has no settings. Got 'nodes'"):
        load(name, settings={"nodes": 5})


def test_the_statistics_are_those_of_the_default_settings() -> None:
    said, dataset = DATASETS["synthetic"].statistics, Synthetic()
    assert (said.nodes, said.classes, said.features) == (
        dataset.nodes,
        dataset.classes,
        dataset.features,
    )
    assert (said.edges, said.homophily) == (dataset.n_edges, dataset.homophily)
    assert said.train == dataset.train_per_class * dataset.classes
    assert (said.val, said.test) == (dataset.val_nodes, dataset.test_nodes)


def test_the_truth_keeps_its_true_graph() -> None:
    truth = generate(small(wrong_edges=0.1))
    assert isinstance(truth, Truth)
    assert truth.true_graph is truth.true_graph
