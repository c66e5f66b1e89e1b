from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.views import Adjacency, Subgraph
from cogsl.views.subgraph import sample_edges
from tests.views.graphs import generator, graph_of, random_graph, random_graphs


@given(random_graphs(), st.floats(0.01, 1.0), st.integers(0, 99))
def test_the_rounded_share_of_the_edges_is_kept_with_weights(
    graph: Graph, share: float, seed: int
) -> None:
    kept = sample_edges(graph.adjacency, share=share, generator=generator(seed)).toarray()
    full = graph.adjacency.toarray()
    assert np.count_nonzero(np.triu(kept)) == round(share * graph.n_edges)
    np.testing.assert_array_equal(kept, kept.T)
    np.testing.assert_array_equal(kept[kept > 0], full[kept > 0])


def test_half_of_a_triangle_and_one_edge_by_hand() -> None:
    graph = graph_of((0, 1), (0, 2), (1, 2), (3, 4), n=6)
    view = Subgraph(subgraph_share=0.25).build(graph, generator=generator(5))
    V = view.matrix.toarray()
    i, j = np.argwhere(np.triu(V, k=1) > 0)[0]
    expected = np.eye(6)
    expected[[i, i, j, j], [i, j, i, j]] = 0.5
    np.testing.assert_allclose(V, expected)
    np.testing.assert_array_equal(view.scope.toarray(), expected > 0)


def test_a_share_of_one_is_the_adjacency_view() -> None:
    graph = random_graph(0)
    one = Subgraph(subgraph_share=1.0, scope=2).build(graph, generator=generator())
    two = Adjacency(scope=2).build(graph, generator=generator())
    np.testing.assert_array_equal(one.matrix.toarray(), two.matrix.toarray())
    np.testing.assert_array_equal(one.scope.toarray(), two.scope.toarray())


def test_every_edge_is_kept_about_as_often() -> None:
    graph = graph_of((0, 1), (1, 2), (2, 3), (3, 4), (0, 4), n=5)
    drawn = generator(1)
    counts = sum(
        sample_edges(graph.adjacency, share=0.4, generator=drawn).toarray() for _ in range(500)
    )
    kept = np.asarray(counts)[graph.adjacency.toarray() > 0]
    # 500 draws of 2 in 5: 200 each, with a standard deviation of 11.
    assert kept.min() > 150
    assert kept.max() < 250


def test_the_draw_depends_on_the_generator_alone() -> None:
    graph = random_graph(3, n_nodes=30)
    first, again, other = (
        Subgraph().build(graph, generator=generator(seed)).matrix.toarray() for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_edges_are_stored_changes_nothing(seed: int) -> None:
    ordered = random_graph(seed).adjacency
    backwards = ordered.copy()
    for start, stop in zip(ordered.indptr, ordered.indptr[1:], strict=False):
        backwards.indices[start:stop] = ordered.indices[start:stop][::-1]
        backwards.data[start:stop] = ordered.data[start:stop][::-1]
    backwards.has_sorted_indices = False
    one, two = (sample_edges(A, share=0.5, generator=generator(seed)) for A in (ordered, backwards))
    np.testing.assert_array_equal(one.toarray(), two.toarray())


def test_a_graph_without_edges_keeps_its_self_loops() -> None:
    view = Subgraph().build(graph_of(n=3), generator=generator())
    assert isinstance(view.matrix, csr_array)
    np.testing.assert_array_equal(view.matrix.toarray(), np.eye(3))
