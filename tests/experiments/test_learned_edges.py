from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cogsl.errors import UnknownNameError
from cogsl.experiments.learned_edges import LearnedEdges
from cogsl.methods.cogsl import CoGSL
from cogsl.pruning import strongest
from tests.common.graphs import two_groups


@pytest.fixture(scope="module")
def fitted() -> tuple[CoGSL, LearnedEdges]:
    graph = two_groups()
    method = CoGSL(iterations=3, views=("knn", "diffusion"), knn_neighbours=4).fit(graph, seed=0)
    return method, LearnedEdges.of(method, graph)


def test_the_shares_of_the_views_add_up_to_the_learned_weight(
    fitted: tuple[CoGSL, LearnedEdges],
) -> None:
    _, edges = fitted
    np.testing.assert_allclose(edges.shares.sum(axis=1), edges.learned, atol=1e-6)
    assert edges.views == ("knn", "diffusion")
    assert (edges.shares > 0).any(axis=0).all()


def test_every_pair_of_either_graph_is_there_once(fitted: tuple[CoGSL, LearnedEdges]) -> None:
    method, edges = fitted
    graph = two_groups()
    assert method.learned_graph_ is not None
    either = sp.triu(graph.adjacency + method.learned_graph_.adjacency).tocoo()
    assert len(edges) == either.nnz
    assert (edges.low < edges.high).all()
    assert edges.given.sum() == pytest.approx(graph.adjacency.sum() / 2)
    difference = edges.matrix(graph.n_nodes) - method.learned_graph_.adjacency
    assert abs(difference).max() < 1e-7


def test_changes_by_hand() -> None:
    edges = LearnedEdges(
        low=np.array([0, 0, 1]),
        high=np.array([1, 2, 2]),
        given=np.array([1, 1, 0], np.float32),
        learned=np.array([0.5, 0.1, 0.3], np.float32),
        agreement=np.array([0.2, 0.9, 0.8], np.float32),
        shares=np.array([[0.5, 0.0], [0.0, 0.1], [0.1, 0.2]], np.float32),
        views=("adjacency", "knn"),
    )
    chosen = strongest(edges.matrix(3), n_edges=2)
    assert edges.changes(chosen).tolist() == ["kept", "dropped", "added"]
    assert edges.changes(strongest(edges.matrix(3), n_edges=1)).tolist() == ["kept", "dropped", ""]
    table = edges.table(("a", "b", "c"), chosen)
    assert table["target"].tolist() == ["b", "c", "c"]
    assert table["weight"].tolist() == pytest.approx([0.5, 0.0, 0.3])
    assert table["score"].tolist() == pytest.approx([0.5, 0.1, 0.3])
    assert table["score_2_knn"].tolist() == pytest.approx([0.0, 0.1, 0.2])

    by_agreement = edges.choose(3, by="agreement", n_edges=2)
    assert edges.changes(by_agreement).tolist() == ["dropped", "kept", "added"]
    assert by_agreement.sum() == pytest.approx(2 * (0.1 + 0.3))
    # Given numbers of neighbours: 2, 1 and 1.
    assert edges.score("both").tolist() == pytest.approx([0.1 * 2**0.5, 0.09 * 2**0.5, 0.24])
    assert edges.changes(edges.choose(3, n_edges=1)).tolist() == ["dropped", "dropped", "added"]
    with pytest.raises(UnknownNameError, match="by 'agree'; did you mean 'agreement'"):
        edges.choose(3, by="agree")


def test_agreement_is_the_chance_that_both_ends_are_of_one_class(
    fitted: tuple[CoGSL, LearnedEdges],
) -> None:
    method, edges = fitted
    p = method.predict_proba()
    found = [p[i] @ p[j] for i, j in zip(edges.low, edges.high, strict=True)]
    np.testing.assert_allclose(edges.agreement, found, rtol=1e-6)


def test_arrays_hold_everything(fitted: tuple[CoGSL, LearnedEdges]) -> None:
    _, edges = fitted
    again = LearnedEdges.from_arrays(edges.arrays())
    assert again.views == edges.views
    assert np.array_equal(again.shares, edges.shares)
    assert np.array_equal(again.learned, edges.learned)
