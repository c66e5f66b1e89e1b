"""The checks that every method passes; a new method is picked up by itself."""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from cogsl.cost import GraphSize
from cogsl.errors import EmptySplitError, NotFittedError, SettingValueError
from cogsl.graph import Graph
from cogsl.methods import METHODS, NodeClassifier
from cogsl.settings import settings_of
from tests.common.graphs import two_groups
from tests.common.quick import QUICK


@pytest.fixture(params=sorted(METHODS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make(name: str, **settings: Any) -> NodeClassifier:
    return METHODS[name](**(QUICK[name].settings | settings))


def relabelled(graph: Graph, order: np.ndarray) -> Graph:
    """Return the graph whose node k is the given graph's node order[k]."""
    place = np.argsort(order)
    features = graph.features[order]
    return Graph.from_scipy(
        graph.adjacency[order][:, order],
        features=features,
        labels=graph.labels[order],
        train=place[graph.train],
        val=place[graph.val],
        test=place[graph.test],
    )


def test_every_method_has_quick_settings() -> None:
    assert set(QUICK) == set(METHODS)


def test_same_seed_gives_the_same_bits(name: str) -> None:
    graph = two_groups()
    first = make(name).fit(graph, seed=3).predict_proba()
    torch.manual_seed(99)
    torch.rand(5)
    assert np.array_equal(first, make(name).fit(graph, seed=3).predict_proba())


def test_another_seed_gives_other_numbers_if_any_are_drawn(name: str) -> None:
    graph = two_groups()
    first, second = (make(name).fit(graph, seed=seed).predict_proba() for seed in (0, 1))
    assert np.array_equal(first, second) != METHODS[name].is_random


def test_same_seed_gives_the_same_bits_in_a_fresh_process(name: str) -> None:
    script = (
        "import hashlib\n"
        "from tests.common.test_every_method import make\n"
        "from tests.common.graphs import two_groups\n"
        f"p = make({name!r}).fit(two_groups(), seed=5).predict_proba()\n"
        "print(hashlib.sha256(p.tobytes()).hexdigest())\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout.strip()) == 64


def test_callers_random_state_is_unchanged(name: str) -> None:
    torch.manual_seed(7)
    random.seed(7)
    before = torch.random.get_rng_state(), random.getstate(), _numpy_state()
    make(name).fit(two_groups(), seed=0)
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert before[1] == random.getstate()
    assert before[2] == _numpy_state()


def _numpy_state() -> str:
    return str(np.random.get_state())  # noqa: NPY002 - the global state is what is tested


def test_graph_and_parameters_are_unchanged(name: str) -> None:
    graph, method = two_groups(features="sparse"), make(name)
    before = graph.adjacency.copy(), sp.csr_array(graph.features.copy()), graph.labels.copy()
    parameters = method.get_params()
    method.fit(graph, seed=0)
    assert np.array_equal(before[0].toarray(), graph.adjacency.toarray())
    assert isinstance(graph.features, sp.csr_array)
    assert np.array_equal(before[1].toarray(), graph.features.toarray())
    assert np.array_equal(before[2], graph.labels)
    assert method.get_params() == parameters


def test_results_before_fit_are_refused(name: str) -> None:
    with pytest.raises(NotFittedError, match="fit"):
        make(name).predict()
    with pytest.raises(NotFittedError, match="fit"):
        make(name).predict_proba()


def test_labels_outside_train_and_validation_are_not_used(name: str) -> None:
    graph = two_groups()
    labels = graph.labels.copy()
    labels[graph.test] = 1 - labels[graph.test]
    other = dataclasses.replace(graph, labels=labels)
    hidden = labels.copy()
    hidden[graph.test] = -1
    unknown = dataclasses.replace(graph, labels=hidden, test=graph.test[:0])
    expected = make(name).fit(graph, seed=0).predict_proba()
    assert np.array_equal(expected, make(name).fit(other, seed=0).predict_proba())
    assert np.array_equal(expected, make(name).fit(unknown, seed=0).predict_proba())


@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_relabelling_the_nodes_relabels_the_predictions(name: str, features: str) -> None:
    quick = QUICK[name]
    graph = two_groups(24 if quick.is_still else 60, features=features)
    order = np.random.default_rng(0).permutation(graph.n_nodes)
    settings = quick.still if quick.is_still else quick.still | quick.longer
    plain = make(name, **settings).fit(graph, seed=0).predict_proba()
    moved = make(name, **settings).fit(relabelled(graph, order), seed=0).predict_proba()
    if quick.is_still:
        np.testing.assert_allclose(moved, plain[order], atol=1e-4)
    else:
        assert (moved.argmax(axis=1) == plain[order].argmax(axis=1)).mean() > 0.9


@pytest.mark.parametrize("features", ["dense", "sparse", "one-hot"])
@pytest.mark.parametrize("edges", [True, False], ids=["edges", "no-edges"])
def test_any_features_with_and_without_edges(name: str, features: str, edges: bool) -> None:
    graph = two_groups(features=features, edges=edges)
    method = make(name).fit(graph, seed=0)
    probabilities = method.predict_proba()
    assert probabilities.shape == (graph.n_nodes, 2)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)
    assert np.array_equal(method.predict(), probabilities.argmax(axis=1))


def test_a_class_number_that_no_node_has_keeps_its_column(name: str) -> None:
    graph = two_groups()
    apart = dataclasses.replace(graph, labels=2 * graph.labels)
    probabilities = make(name).fit(apart, seed=0).predict_proba()
    assert probabilities.shape == (graph.n_nodes, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)


def test_fitted_attributes_are_complete(name: str) -> None:
    method = make(name).fit(two_groups(), seed=0)
    assert 1 <= method.n_iter_ <= method.max_iterations
    assert len(method.history_) == method.n_iter_
    assert 0 <= method.best_iter_ < method.n_iter_
    assert {"iteration", "val_accuracy", "val_loss"} <= set(method.history_[0])
    assert all(type(value) in (int, float, bool) for value in method.history_[-1].values())
    if method.learns_graph:
        assert method.learned_graph_ is not None
        assert method.learned_graph_.n_nodes == 24
    else:
        assert method.learned_graph_ is None


def test_graph_without_validation_nodes_is_refused_before_training(name: str) -> None:
    graph = two_groups().with_split(np.arange(6), [], np.arange(12, 24))
    with pytest.raises(EmptySplitError):
        make(name).fit(graph, seed=0)


def test_settings_out_of_range_are_refused_before_training(name: str) -> None:
    for setting, field in settings_of(METHODS[name]).items():
        if field.metadata["setting"].low is not None:
            with pytest.raises(SettingValueError, match=setting):
                METHODS[name](**{setting: -1}).fit(two_groups(), seed=0)


def test_listener_hears_every_iteration(name: str) -> None:
    class Ear:
        def __init__(self) -> None:
            self.phases: list[str] = []
            self.records: list[Any] = []

        def on_phase(self, phase: str) -> None:
            self.phases.append(phase)

        def on_iteration(self, record: Any) -> None:
            self.records.append(record)

    ear = Ear()
    method = make(name).fit(two_groups(), seed=0, listener=ear)
    assert len(ear.records) == method.n_iter_
    assert ear.phases


def test_separable_groups_are_told_apart(name: str) -> None:
    graph = two_groups(60)
    method = make(name, **QUICK[name].longer).fit(graph, seed=0)
    assert (method.predict() == graph.labels)[graph.test].mean() > 0.9


def test_weights_of_edges_matter_if_the_method_reads_them(name: str) -> None:
    graph = two_groups()
    heavy = graph.adjacency.copy()
    heavy.data = heavy.data * np.float32(3.0)
    weighted = dataclasses.replace(graph, adjacency=sp.csr_array(heavy))
    plain = make(name).fit(graph, seed=0).predict_proba()
    same = np.array_equal(plain, make(name).fit(weighted, seed=0).predict_proba())
    assert same != METHODS[name].reads_weights


def test_edges_matter_if_the_method_reads_them(name: str) -> None:
    with_edges, without = (
        make(name).fit(two_groups(edges=edges), seed=0).predict_proba() for edges in (True, False)
    )
    assert np.array_equal(with_edges, without) != METHODS[name].reads_edges


def test_every_method_says_what_it_is(name: str) -> None:
    about = METHODS[name].about
    assert about.title
    assert "," in about.paper
    assert 1980 < about.year <= 2026
    assert about.cost


def test_the_estimate_grows_with_the_graph_and_does_not_fit_anything(name: str) -> None:
    method = make(name)
    small, large = (method.estimate(GraphSize(n, 10 * n, 64, 10, 200)) for n in (10_000, 1_000_000))
    assert small.peak_bytes > 0
    assert small.seconds > 0
    most = 20_000 if "N^2" in method.about.cost else 1000
    assert 10 < large.iteration.peak_bytes / small.iteration.peak_bytes < most
    assert large.seconds > 10 * small.iteration.seconds * small.iterations
    assert small.iterations == method.max_iterations
    assert small.remedy.endswith(".")
    with pytest.raises(NotFittedError):
        method.predict()
