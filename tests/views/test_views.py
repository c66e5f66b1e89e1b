"""What holds for every view; a new one is picked up by its line in ``VIEWS``."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cogsl.errors import SettingValueError
from cogsl.graph import Graph
from cogsl.seeding import random_scope
from cogsl.settings import settings_of
from cogsl.views import VIEWS
from tests.views.graphs import generator, graph_of, random_graph, random_graphs

EVERY_VIEW = pytest.mark.parametrize("name", sorted(VIEWS))


def parts_of(matrix: csr_array) -> list[bytes]:
    return [part.tobytes() for part in (matrix.data, matrix.indices, matrix.indptr)]


@EVERY_VIEW
@given(graph=random_graphs(), scope=st.integers(1, 3))
def test_a_view_has_its_form(name: str, graph: Graph, scope: int) -> None:
    view = VIEWS[name](scope=scope).build(graph, generator=generator())  # type: ignore[call-arg]
    n = graph.n_nodes
    for matrix, dtype in ((view.matrix, np.float64), (view.scope, np.float32)):
        assert isinstance(matrix, csr_array)
        assert matrix.shape == (n, n)
        assert matrix.dtype == dtype
        assert matrix.has_canonical_format
        assert np.diff(matrix.indptr).min() >= 1
        assert matrix.diagonal().min() > 0
    assert view.matrix.data.min() > 0
    assert np.isfinite(view.matrix.data).all()
    np.testing.assert_array_equal(view.scope.data, 1.0)


@EVERY_VIEW
def test_the_scope_holds_every_entry_of_the_matrix(name: str) -> None:
    view = VIEWS[name]().build(random_graph(0), generator=generator())
    assert not (view.matrix.toarray() > 0)[view.scope.toarray() == 0].any()


@EVERY_VIEW
def test_the_graph_is_left_as_it_is(name: str) -> None:
    dense = random_graph(1)
    sparse = Graph.from_scipy(dense.adjacency, features=csr_array(dense.features))
    for graph in (dense, sparse):
        before = parts_of(graph.adjacency), csr_array(graph.features).toarray()
        VIEWS[name]().build(graph, generator=generator())
        assert parts_of(graph.adjacency) == before[0]
        np.testing.assert_array_equal(csr_array(graph.features).toarray(), before[1])


@EVERY_VIEW
def test_the_same_generator_gives_the_same_bits(name: str) -> None:
    graph = random_graph(2)
    one, two = (VIEWS[name]().build(graph, generator=generator(3)) for _ in range(2))
    assert parts_of(one.matrix) == parts_of(two.matrix)
    assert parts_of(one.scope) == parts_of(two.scope)


@EVERY_VIEW
def test_the_global_random_state_is_not_used(name: str) -> None:
    graph = random_graph(2)
    with random_scope(5):
        VIEWS[name]().build(graph, generator=generator())
        drawn = np.random.random_sample()  # noqa: NPY002
    assert drawn == np.random.RandomState(5).random_sample()


@EVERY_VIEW
def test_a_graph_of_one_node_is_its_own_view(name: str) -> None:
    view = VIEWS[name]().build(graph_of(n=1), generator=generator())
    np.testing.assert_allclose(view.matrix.toarray(), [[1.0]])
    np.testing.assert_array_equal(view.scope.toarray(), [[1.0]])


@EVERY_VIEW
def test_a_view_is_frozen_and_its_settings_are_checked_when_it_is_made(name: str) -> None:
    view = VIEWS[name]()
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.scope = 3  # type: ignore[attr-defined]
    assert "scope" in settings_of(view)
    with pytest.raises(SettingValueError, match="'scope' setting"):
        VIEWS[name](scope=0)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("knn", "knn_neighbours", 0),
        ("diffusion", "teleport", 0.0),
        ("diffusion", "teleport", 1.1),
        ("subgraph", "subgraph_share", 0.0),
        ("subgraph", "subgraph_share", 1.5),
    ],
)
def test_a_setting_out_of_range_is_named(name: str, setting: str, value: float) -> None:
    with pytest.raises(SettingValueError, match=f"'{setting}' setting .* Got {value}"):
        VIEWS[name](**{setting: value})
