from __future__ import annotations

import logging

import numpy as np
import pytest
import scipy.sparse as sp

from cogsl.errors import LengthMismatchError, SettingValueError
from cogsl.extension import extend
from cogsl.graph import Graph


def path_of_three(*, sparse: bool = False) -> Graph:
    features = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return Graph.from_edges(
        np.array([[0, 1], [1, 2]]),
        features=sp.csr_array(features) if sparse else features,
        labels=[0, 1, -1],
        weights=[0.5, 2.0],
        train=[0, 1],
    )


def entries(graph: Graph) -> dict[tuple[int, int], float]:
    upper = sp.triu(graph.adjacency).tocoo()
    return {(int(i), int(j)): float(w) for i, j, w in zip(*upper.coords, upper.data, strict=True)}


@pytest.mark.parametrize("sparse", [False, True])
def test_a_node_without_edges_is_joined_to_the_known_nodes_most_like_it(sparse: bool) -> None:
    graph = extend(path_of_three(sparse=sparse), np.array([[9.0, 1.0]]), neighbours=2)
    assert entries(graph) == {(0, 1): 0.5, (1, 2): 2.0, (0, 3): 1.0, (2, 3): 1.0}
    assert graph.labels.tolist() == [0, 1, -1, -1]
    assert graph.train.tolist() == [0, 1]
    assert sp.issparse(graph.features) is sparse


def test_edges_join_new_nodes_to_known_ones_and_to_one_another() -> None:
    edges = sp.coo_array(([3.0, 1.0], ([3, 4], [1, 3])), shape=(5, 5))
    graph = extend(path_of_three(), np.eye(2), edges)
    assert entries(graph) == {(0, 1): 0.5, (1, 2): 2.0, (1, 3): 3.0, (3, 4): 1.0}


def test_only_nodes_that_no_edge_joins_get_neighbours(caplog: pytest.LogCaptureFixture) -> None:
    edges = sp.coo_array(([1.0, 1.0, 0.0], ([3, 4, 4], [1, 4, 0])), shape=(5, 5))
    with caplog.at_level(logging.INFO, logger="cogsl"):
        graph = extend(path_of_three(), sp.csr_array(np.eye(2)), edges, neighbours=1)
    assert entries(graph) == {(0, 1): 0.5, (1, 2): 2.0, (1, 3): 1.0, (1, 4): 1.0}
    assert "1 new nodes have no edge" in caplog.text


def test_features_and_edges_must_be_of_the_right_size() -> None:
    with pytest.raises(LengthMismatchError, match="the 2 features of the known ones"):
        extend(path_of_three(), np.ones((1, 3)))
    with pytest.raises(LengthMismatchError, match="3 known and 1 new nodes"):
        extend(path_of_three(), np.ones((1, 2)), sp.eye_array(3))
    with pytest.raises(SettingValueError, match="Got 0 instead"):
        extend(path_of_three(), np.ones((1, 2)), neighbours=0)
