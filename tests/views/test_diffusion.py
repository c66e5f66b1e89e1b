from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cogsl.errors import MissingExtraError
from cogsl.graph import Graph
from cogsl.sparse import push
from cogsl.views import Diffusion, diffusion
from cogsl.views.diffusion import (
    exact_personalised_pagerank,
    personalised_pagerank,
    push_personalised_pagerank,
)
from tests.views.graphs import generator, graph_of, random_graph, random_graphs

TIGHT = 1e-12


def iterated(A: csr_array, *, teleport: float, top: int) -> csr_array:
    return personalised_pagerank(A, teleport=teleport, top=top, tolerance=TIGHT)


def pushed(A: csr_array, *, teleport: float, top: int) -> csr_array:
    return push_personalised_pagerank(A, teleport=teleport, top=top, epsilon=TIGHT)


ROUTES = pytest.mark.parametrize("route", [exact_personalised_pagerank, iterated, pushed])
Route = Callable[..., csr_array]


def complete(n: int) -> csr_array:
    return csr_array((np.ones((n, n)) - np.eye(n)).astype(np.float32))


@ROUTES
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("teleport", [0.05, 0.2, 0.7])
def test_a_complete_graph_has_its_closed_form(route: Route, n: int, teleport: float) -> None:
    # A + I = 1 1^T is n times a projection P, so S = alpha I + (1 - alpha) P.
    expected = teleport * np.eye(n) + (1 - teleport) / n
    S = route(complete(n), teleport=teleport, top=n)
    np.testing.assert_allclose(S.toarray(), expected, atol=1e-10)


@ROUTES
def test_two_joined_nodes_by_hand(route: Route) -> None:
    S = route(complete(2), teleport=0.2, top=2)
    np.testing.assert_allclose(S.toarray(), [[0.6, 0.4], [0.4, 0.6]], atol=1e-10)


@ROUTES
def test_an_edge_of_weight_three_by_hand(route: Route) -> None:
    # D = 4 on both sides: G = [[1, 3], [3, 1]] / 4 has eigenvalues 1 and -1/2.
    S = route(csr_array(3 * complete(2)), teleport=0.2, top=2)
    odd = 0.2 / (1 + 0.8 / 2)
    expected = [[(1 + odd) / 2, (1 - odd) / 2], [(1 - odd) / 2, (1 + odd) / 2]]
    np.testing.assert_allclose(S.toarray(), expected, atol=1e-10)


@ROUTES
def test_the_root_of_the_degrees_is_kept_by_the_diffusion(route: Route) -> None:
    A = random_graph(4).adjacency
    root = np.sqrt(1.0 + A.astype(np.float64).sum(axis=1))  # the eigenvector to the value 1
    S = route(A, teleport=0.15, top=A.shape[0])
    np.testing.assert_allclose(S @ root, root, rtol=1e-8)


@ROUTES
def test_teleporting_always_leaves_every_node_alone(route: Route) -> None:
    S = route(complete(4), teleport=1.0, top=3)
    np.testing.assert_array_equal(S.toarray(), np.eye(4))


@ROUTES
def test_of_equal_entries_the_lower_index_is_kept_and_the_node_itself_first(route: Route) -> None:
    S = route(complete(5), teleport=0.2, top=3)
    expected = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 4]]
    np.testing.assert_array_equal(S.indices.reshape(5, 3), expected)


@ROUTES
def test_equal_leaves_of_a_star_are_equal_however_they_are_numbered(route: Route) -> None:
    # The hub stands in the middle, so the leaves' sums are made in different orders.
    hub, n = 4, 9
    A = np.zeros((n, n), dtype=np.float32)
    A[hub, :] = A[:, hub] = 1
    A[hub, hub] = 0
    S = route(csr_array(A), teleport=0.2, top=4)
    np.testing.assert_array_equal(S.indices.reshape(n, 4)[8], [0, 1, 4, 8])
    np.testing.assert_array_equal(S.indices.reshape(n, 4)[hub], [0, 1, 2, 4])


@ROUTES
def test_a_leaf_keeps_itself_even_if_its_hub_has_more_weight(route: Route) -> None:
    star = csr_array(np.array([[0, 9, 9], [9, 0, 0], [9, 0, 0]], dtype=np.float32))
    full = route(star, teleport=0.1, top=3).toarray()
    assert full[1, 0] > full[1, 1]  # the hub is ahead of the leaf
    np.testing.assert_array_equal(route(star, teleport=0.1, top=1).indices, [0, 1, 2])


@ROUTES
def test_nodes_that_cannot_be_reached_are_no_neighbours(route: Route) -> None:
    A = graph_of((0, 1), (2, 3), n=5).adjacency
    S = route(A, teleport=0.2, top=4).toarray()
    joined = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(S > 0, joined)
    assert S[4, 4] == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("top", [1, 5, 1000])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("route", [iterated, pushed])
def test_the_routes_agree(route: Route, weighted: bool, top: int, seed: int) -> None:
    A = random_graph(seed, weighted=weighted).adjacency
    exact = exact_personalised_pagerank(A, teleport=0.2, top=top)
    found = route(A, teleport=0.2, top=top)
    np.testing.assert_array_equal(found.toarray() > 0, exact.toarray() > 0)
    np.testing.assert_allclose(found.toarray(), exact.toarray(), rtol=0, atol=1e-10)


@given(random_graphs(), st.floats(0.05, 1.0), st.sampled_from([1e-2, 1e-4, 1e-7]))
def test_no_entry_is_off_by_more_than_the_tolerance(
    graph: Graph, teleport: float, tolerance: float
) -> None:
    A = graph.adjacency
    exact = exact_personalised_pagerank(A, teleport=teleport).toarray()
    found = personalised_pagerank(
        A, teleport=teleport, top=graph.n_nodes, tolerance=tolerance
    ).toarray()
    kept = found != 0
    np.testing.assert_allclose(found[kept], exact[kept], rtol=0, atol=tolerance + 1e-10)
    assert exact[~kept].max(initial=0.0) <= 2 * tolerance + 1e-10


@given(random_graphs(), st.floats(0.05, 1.0), st.sampled_from([1e-1, 1e-2, 1e-4]))
@settings(deadline=None)
def test_no_pushed_entry_is_too_large_and_none_too_small_by_more_than_the_bound(
    graph: Graph, teleport: float, epsilon: float
) -> None:
    A = graph.adjacency.astype(np.float64)
    degrees = 1.0 + A.sum(axis=1)
    degrees *= (A.nnz + graph.n_nodes) / degrees.sum()
    exact = exact_personalised_pagerank(A, teleport=teleport).toarray()
    found = push_personalised_pagerank(
        A, teleport=teleport, top=graph.n_nodes, epsilon=epsilon
    ).toarray()
    assert (exact - found).min() >= -1e-10
    assert (exact - found - epsilon * np.sqrt(np.outer(degrees, degrees))).max() <= 1e-10


def test_a_push_goes_as_far_whatever_the_weights_are_measured_in() -> None:
    A = random_graph(3, n_nodes=200, weighted=False).adjacency
    plain, heavy = (
        push_personalised_pagerank(csr_array(factor * A), teleport=0.1, top=20)
        for factor in (1, 10_000)
    )
    assert heavy.nnz > 0.9 * plain.nnz


def test_by_default_a_push_finds_nearly_all_of_the_largest_entries() -> None:
    A = random_graph(9, n_nodes=400).adjacency
    for teleport in (0.05, 0.2):
        exact = exact_personalised_pagerank(A, teleport=teleport)
        best = exact_personalised_pagerank(A, teleport=teleport, top=16)
        found = push_personalised_pagerank(A, teleport=teleport, top=16)
        assert found.multiply(best > 0).nnz > 0.9 * best.nnz
        assert exact.multiply(found > 0).sum() > 0.98 * best.sum()


def test_entries_no_larger_than_the_tolerance_are_left_out() -> None:
    path = graph_of(*((i, i + 1) for i in range(19)), n=20).adjacency
    S = personalised_pagerank(path, teleport=0.2, top=20, tolerance=1e-3)
    assert S.data.min() > 1e-3
    assert S.nnz < exact_personalised_pagerank(path, teleport=0.2, top=20).nnz


def test_a_node_keeps_itself_however_coarse_the_tolerance() -> None:
    S = personalised_pagerank(complete(5), teleport=0.1, top=2, tolerance=0.5)
    np.testing.assert_array_equal(S.toarray() > 0, np.eye(5))


@given(random_graphs(), st.floats(0.05, 1.0))
def test_the_whole_diffusion_is_symmetric_and_its_diagonal_at_least_the_teleport(
    graph: Graph, teleport: float
) -> None:
    S = exact_personalised_pagerank(graph.adjacency, teleport=teleport).toarray()
    np.testing.assert_allclose(S, S.T, atol=1e-10)
    assert S.min() >= 0
    assert S.diagonal().min() >= teleport - 1e-10


@ROUTES
def test_the_columns_of_a_row_are_sorted(route: Route) -> None:
    S = route(random_graph(5).adjacency, teleport=0.2, top=4)
    assert S.has_canonical_format


def test_the_view_normalises_the_kept_entries_by_their_row_sums() -> None:
    graph = graph_of((0, 1), (0, 2), (1, 2), n=3)
    view = Diffusion(scope=2).build(graph, generator=generator())
    own, other = 0.2 + 0.8 / 3, 0.8 / 3
    kept = np.array([[own, other, 0], [other, own, 0], [other, 0, own]])
    np.testing.assert_allclose(view.matrix.toarray(), kept / (own + other), atol=1e-10)
    np.testing.assert_array_equal(view.scope.toarray(), kept > 0)


def test_small_and_large_graphs_take_their_own_route_to_the_same_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = random_graph(6)
    small = Diffusion(scope=5).build(graph, generator=generator())
    monkeypatch.setattr(diffusion, "EXACT_NODES", 0)
    monkeypatch.setattr(diffusion, "exact_personalised_pagerank", None)
    large = Diffusion(scope=5).build(graph, generator=generator())
    np.testing.assert_array_equal(large.scope.toarray(), small.scope.toarray())
    np.testing.assert_allclose(large.matrix.toarray(), small.matrix.toarray(), rtol=0, atol=1e-6)

    monkeypatch.setattr(diffusion, "SERIES_NODES", 0)
    monkeypatch.setattr(diffusion, "personalised_pagerank", None)
    monkeypatch.setattr(diffusion, "PUSH_EFFORT", 1e9)
    huge = Diffusion(scope=5).build(graph, generator=generator())
    np.testing.assert_array_equal(huge.scope.toarray(), small.scope.toarray())
    np.testing.assert_allclose(huge.matrix.toarray(), small.matrix.toarray(), rtol=0, atol=1e-6)


def test_a_huge_graph_needs_numba_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(6)
    monkeypatch.setattr(diffusion, "EXACT_NODES", 0)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(push, "_compiled", push._compiled.__wrapped__)  # not the one kept
    Diffusion(scope=5).build(graph, generator=generator())
    monkeypatch.setattr(diffusion, "SERIES_NODES", 0)
    with pytest.raises(MissingExtraError, match=r"Diffusion on a large graph needs .* 'numba'"):
        Diffusion(scope=5).build(graph, generator=generator())
