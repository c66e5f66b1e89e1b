"""Edges that are taken away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from cogsl.attacks import EdgeDeletion
from cogsl.errors import AttackError
from cogsl.graph import Graph
from tests.attacks.graphs import random_graph

SQUARE = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]], n_nodes=4)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), ratio=st.floats(0.0, 0.4), n=st.integers(6, 60))
def test_deletion_keeps_the_number_of_components_and_meets_the_budget(
    seed: int, ratio: float, n: int
) -> None:
    graph = random_graph(n=n, seed=seed)
    attacked = EdgeDeletion(ratio=ratio).apply(graph, seed=seed)
    assert graph.n_edges - attacked.n_edges == round(ratio * graph.n_edges)
    components = [connected_components(g.adjacency)[0] for g in (graph, attacked)]
    assert components[0] == components[1]


def test_what_is_left_has_its_weights() -> None:
    graph = random_graph()
    left = EdgeDeletion(ratio=0.3).apply(graph, seed=0).adjacency.toarray()
    np.testing.assert_array_equal(left[left > 0], graph.adjacency.toarray()[left > 0])


def test_any_edge_of_a_square_may_go_and_only_one() -> None:
    gone = set()
    for seed in range(60):
        left = EdgeDeletion(ratio=0.25).apply(SQUARE, seed=seed).adjacency.toarray()
        ((i, j),) = np.argwhere(np.triu(SQUARE.adjacency.toarray() - left))
        gone.add((int(i), int(j)))
    assert gone == {(0, 1), (1, 2), (2, 3), (0, 3)}
    with pytest.raises(AttackError, match=r"wants 2 edges whose loss parts nothing, and the graph"):
        EdgeDeletion(ratio=0.5).apply(SQUARE, seed=0)


def test_a_tree_has_nothing_to_lose() -> None:
    tree = Graph.from_edges([[0, 1], [1, 2]], n_nodes=3)
    with pytest.raises(AttackError, match=r"Lower 'ratio' to 0\.000"):
        EdgeDeletion(ratio=0.5).apply(tree, seed=0)
