from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.views import KNN
from tests.views.graphs import generator, graph_of, random_graph

# Node 2 lies between the others and nearer to 1; neither of them has it as its nearest.
FEATURES = np.array([[1, 0], [0, 1], [0.5, 0.6], [0, 2]], dtype=np.float32)


def test_neighbours_by_hand_share_a_row_equally_and_are_not_symmetric() -> None:
    view = KNN(knn_neighbours=2).build(graph_of(n=4, features=FEATURES), generator=generator())
    expected = [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0.5, 0.5, 0], [0, 0.5, 0, 0.5]]
    np.testing.assert_allclose(view.matrix.toarray(), expected)
    np.testing.assert_array_equal(view.scope.toarray(), np.array(expected) > 0)


def test_two_hops_follow_the_neighbours_of_a_node_not_those_who_chose_it() -> None:
    graph = graph_of(n=4, features=FEATURES)
    view = KNN(knn_neighbours=2, scope=2).build(graph, generator=generator())
    expected = [[1, 1, 1, 0], [0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 1]]
    np.testing.assert_array_equal(view.scope.toarray(), expected)


def test_the_edges_of_the_graph_play_no_part() -> None:
    plain = KNN(knn_neighbours=2).build(graph_of(n=4, features=FEATURES), generator=generator())
    edged = graph_of((0, 1), (2, 3), n=4, features=FEATURES)
    joined = KNN(knn_neighbours=2).build(edged, generator=generator())
    np.testing.assert_array_equal(joined.matrix.toarray(), plain.matrix.toarray())


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_each_row_holds_k_equal_entries_that_sum_to_one(k: int) -> None:
    graph = random_graph(1)
    V = KNN(knn_neighbours=k).build(graph, generator=generator()).matrix
    k = min(k, graph.n_nodes)
    np.testing.assert_array_equal(np.diff(V.indptr), k)
    np.testing.assert_allclose(V.data, 1 / k)


def test_sparse_and_dense_features_give_the_same_view() -> None:
    dense = random_graph(2)
    sparse = Graph.from_scipy(dense.adjacency, features=csr_array(dense.features))
    one, two = (KNN(knn_neighbours=4).build(g, generator=generator()) for g in (dense, sparse))
    np.testing.assert_array_equal(one.matrix.toarray(), two.matrix.toarray())
