"""Noise on the features."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.attacks import FeatureNoise
from cogsl.attacks.feature_noise import amplitude
from cogsl.graph import Graph
from tests.attacks.graphs import random_graph


def noise_of(graph: Graph, ratio: float, seed: int = 0) -> np.ndarray:
    attacked = FeatureNoise(ratio=ratio).apply(graph, seed=seed).features
    clean = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
    assert isinstance(attacked, np.ndarray)
    return attacked.astype(np.float64) - clean


def test_the_amplitude_is_the_mean_of_each_node_s_largest_feature() -> None:
    """Largest: 3, 0 (a sparse row of negative numbers has zeros), 5."""
    X = np.array([[1.0, 3.0, 0.0], [-1.0, 0.0, -2.0], [5.0, 4.0, 2.0]], dtype=np.float32)
    assert amplitude(X) == pytest.approx(8 / 3)
    assert amplitude(csr_array(X)) == pytest.approx(8 / 3)


@pytest.mark.parametrize("sparse", [False, True])
def test_noise_is_normal_with_the_ratio_times_the_amplitude(sparse: bool) -> None:
    graph = random_graph(n=2000, sparse=sparse)
    noise = noise_of(graph, 0.3) / (0.3 * amplitude(graph.features))
    assert noise.mean() == pytest.approx(0.0, abs=0.03)
    assert noise.std() == pytest.approx(1.0, abs=0.02)
    assert np.mean(np.abs(noise) < 1.96) == pytest.approx(0.95, abs=0.01)


def test_ratios_do_not_add_up() -> None:
    graph = random_graph()
    weak, strong = noise_of(graph, 0.1), noise_of(graph, 0.5)
    np.testing.assert_allclose(strong, 5 * weak, atol=1e-5)


def test_dense_and_sparse_features_get_the_same_noise() -> None:
    sparse = random_graph(sparse=True)
    assert isinstance(sparse.features, csr_array)
    dense = dataclasses.replace(sparse, features=sparse.features.toarray())
    np.testing.assert_allclose(noise_of(sparse, 0.3), noise_of(dense, 0.3), atol=1e-6)


def test_edges_stay() -> None:
    graph = random_graph()
    attacked = FeatureNoise(ratio=0.5).apply(graph, seed=0)
    np.testing.assert_array_equal(attacked.adjacency.toarray(), graph.adjacency.toarray())
