"""Tables of nodes and edges as a graph."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cogsl.errors import CogslError
from cogsl.io import EdgeColumns, NodeColumns, Treatment, graph_from_frames
from tests.io.dense import dense

NODES = {
    "id": ["ann", "bob", "007", "NA"],
    "age": [10.0, 20.0, None, 30.0],
    "town": ["x", "y", "x", None],
    "y": ["yes", None, "no", "yes"],
}
EDGES = {"source": ["ann", "bob"], "target": ["bob", "NA"], "weight": [0.5, 2.0]}
LABELLED = NodeColumns(label="y")


def test_names_labels_and_weights_find_their_places() -> None:
    named = graph_from_frames(NODES, [EDGES], node_columns=LABELLED)
    assert named.nodes == ("ann", "bob", "007", "NA")
    assert named.classes == ("no", "yes")
    assert named.graph.labels.tolist() == [1, -1, 0, 1]
    assert named.features == ("age", "town=(missing)", "town=x", "town=y")
    expected = np.zeros((4, 4))
    expected[[0, 1, 1, 3], [1, 0, 3, 1]] = [0.5, 0.5, 2.0, 2.0]
    np.testing.assert_array_equal(named.graph.adjacency.toarray(), expected)


def test_features_by_hand() -> None:
    """Ages 10, 20, 20 (the median), 30: mean 20, deviation sqrt(50)."""
    graph = graph_from_frames(NODES, [EDGES], node_columns=LABELLED).graph
    r = 10 / np.sqrt(50)
    expected = [[-r, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [r, 1, 0, 0]]
    np.testing.assert_allclose(dense(graph.features), expected, rtol=1e-6)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_tables_of_pandas_and_polars_give_the_same_graph(make: Any) -> None:
    columns = LABELLED
    one = graph_from_frames(NODES, [EDGES], node_columns=columns)
    other = graph_from_frames(make(NODES), [make(EDGES)], node_columns=columns)
    assert (one.nodes, one.classes, one.features) == (other.nodes, other.classes, other.features)
    np.testing.assert_array_equal(one.graph.features, other.graph.features)
    np.testing.assert_array_equal(one.graph.adjacency.toarray(), other.graph.adjacency.toarray())


def test_whole_numbers_floats_and_words_name_the_same_node() -> None:
    nodes = {"id": [1, 2, 3], "x": [0.0, 1.0, 5.0]}
    edges = [{"a": [1.0, 2.0], "b": ["2", "3"]}]
    assert graph_from_frames(nodes, edges).graph.n_edges == 2


def test_several_edge_tables_are_one_graph() -> None:
    more = {"u": ["007"], "v": ["ann"]}
    assert graph_from_frames(NODES, [EDGES, more], node_columns=LABELLED).graph.n_edges == 3


def test_a_table_without_edges_becomes_its_neighbour_graph() -> None:
    nodes = {"x": [1.0, 1.1, -1.0, -1.1], "z": [0.1, 0.0, 0.2, 0.0]}
    columns = NodeColumns(treatment=Treatment(scaling="none"))
    graph = graph_from_frames(nodes, neighbours=2, node_columns=columns).graph
    expected = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    np.testing.assert_array_equal(graph.adjacency.toarray() > 0, expected)


def test_nodes_without_columns_are_told_apart_by_themselves() -> None:
    named = graph_from_frames({"id": ["a", "b"]}, [{"s": ["a"], "t": ["b"]}])
    assert named.features == ("a", "b")
    np.testing.assert_array_equal(dense(named.graph.features), np.eye(2))


def test_the_first_column_names_the_nodes_if_the_edges_speak_of_it() -> None:
    nodes = {"person": ["a", "b"], "x": [1.0, 2.0]}
    assert graph_from_frames(nodes, [{"s": ["a"], "t": ["b"]}]).nodes == ("a", "b")


def test_else_the_numbers_of_the_rows_do(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "cogsl"):
        named = graph_from_frames({"x": [0.5, 1.5, 7.0]}, [{"s": [0], "t": [2]}])
    assert named.nodes == ("0", "1", "2")
    assert "numbers of their rows" in caplog.text


def test_labels_may_be_all_that_is_known_of_the_nodes() -> None:
    named = graph_from_frames({"y": ["a", "b"]}, [{"s": [0], "t": [1]}], node_columns=LABELLED)
    assert named.nodes == named.features == ("0", "1")
    assert named.graph.labels.tolist() == [0, 1]


def test_classes_that_are_numbers_are_ordered_by_size() -> None:
    nodes = {"id": range(4), "x": [1.0, 2.0, 3.0, 4.0], "y": [10, 9, -1, 100]}
    named = graph_from_frames(nodes, [{"s": [0], "t": [1]}], node_columns=LABELLED)
    assert named.classes == ("9", "10", "100")
    assert named.graph.labels.tolist() == [1, 0, -1, 2]


def test_the_input_stays_as_it_is() -> None:
    nodes, edges = pd.DataFrame(NODES), pd.DataFrame(EDGES)
    before = nodes.copy(deep=True), edges.copy(deep=True)
    graph_from_frames(nodes, [edges], node_columns=LABELLED)
    pd.testing.assert_frame_equal(nodes, before[0])
    pd.testing.assert_frame_equal(edges, before[1])


X = {"id": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]}
JOINED = {"source": ["a"], "target": ["b"]}
BAD: dict[str, tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any], str]] = {
    "no node": ({"id": [], "x": []}, [], {}, "no row"),
    "unknown end": (X, [{"s": ["a", "q"], "t": ["b", "a"]}], {}, "1 edges name others: 'q'"),
    "unnamed end": (X, [{"s": ["a", None], "t": ["b", "a"]}], {}, "missing in rows '2'"),
    "one column of edges": (X, [{"source;target": ["a;b"]}], {}, "two columns"),
    "negative weight": (X, [JOINED | {"weight": [-1]}], {}, "'-1' in rows '1'"),
    "weight in words": (X, [JOINED | {"weight": ["much"]}], {}, "Got 'much'"),
    "name twice": (X | {"id": ["a", "b", "a"]}, [], {}, "'a' more than once"),
    "no name": (X | {"id": ["a", None, "c"]}, [], {}, "None in rows '2'"),
    "unknown id column": (X, [], {"id": "Id"}, "no column 'Id' for the names of nodes"),
    "unknown label column": (X, [], {"label": "y"}, "no column 'y' for the labels"),
    "no label": (X | {"y": [None] * 3}, [], {"label": "y"}, "holds no label"),
    "neither edges nor columns": ({"id": ["a", "b"]}, [], {}, "neither edges nor columns"),
    "nodes that nobody names": (
        {"x": [0.5, 1.5]},
        [{"s": ["ann"], "t": ["bob"]}],
        {},
        "Say which column holds the names",
    ),
    "words among numbers": (
        {"id": range(40), "x": ["1"] * 39 + ["abc"]},
        [],
        {},
        "Got 'abc' instead, in rows 40",
    ),
    "infinite number": (X | {"x": [1.0, np.inf, 2.0]}, [], {}, "infinite numbers, in rows 2"),
    "gap that may not be": (
        X | {"x": [1.0, None, 2.0]},
        [],
        {"treatment": Treatment(missing="error")},
        "missing in column 'x'",
    ),
    "vectors of two lengths": (
        {"id": ["a", "b"], "v": [[1.0, 2.0], [1.0]]},
        [],
        {},
        "lists of 2 numbers",
    ),
    "vectors of words": ({"id": ["a", "b"], "v": [["p"], ["q"]]}, [], {}, "not all of numbers"),
    "unknown kind": (X, [], {"kinds": {"x": "number"}}, "did you mean 'numeric'"),
    "kind of no column": (X, [], {"kinds": {"xx": "numeric"}}, "did you mean 'x'"),
    "text without a shared word": (
        {"id": ["a", "b"], "t": ["one two", "three four"]},
        [],
        {"kinds": {"t": "text"}},
        "no word that two nodes share",
    ),
}


@pytest.mark.parametrize(("nodes", "edges", "columns", "message"), BAD.values(), ids=BAD)
def test_bad_input_gets_an_error_that_names_it(
    nodes: dict[str, Any], edges: list[dict[str, Any]], columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(CogslError) as raised:
        graph_from_frames(nodes, edges, node_columns=NodeColumns(**columns))
    assert message in str(raised.value)


def test_one_end_without_the_other_is_refused() -> None:
    with pytest.raises(CogslError, match="both ends"):
        graph_from_frames(X, [JOINED], edge_columns=EdgeColumns(source="source"))


def test_named_columns_of_edges_are_used() -> None:
    edges = {"source": ["a"], "target": ["b"], "from_": ["a"], "to_": ["c"], "w": [3.0]}
    columns = EdgeColumns(source="from_", target="to_", weight="w")
    graph = graph_from_frames(X, [edges], edge_columns=columns).graph
    assert graph.adjacency[0, 2] == 3.0
    assert graph.n_edges == 1
