"""CoGSL on nodes that training never saw."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cogsl.errors import LengthMismatchError, NotFittedError
from cogsl.extension import extend
from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from tests.common.graphs import two_groups


@pytest.fixture(scope="module", params=[False, True], ids=["default", "published"])
def fitted(request: pytest.FixtureRequest) -> tuple[CoGSL, Graph]:
    graph, given = two_groups(), bool(request.param)
    method = CoGSL(
        iterations=12, keep="joint", mi_batch=30, encoder_bias=given, dropout_in_views=given
    )
    return method.fit(graph, seed=3), graph


def test_on_the_fitted_graph_it_predicts_what_fit_predicted(fitted: tuple[CoGSL, Graph]) -> None:
    method, graph = fitted
    np.testing.assert_allclose(method.predict_proba_on(graph), method.predict_proba(), atol=1e-5)


def test_a_twin_of_a_node_is_predicted_as_that_node(fitted: tuple[CoGSL, Graph]) -> None:
    method, graph = fitted
    n, edges = graph.n_nodes, graph.adjacency[:5].tocoo()
    links = sp.coo_array((edges.data, (edges.row + n, edges.col)), shape=(n + 5, n + 5))
    found = method.predict_proba_on(extend(graph, graph.features[:5], links))
    assert found.shape == (n + 5, 2)
    assert found[n:].argmax(axis=1).tolist() == method.predict()[:5].tolist()


def test_it_gives_the_same_bits_twice_and_leaves_the_fit_alone(
    fitted: tuple[CoGSL, Graph],
) -> None:
    method, graph = fitted
    before = method.predict_proba()
    extended = extend(graph, graph.features[:5])
    first, second = (method.predict_proba_on(extended) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(before, method.predict_proba())


def test_other_features_and_an_unfitted_method_are_refused(fitted: tuple[CoGSL, Graph]) -> None:
    method, graph = fitted
    other = Graph.from_scipy(graph.adjacency, labels=graph.labels)
    with pytest.raises(LengthMismatchError, match="of the one that was fitted"):
        method.predict_proba_on(other)
    with pytest.raises(NotFittedError):
        CoGSL().predict_proba_on(graph)
