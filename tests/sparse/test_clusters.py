from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.sparse.clusters import cluster_nodes


def rings(n_rings: int, size: int) -> csr_array:
    """Return rings of nodes that are joined in a chain by single edges."""
    n = n_rings * size
    first = np.arange(n)
    second = first // size * size + (first + 1) % size
    bridge = np.arange(size, n, size)
    rows = np.concatenate([first, bridge])
    cols = np.concatenate([second, bridge - 1])
    one_way = csr_array((np.ones(len(rows), dtype=np.float32), (rows, cols)), shape=(n, n))
    return csr_array(one_way.maximum(one_way.T))


def test_few_edges_are_cut_and_clusters_are_of_about_equal_size() -> None:
    adjacency = rings(8, 25)
    cluster = cluster_nodes(adjacency, 8, seed=0)
    assert np.bincount(cluster, minlength=8).max() <= 1.1 * 25
    coo = adjacency.tocoo()
    cut = np.count_nonzero(cluster[coo.row] != cluster[coo.col]) // 2
    assert cut <= 21  # the 7 bridges, and a few edges for the sake of balance


def test_the_same_seed_gives_the_same_clusters() -> None:
    adjacency = rings(6, 30)
    one, two = (cluster_nodes(adjacency, 5, seed=7) for _ in range(2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("n_clusters", [1, 3, 12, 50])
def test_every_node_has_a_cluster_that_exists(n_clusters: int) -> None:
    bare = csr_array(np.zeros((12, 12), dtype=np.float32))
    for adjacency in (rings(4, 3), bare):
        cluster = cluster_nodes(adjacency, n_clusters, seed=0)
        assert cluster.shape == (12,)
        assert cluster.min() >= 0
        assert cluster.max() < n_clusters
