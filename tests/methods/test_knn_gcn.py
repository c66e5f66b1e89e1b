"""KNN-GCN is a GCN on the graph of nearest neighbours."""

from __future__ import annotations

import numpy as np

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.methods.gcn import GCN
from cogsl.methods.knn_gcn import KNNGCN
from tests.common.graphs import two_groups


def test_it_is_a_gcn_on_the_neighbours_graph() -> None:
    graph = two_groups()
    near = Graph.from_features(
        graph.features, labels=graph.labels, neighbours=5, train=graph.train, val=graph.val
    )
    expected = GCN(epochs=5).fit(near, seed=0).predict_proba()
    found = KNNGCN(epochs=5, knn_neighbours=5).fit(graph, seed=0).predict_proba()
    assert np.array_equal(found, expected)


def test_more_neighbours_are_expected_to_cost_more() -> None:
    size = GraphSize(nodes=30_000, entries=300_000, features=64, classes=10, train=200)
    few, many = (KNNGCN(knn_neighbours=k).estimate(size) for k in (10, 40))
    assert many.peak_bytes > 2 * few.peak_bytes
    assert many.iteration.seconds > 2 * few.iteration.seconds
    assert few.views.seconds > GCN().estimate(size).views.seconds
