"""Wine, Breast Cancer and Digits."""

from __future__ import annotations

import numpy as np
import pytest

from cogsl.datasets import DATASETS, load
from cogsl.datasets.embedded import EmbeddedDataset
from cogsl.sparse.neighbours import cosine_neighbours

# Entries of the KNN graph before it is made symmetric: the paper's count of edges.
PAPER = {"wine": 3560, "breast_cancer": 22760, "digits": 43128}


@pytest.mark.parametrize("name", PAPER)
def test_the_graph_is_the_union_of_the_papers_knn_entries(name: str) -> None:
    graph, dataset = load(name), DATASETS[name]
    assert isinstance(dataset, EmbeddedDataset)
    knn = cosine_neighbours(graph.features, dataset.neighbours)
    assert knn.nnz == PAPER[name]
    union = (knn + knn.T).tocsr()
    union.setdiag(0)
    union.eliminate_zeros()
    assert (union.astype(bool) != graph.adjacency.astype(bool)).nnz == 0


@pytest.mark.parametrize("name", PAPER)
def test_columns_are_standardised_or_constant(name: str) -> None:
    features = load(name).features
    assert isinstance(features, np.ndarray)
    np.testing.assert_allclose(features.mean(axis=0, dtype=np.float64), 0, atol=1e-6)
    spread = features.std(axis=0, dtype=np.float64)
    np.testing.assert_allclose(spread[spread > 0], 1, rtol=1e-6)


@pytest.mark.parametrize("name", PAPER)
def test_it_is_at_hand_anywhere(name: str) -> None:
    assert DATASETS[name].is_at_hand()


def test_wine_is_split_by_share() -> None:
    graph = load("wine", split_seed=3)
    assert np.bincount(graph.labels[graph.train]).tolist() == [3, 4, 3]
