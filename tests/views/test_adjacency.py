from __future__ import annotations

import numpy as np

from cogsl.views import Adjacency
from tests.views.graphs import generator, graph_of


def test_a_path_of_three_and_an_isolated_node_by_hand() -> None:
    view = Adjacency().build(graph_of((0, 1), (1, 2), n=4), generator=generator())
    r = 1 / np.sqrt(6)  # between degrees 2 and 3, self-loops counted
    expected = [[1 / 2, r, 0, 0], [r, 1 / 3, r, 0], [0, r, 1 / 2, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(view.matrix.toarray(), expected)
    np.testing.assert_array_equal(view.scope.toarray(), np.array(expected) > 0)


def test_two_hops_reach_the_neighbours_of_neighbours_and_leave_the_matrix() -> None:
    graph = graph_of((0, 1), (1, 2), (2, 3), n=4)
    one, two = (Adjacency(scope=k).build(graph, generator=generator()) for k in (1, 2))
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    np.testing.assert_array_equal(two.scope.toarray(), distance <= 2)
    np.testing.assert_array_equal(two.matrix.toarray(), one.matrix.toarray())


def test_weights_count_in_the_degrees() -> None:
    view = Adjacency().build(graph_of((0, 1), n=2, weights=[3.0]), generator=generator())
    np.testing.assert_allclose(view.matrix.toarray(), [[1 / 4, 3 / 4], [3 / 4, 1 / 4]])
