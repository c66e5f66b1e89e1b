"""Labels spread along edges to the fixed point of Zhou et al."""

from __future__ import annotations

import numpy as np
import pytest

from cogsl.graph import Graph
from cogsl.methods.label_spreading import LabelSpreading
from tests.common.graphs import two_groups


def fixed_point(graph: Graph, share: float) -> np.ndarray:
    """F = (1 - a) (I - a S)^-1 Y, rows scaled to sum 1."""
    A = graph.adjacency.toarray().astype(np.float64)
    root = np.sqrt(np.where(A.sum(axis=1) > 0, A.sum(axis=1), 1.0))
    Y = np.zeros((graph.n_nodes, graph.n_classes))
    Y[graph.train, graph.labels[graph.train]] = 1.0
    F = np.linalg.solve(np.eye(graph.n_nodes) - share * A / np.outer(root, root), Y)
    total = F.sum(axis=1, keepdims=True)
    return np.where(total > 0, F / np.where(total > 0, total, 1.0), 0.5)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_result_is_the_fixed_point(share: float) -> None:
    graph = two_groups()
    method = LabelSpreading(shares=(share,), tolerance=1e-12, max_spreads=2000).fit(graph, seed=0)
    np.testing.assert_allclose(method.predict_proba(), fixed_point(graph, share), atol=1e-8)


def test_nodes_that_no_label_reaches_get_the_classes_shares() -> None:
    graph = Graph.from_edges(
        [[0, 1, 2], [3, 3, 4]], n_nodes=6, labels=[0, 0, 1, 0, 1, -1], train=[0, 1, 2], val=[3, 4]
    )
    probabilities = LabelSpreading().fit(graph, seed=0).predict_proba()
    np.testing.assert_allclose(probabilities[5], [2 / 3, 1 / 3])
    assert probabilities[3].tolist() == pytest.approx([1.0, 0.0])


def test_validation_nodes_choose_the_share() -> None:
    method = LabelSpreading(shares=(0.1, 0.5, 0.9)).fit(two_groups(40, seed=3), seed=0)
    figures = [(r["val_accuracy"], -r["val_loss"]) for r in method.history_]
    assert figures[method.best_iter_] == max(figures)
    assert [r["share"] for r in method.history_] == [0.1, 0.5, 0.9]


def test_a_few_turns_are_enough_for_a_result_without_a_warning() -> None:
    method = LabelSpreading(max_spreads=1, tolerance=0.0).fit(two_groups(), seed=0)
    assert np.isfinite(method.predict_proba()).all()
