from __future__ import annotations

import dataclasses
import logging
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array

from cogsl import errors
from cogsl.graph import Graph

PATH = [[0, 1, 2], [1, 2, 3]]  # 0 - 1 - 2 - 3


def path_graph(**changes: Any) -> Graph:
    """Return the path of four nodes with labels 0, 0, 1, 1 and the split 0 2 / 1 / 3."""
    arguments: dict[str, Any] = {
        "features": np.eye(4),
        "labels": [0, 0, 1, 1],
        "train": [0, 2],
        "val": [1],
        "test": [3],
    }
    return Graph.from_edges(PATH, **(arguments | changes))


Entries = list[tuple[int, int, float]]


@st.composite
def entry_lists(draw: st.DrawFn) -> tuple[int, Entries]:
    """Draw a number of nodes and entries with loops, duplicates and zeros among them."""
    n = draw(st.integers(1, 7))
    node = st.integers(0, n - 1)
    weight = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5])
    return n, draw(st.lists(st.tuples(node, node, weight), max_size=25))


def graph_of(n: int, entries: Entries) -> Graph:
    edges = np.array([(i, j) for i, j, _ in entries], dtype=np.int64).reshape(-1, 2).T
    return Graph.from_edges(edges, weights=[w for _, _, w in entries], n_nodes=n)


# What the adjacency becomes -----------------------------------------------------------------------


@given(entry_lists())
def test_each_pair_weighs_the_largest_of_what_was_listed_for_it(given: tuple[int, Entries]) -> None:
    n, entries = given
    expected = np.zeros((n, n))
    for i, j, weight in entries:
        if i != j:
            expected[i, j] = expected[j, i] = max(expected[i, j], weight)
    graph = graph_of(n, entries)
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
    assert graph.n_edges == np.count_nonzero(np.triu(expected))


@given(entry_lists())
def test_the_adjacency_is_canonical_and_stays_so_when_a_graph_is_made_of_it(
    given: tuple[int, Entries],
) -> None:
    graph = graph_of(*given)
    adjacency = graph.adjacency
    assert adjacency.dtype == np.float32
    assert np.all(adjacency.data > 0)
    for start, stop in zip(adjacency.indptr[:-1], adjacency.indptr[1:], strict=True):
        assert np.all(np.diff(adjacency.indices[start:stop]) > 0)
    again = Graph.from_scipy(adjacency, features=graph.features)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(again.adjacency, part), getattr(adjacency, part))


@given(entry_lists(), st.randoms(use_true_random=False))
def test_the_order_and_the_direction_in_which_edges_are_listed_do_not_matter(
    given: tuple[int, Entries], random: Any
) -> None:
    n, entries = given
    shuffled = [(j, i, w) if random.random() < 0.5 else (i, j, w) for i, j, w in entries]
    random.shuffle(shuffled)
    one, other = graph_of(n, entries), graph_of(n, shuffled)
    np.testing.assert_array_equal(one.adjacency.toarray(), other.adjacency.toarray())


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array, np.asarray])
def test_every_form_of_matrix_gives_the_same_graph(form: Any) -> None:
    dense = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 3.0, 5.0]])
    graph = Graph.from_scipy(form(dense))
    expected = [[0, 2, 0], [2, 0, 3], [0, 3, 0]]
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)


def test_changes_of_the_edges_are_logged_each_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="cogsl"):
        Graph.from_edges([[0, 1, 0, 0, 2], [1, 0, 2, 2, 2]])
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "Dropped 1 self-loops; each view adds its own.",
        "Merged 1 duplicate edges.",
        "Made 1 directed edges symmetric.",
    ]


def test_a_clean_graph_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="cogsl"):
        Graph.from_edges([[0, 1], [1, 0]], weights=[0.5, 0.5])
    assert caplog.records == []


# Constructors -------------------------------------------------------------------------------------


def test_without_features_each_node_is_its_own_identity_vector() -> None:
    graph = Graph.from_edges(PATH)
    assert isinstance(graph.features, csr_array)
    np.testing.assert_array_equal(graph.features.toarray(), np.eye(4))


@pytest.mark.parametrize(
    ("arguments", "n"),
    [
        ({}, 4),
        ({"n_nodes": 9}, 9),
        ({"labels": [0] * 6}, 6),
        ({"features": np.ones((7, 2))}, 7),
        ({"features": [[1.0]] * 5}, 5),
    ],
)
def test_nodes_without_an_edge_count(arguments: dict[str, Any], n: int) -> None:
    graph = Graph.from_edges(PATH, **arguments)
    assert graph.n_nodes == n
    assert graph.n_edges == 3


def test_a_graph_without_edges_is_fine() -> None:
    graph = Graph.from_edges([[], []], n_nodes=3)
    assert (graph.n_nodes, graph.n_edges) == (3, 0)
    assert np.isnan(graph.homophily)


def test_features_alone_become_the_knn_graph() -> None:
    features = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 1]])
    graph = Graph.from_features(features, neighbours=2)
    # Nearest to one another: 0 and 1, 2 and 3. Node 4 is as near to 1 as to 3; the lower one wins.
    expected = np.zeros((5, 5))
    for i, j in ((0, 1), (2, 3), (1, 4)):
        expected[i, j] = expected[j, i] = 1.0
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)


def test_sparse_and_dense_features_give_the_same_knn_graph() -> None:
    features = np.random.default_rng(0).integers(0, 3, (30, 12)).astype(float)
    dense = Graph.from_features(features, neighbours=4)
    sparse = Graph.from_features(csc_array(features), neighbours=4)
    assert isinstance(sparse.features, csr_array)
    np.testing.assert_array_equal(dense.adjacency.toarray(), sparse.adjacency.toarray())


def test_sizes_are_those_of_the_parts() -> None:
    graph = path_graph(features=np.ones((4, 3)), labels=[0, 0, 2, -1], test=[])
    assert (graph.n_nodes, graph.n_edges, graph.n_features, graph.n_classes) == (4, 3, 3, 3)
    assert repr(graph) == (
        "Graph(name='', n_nodes=4, n_edges=3, n_features=3, n_classes=3, split=2/1/0)"
    )


def test_homophily_counts_edges_between_labelled_nodes_only() -> None:
    graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], labels=[0, 0, 1, -1, 1])
    assert graph.homophily == 0.5  # 0-1 alike, 1-2 not; 2-3 and 3-4 unknown


def test_masks_and_indices_make_the_same_split() -> None:
    masks = path_graph(
        train=[True, False, True, False],
        val=np.array([False, True, False, False]),
        test=[False, False, False, True],
    )
    indices = path_graph(train=(2, 0, 2), val=np.array([1], dtype=np.int32), test=[3])
    for part, nodes in (("train", [0, 2]), ("val", [1]), ("test", [3])):
        np.testing.assert_array_equal(getattr(masks, part), nodes)
        np.testing.assert_array_equal(getattr(indices, part), nodes)


# Nothing is altered -------------------------------------------------------------------------------


def test_inputs_are_neither_altered_nor_shared() -> None:
    features, labels = np.ones((4, 2), dtype=np.float32), np.array([0, 0, 1, 1])
    adjacency = csr_array(np.diag([1.0, 1.0, 1.0], k=1) + np.diag([0.0, 2.0, 0.0, 0.0]))
    before = [array.copy() for array in (features, labels, adjacency.toarray())]
    graph = Graph.from_scipy(adjacency, features=features, labels=labels, train=[0, 2])
    for array, copied in zip((features, labels, adjacency.toarray()), before, strict=True):
        np.testing.assert_array_equal(array, copied)
    features[0], labels[0], adjacency.data[:] = 7.0, 1, 9.0
    assert graph.features[0, 0] == 1.0
    assert graph.labels[0] == 0
    assert graph.adjacency.max() == 1.0


@pytest.mark.parametrize("features", [np.eye(4), csr_array(np.eye(4))])
def test_no_part_of_a_graph_can_be_altered(features: Any) -> None:
    graph = path_graph(features=features)
    arrays: list[Any] = [graph.labels, graph.train, graph.val, graph.test]
    for matrix in (graph.adjacency, graph.features):
        if isinstance(matrix, csr_array):
            arrays += [matrix.data, matrix.indices, matrix.indptr]
        else:
            arrays.append(matrix)
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.name = "other"  # type: ignore[misc]


def test_a_graph_made_from_another_s_arrays_shares_them() -> None:
    first = Graph.from_edges([[0, 1], [1, 2]], features=np.ones((3, 2)), labels=[0, 1, 1])
    second = Graph(first.adjacency, first.features, first.labels[::-1])
    assert np.shares_memory(first.adjacency.data, second.adjacency.data)
    assert np.shares_memory(first.features, second.features)


def test_arrays_that_are_read_only_but_not_safe_are_copied() -> None:
    base = np.ones((3, 2), dtype=np.float32)
    view = base[:]
    view.setflags(write=False)
    graph = Graph.from_edges([[0, 1], [1, 2]], features=view, labels=[0, 1, 1])
    base[0, 0] = 7.0
    assert isinstance(graph.features, np.ndarray)
    assert graph.features[0, 0] == 1.0


def test_another_split_shares_everything_else() -> None:
    graph = path_graph()
    other = graph.with_split([1, 3], [0])
    assert other.adjacency is graph.adjacency
    assert other.features is graph.features
    np.testing.assert_array_equal(other.train, [1, 3])
    np.testing.assert_array_equal(other.test, [])
    np.testing.assert_array_equal(graph.train, [0, 2])


# Mistakes -----------------------------------------------------------------------------------------

NAN_FEATURES = np.eye(4)
NAN_FEATURES[2, 1] = np.nan
INFINITE = csr_array(np.diag([1.0, np.inf, 1.0, -np.inf]))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"features": NAN_FEATURES}, errors.FeatureValueError, r"rows 2\. .*nan_to_num"),
        ({"features": INFINITE}, errors.FeatureValueError, r"rows 1, 3\."),
        ({"features": np.full((4, 1), 1e300)}, errors.FeatureValueError, r"rows 0, 1, 2, 3\."),
        ({"features": [["a"]] * 4}, errors.FeatureValueError, "must be numbers"),
        ({"features": np.ones(4)}, errors.LengthMismatchError, r"shape N x D .* \(4,\)"),
        ({"features": np.ones((4, 0))}, errors.LengthMismatchError, "at least one column"),
        ({"features": np.eye(5), "n_nodes": 4}, errors.LengthMismatchError, "4 nodes. Got 5 rows"),
        ({"labels": [0, 1, 1]}, errors.LengthMismatchError, r"4 nodes. .*shape \(3,\)"),
        ({"labels": [0, 1, -2, 1]}, errors.LabelError, r"Got -2 instead, at nodes 2\."),
        ({"labels": [0, 1, 0.5, 1]}, errors.LabelError, r"Got 0.5 instead, at nodes 2\."),
        ({"labels": [0, 1, np.nan, 1]}, errors.LabelError, "Got nan instead, at nodes 2"),
        ({"labels": ["a", "b", "a", "b"]}, errors.LabelError, "return_inverse"),
        ({"weights": [1, -1, 1]}, errors.EdgeWeightError, r"by edge: \(1, 2\): -1.0\."),
        ({"weights": [1, 1, np.nan]}, errors.EdgeWeightError, r"by edge: \(2, 3\): nan\."),
        ({"weights": [np.inf, 1, 1]}, errors.EdgeWeightError, r"by edge: \(0, 1\): inf\."),
        ({"weights": [1, 1]}, errors.LengthMismatchError, "each of the 3 edges"),
        ({"weights": ["a", "b", "c"]}, errors.EdgeWeightError, "must be numbers. Got <U1"),
        ({"features": np.ones((3, 1))}, errors.EdgeEndpointError, r"0 to 2\. .*: \(2, 3\)\."),
        ({"features": np.ones((0, 1))}, errors.NoNodesError, "at least one node"),
        ({"n_nodes": 0}, errors.NoNodesError, "at least one node"),
        ({"train": [0, 4]}, errors.EmptySplitError, "'train' .* from 0 to 3. Got 4"),
        ({"val": [-1]}, errors.EmptySplitError, "'val' .* from 0 to 3. Got -1"),
        ({"val": [0.5]}, errors.EmptySplitError, "'val' .* Got float64"),
        ({"test": [False, True]}, errors.LengthMismatchError, r"'test' .* shape \(2,\)"),
        ({"test": [2, 3]}, errors.OverlappingSplitError, "'train' and 'test' .* nodes 2;"),
        ({"val": [3]}, errors.OverlappingSplitError, "'val' and 'test' .* nodes 3;"),
    ],
)
def test_a_mistake_has_an_error_that_names_it(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        path_graph(**changes)
    assert type(raised.value) is error
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        ([[0, 1], [1, 2], [2, 3]], errors.LengthMismatchError, r"\(3, 2\) instead; transpose"),
        ([[0], [1, 2]], errors.LengthMismatchError, "as many sources as targets"),
        ([[0.0, 1.0], [1.0, 2.0]], errors.EdgeEndpointError, "float64"),
        ([[0, -1], [1, 2]], errors.EdgeEndpointError, r"position 1 of the edge index: \(-1, 2\)"),
    ],
)
def test_an_edge_index_of_another_form_is_refused(
    edges: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(edges, n_nodes=4)


def test_rows_of_numbers_are_a_matrix_too() -> None:
    assert Graph.from_scipy([[0, 1], [1, 0]]).n_edges == 1


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        ([["a", "b"], ["b", "a"]], errors.EdgeWeightError),
        ([[0, 1], [1]], errors.LengthMismatchError),
        ("a matrix", errors.LengthMismatchError),
        (np.array([[0, 1], [1, 0]], dtype=object), errors.EdgeWeightError),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"numbers"):
        Graph.from_scipy(matrix)


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(errors.LengthMismatchError, match=r"square .* \(2, 3\)"):
        Graph.from_scipy(csr_array(np.ones((2, 3))))
    with pytest.raises(errors.NoNodesError):
        Graph.from_scipy(csr_array((0, 0)))


@pytest.mark.parametrize("neighbours", [0, -3, 2.5])
def test_a_knn_graph_needs_a_whole_number_of_neighbours(neighbours: Any) -> None:
    with pytest.raises(errors.SettingValueError, match=f"Got {neighbours} instead"):
        Graph.from_features(np.eye(4), neighbours=neighbours)


def test_features_without_rows_make_no_knn_graph() -> None:
    with pytest.raises(errors.NoNodesError):
        Graph.from_features(np.ones((0, 3)))


def test_many_offenders_are_counted_and_the_first_named() -> None:
    with pytest.raises(errors.FeatureValueError, match=r"rows 0, 1, 2, 3, 4, \.\.\. \(9 in all\)"):
        Graph.from_edges(PATH, features=np.full((9, 2), np.nan))


# What training needs ------------------------------------------------------------------------------


def test_a_graph_with_a_whole_split_is_trainable() -> None:
    path_graph().check_trainable()
    path_graph(test=[]).check_trainable()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"train": []}, errors.EmptySplitError, "'train' part of the split holds no node"),
        ({"val": []}, errors.EmptySplitError, "'val' part of the split holds no node"),
        ({"labels": [0, -1, 1, 1]}, errors.EmptySplitError, r"'val' .* a label: 1\."),
        ({"labels": [0, 0, 1, -1]}, errors.EmptySplitError, r"'test' .* a label: 3\."),
        ({"labels": [0, 0, 2, 1]}, errors.MissingClassError, r"of class 1\."),
        ({"labels": [1, 1, 1, 1]}, errors.TooFewClassesError, "Got 1 instead"),
        ({"labels": None}, errors.TooFewClassesError, "Got none instead"),
    ],
)
def test_what_cannot_be_trained_on_is_refused_before_training(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    graph = path_graph(**changes)
    with pytest.raises(error, match=message):
        graph.check_trainable()


def test_a_number_that_no_node_has_as_label_needs_no_training_node() -> None:
    path_graph(labels=[0, 0, 3, 3]).check_trainable()


def test_other_edges_leave_everything_else_as_it_was() -> None:
    graph = Graph.from_edges(
        [[0, 1], [1, 2]], features=np.eye(3), labels=[0, 1, 0], train=[0], val=[1], name="path"
    )
    other = graph.with_edges(csr_array(([2.0], ([0], [2])), shape=(3, 3)))
    assert other.adjacency.toarray().tolist() == [[0, 0, 2], [0, 0, 0], [2, 0, 0]]
    assert (other.name, other.train.tolist(), other.val.tolist()) == ("path", [0], [1])
    assert np.array_equal(other.labels, graph.labels)
    assert graph.n_edges == 2
    with pytest.raises(errors.LengthMismatchError):
        graph.with_edges(csr_array((4, 4)))
