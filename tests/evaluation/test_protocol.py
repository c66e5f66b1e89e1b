"""One run: what the method sees, and what the record says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cogsl.errors import EmptySplitError
from cogsl.evaluation import evaluate
from cogsl.evaluation.protocol import hide_test_labels
from cogsl.graph import Graph
from cogsl.methods.base import NodeClassifier
from tests.fakes import Centroids, toy_graph


class Counter:
    """A listener that counts."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.iterations: list[int] = []

    def on_phase(self, phase: str) -> None:
        self.phases.append(phase)

    def on_iteration(self, record: object) -> None:
        assert isinstance(record, dict)
        self.iterations.append(record["iteration"])


def with_labels(graph: Graph, labels: np.ndarray) -> Graph:
    return Graph.from_scipy(
        graph.adjacency,
        features=graph.features,
        labels=labels,
        train=graph.train,
        val=graph.val,
        test=graph.test,
    )


def test_the_figures_are_those_of_the_test_nodes() -> None:
    record = evaluate(Centroids(), toy_graph(), seed=0)
    # Of the six test nodes the misplaced node 10 alone is wrong: class 0 has TP 3 and FP 1,
    # class 1 has TP 2 and FN 1.
    assert record["accuracy"] == record["micro_f1"] == pytest.approx(5 / 6)
    assert record["macro_f1"] == pytest.approx((6 / 7 + 4 / 5) / 2)
    # Node 10 ranks above node 3 (feature 0.08), below nodes 4 and 5: 1 of its 3 pairs, 7 of 9 all.
    assert record["auc"] == pytest.approx(7 / 9)
    assert record["val_accuracy"] == record["val_auc"] == record["val_macro_f1"] == 1.0


def test_the_method_sees_train_and_validation_labels_only() -> None:
    graph, method = toy_graph(), Centroids()
    evaluate(method, graph, seed=0)
    seen = np.concatenate([graph.train, graph.val])
    assert (method.seen_labels_[seen] == graph.labels[seen]).all()
    assert (np.delete(method.seen_labels_, seen) == -1).all()


def test_hiding_labels_leaves_the_rest_of_the_graph_alone() -> None:
    graph = toy_graph()
    before = graph.labels.copy()
    hidden = hide_test_labels(graph)
    assert (graph.labels == before).all()
    assert abs(hidden.adjacency - graph.adjacency).sum() == 0
    assert (np.asarray(hidden.features) == np.asarray(graph.features)).all()
    assert (hidden.train == graph.train).all()
    assert (hidden.val == graph.val).all()
    assert hidden.n_classes == graph.n_classes


def test_test_labels_decide_the_figures_and_not_the_predictions() -> None:
    graph = toy_graph()
    labels = graph.labels.copy()
    labels[graph.test] = 1 - labels[graph.test]
    a, b = Centroids(noise=0.1), Centroids(noise=0.1)
    first = evaluate(a, graph, seed=1)
    second = evaluate(b, with_labels(graph, labels), seed=1)
    assert (a.predict_proba() == b.predict_proba()).all()
    assert first["accuracy"] == pytest.approx(1 - second["accuracy"])


def test_the_record_says_what_the_run_was_made_of() -> None:
    record = evaluate(Centroids(iterations=5, weights=(0.1,)), toy_graph(), seed=7)
    assert record["method"] == "Centroids"
    assert record["settings"] == {
        "iterations": 5,
        "sharpness": 1.0,
        "noise": 0.0,
        "weights": (0.1,),
        "batch": None,
        "flavour": "plain",
    }
    assert (record["seed"], record["split_seed"], record["graph"]) == (7, None, "toy")
    assert (record["n_iter"], record["best_iter"]) == (5, 0)
    assert record["seconds"] > 0
    assert record["peak_memory"] > 2**20
    assert len(record["graph_hash"]) == 64
    expected = {"python", "numpy", "scipy", "torch", "torch_geometric", "cogsl"}
    assert record["versions"].keys() == expected


def test_the_record_survives_json() -> None:
    record = evaluate(Centroids(), toy_graph(), seed=0)
    again = json.loads(json.dumps(record, allow_nan=False))
    assert again["macro_f1"] == record["macro_f1"]
    assert again["settings"]["weights"] == [0.5, 0.5]


def test_the_caller_adds_columns_and_has_the_last_word() -> None:
    context = {"split_seed": 3, "method": "centroids", "attack": None}
    record = evaluate(Centroids(), toy_graph(), seed=0, context=context)
    assert {name: record[name] for name in context} == context


def test_the_listener_hears_every_iteration() -> None:
    listener = Counter()
    evaluate(Centroids(iterations=4), toy_graph(), seed=0, listener=listener)
    assert listener.iterations == [0, 1, 2, 3]
    assert listener.phases == ["thinking"] * 4


def test_a_graph_without_test_nodes_is_refused_before_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = toy_graph()

    def fit(*_: object, **__: object) -> None:
        pytest.fail("fit was called")

    monkeypatch.setattr(NodeClassifier, "fit", fit)
    with pytest.raises(EmptySplitError, match="test"):
        evaluate(Centroids(), graph.with_split(graph.train, graph.val, []), seed=0)
