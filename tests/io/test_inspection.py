"""What is seen of a graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.io import NamedGraph, inspect_graph
from cogsl.io.inspection import constant_columns, duplicate_rows, leaking_columns


def named(**changes: Any) -> NamedGraph:
    """Return a path of three nodes, a pair, and a node alone; labels of two classes."""
    given: dict[str, Any] = {
        "edge_index": [[0, 1, 3], [1, 2, 4]],
        "features": np.arange(12.0).reshape(6, 2),
        "labels": [0, 0, 1, 1, -1, -1],
    } | changes
    return NamedGraph.numbered(Graph.from_edges(given.pop("edge_index"), **given))


def test_counts_by_hand() -> None:
    seen = inspect_graph(named())
    assert (seen.nodes, seen.edges, seen.features) == (6, 3, 2)
    assert seen.degrees == (0, 1.0, 1.0, 2)
    assert (seen.isolated, seen.components) == (1, 3)
    assert seen.largest == pytest.approx(0.5)
    assert seen.labelled == 4
    assert seen.homophily == pytest.approx(0.5)
    assert seen.classes == {"0": 2, "1": 2}
    assert seen.stored == pytest.approx(11 / 12)


def test_a_graph_without_labels_has_no_classes_and_no_homophily() -> None:
    seen = inspect_graph(named(labels=[-1] * 6))
    assert seen.classes == {}
    assert math.isnan(seen.homophily)
    assert not [s for s in seen.suspicions if "label" in s]


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_constant_columns_and_equal_rows_are_found(form: Any) -> None:
    X = form(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 3.0], [1.0, 0.0, 2.0]], dtype=np.float32))
    assert constant_columns(X).tolist() == [0, 1]
    assert duplicate_rows(X) == 1


def test_a_sparse_column_that_is_mostly_zero_is_not_constant() -> None:
    X = csr_array(np.array([[0.0, -1.0], [0.0, 0.0], [5.0, 0.0]], dtype=np.float32))
    assert constant_columns(X).tolist() == []


@pytest.mark.parametrize("sparse", [False, True])
def test_a_column_that_holds_the_label_is_found_and_no_other(sparse: bool) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    X = rng.normal(size=(90, 30)).astype(np.float32)
    X[:, 7] = 10.0 * np.array([2, 0, 1])[labels] + 0.1 * X[:, 7]
    features: Any = csr_array(X) if sparse else X
    graph = Graph.from_edges([[0], [1]], features=features, labels=labels, n_nodes=90)
    assert leaking_columns(graph) == [7]
    (words,) = (s for s in inspect_graph(NamedGraph.numbered(graph)).suspicions if "label by" in s)
    assert "'7'" in words


def test_sparse_features_with_indices_of_64_bits_are_looked_at() -> None:
    X: Any = csr_array(np.eye(2, dtype=np.float32)[np.arange(20) % 2])
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    graph = Graph.from_edges([[0], [1]], features=X, labels=np.arange(20) % 2, n_nodes=20)
    assert isinstance(graph.features, csr_array)
    assert graph.features.indices.dtype == np.int64
    assert leaking_columns(graph) == [0, 1]


def test_suspicions_can_be_left_out() -> None:
    assert inspect_graph(named()).suspicions
    assert inspect_graph(named(), suspicions=False).suspicions == ()


def test_few_labelled_nodes_prove_no_leak() -> None:
    graph = Graph.from_edges([[0], [1]], features=np.eye(6), labels=[0, 1, 0, 1, 0, 1])
    assert leaking_columns(graph) == []


def test_suspicions_are_said() -> None:
    rare = inspect_graph(named(labels=[0, 0, 1, 0, 0, 0])).suspicions
    assert "Classes with fewer than 5 labelled nodes: '1'." in rare
    alone = named(edge_index=np.empty((2, 0), dtype=int))
    assert "There are no edges." in inspect_graph(alone).suspicions
    crossed = named(edge_index=[[0, 1], [2, 3]])
    assert any("less often than chance" in s for s in inspect_graph(crossed).suspicions)
