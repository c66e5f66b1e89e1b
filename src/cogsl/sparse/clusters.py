"""Clusters of nodes with many edges inside and few between them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import import_extra


def cluster_nodes(adjacency: csr_array, n_clusters: int, *, seed: int) -> npt.NDArray[np.int64]:
    """Cut a graph into clusters of about equal size by METIS; return each node's cluster, N.

    METIS coarsens the graph, cuts the coarse one, and refines the cut on the way back: O(E). The
    weights of the edges play no part. A cluster may be empty on graphs that fall apart.

    Parameters
    ----------
    adjacency : A, N x N, symmetric, zero diagonal.
    n_clusters : how many, at least 1.
    seed : of METIS's own generator.
    """
    metis = import_extra("pymetis", extra="scale", purpose="Training in mini-batches")
    n = adjacency.shape[0]
    if n_clusters >= n:
        return np.arange(n)
    if n_clusters == 1 or adjacency.nnz == 0:  # METIS refuses a graph without edges
        return np.arange(n) * n_clusters // n
    options = metis.Options(seed=seed % 2**31)
    graph = metis.CSRAdjacency(adjacency.indptr, adjacency.indices)
    _, cluster = metis.part_graph(n_clusters, graph, options=options, recursive=False)
    return np.asarray(cluster, dtype=np.int64)
