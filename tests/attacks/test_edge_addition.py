"""Edges that do not belong there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogsl.attacks import EdgeAddition
from cogsl.errors import AttackError
from cogsl.graph import Graph
from tests.attacks.graphs import random_graph

PATH = Graph.from_edges([[0, 1], [1, 2]], n_nodes=4, weights=[1.0, 3.0])


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), ratio=st.floats(0.0, 0.75), n=st.integers(20, 60))
def test_addition_meets_the_budget_and_keeps_every_edge(seed: int, ratio: float, n: int) -> None:
    graph = random_graph(n=n, seed=seed)
    attacked = EdgeAddition(ratio=ratio).apply(graph, seed=seed)
    assert attacked.n_edges - graph.n_edges == round(ratio * graph.n_edges)
    given_ones = graph.adjacency.toarray()
    kept = attacked.adjacency.toarray()[given_ones > 0]
    np.testing.assert_array_equal(kept, given_ones[given_ones > 0])


def test_new_edges_have_the_mean_weight() -> None:
    added = EdgeAddition(ratio=0.5).apply(PATH, seed=0).adjacency.toarray()
    new = added[(added > 0) & (PATH.adjacency.toarray() == 0)]
    np.testing.assert_array_equal(new, [2.0, 2.0])


def test_every_free_pair_may_be_joined_and_all_of_them_at_last() -> None:
    found = set()
    for seed in range(80):
        added = EdgeAddition(ratio=0.5).apply(PATH, seed=seed).adjacency.toarray()
        ((i, j),) = np.argwhere(np.triu(added - PATH.adjacency.toarray()))
        found.add((int(i), int(j)))
    assert found == {(0, 2), (0, 3), (1, 3), (2, 3)}
    assert EdgeAddition(ratio=2.0).apply(PATH, seed=0).n_edges == 6
    with pytest.raises(AttackError, match=r"wants 6 pairs of nodes that are not joined, and .* 4"):
        EdgeAddition(ratio=3.0).apply(PATH, seed=0)


def test_pairs_of_a_large_sparse_graph_are_drawn_evenly() -> None:
    """Each node is as likely an end as any other: 2,000 new edges among 500 nodes, 8 ends each."""
    ring = Graph.from_edges([np.arange(500), np.roll(np.arange(500), 1)], n_nodes=500)
    attacked = EdgeAddition(ratio=4.0).apply(ring, seed=0)
    degrees = np.diff(attacked.adjacency.indptr) - 2
    assert degrees.sum() == 4000
    assert 6.0 < degrees.var() < 10.5  # of a Poisson count of mean 8
