"""Graphs to attack."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.graph import Features, Graph


def random_graph(n: int = 30, seed: int = 0, *, sparse: bool = False) -> Graph:
    """Return a weighted graph with some isolated nodes and two classes."""
    rng = np.random.default_rng(seed)
    edges = rng.integers(max(2, n - 3), size=(2, 4 * n))
    X = rng.normal(size=(n, 6)).astype(np.float32)
    features: Features = csr_array(np.where(X > 0.5, X, np.float32(0))) if sparse else X
    return Graph.from_edges(
        edges[:, edges[0] != edges[1]],
        weights=rng.uniform(0.5, 2.0, size=np.count_nonzero(edges[0] != edges[1])),
        features=features,
        labels=np.arange(n) % 2,
        train=[0, 1],
        val=[2, 3],
        test=[4],
    )


def arrays_of(graph: Graph) -> list[npt.NDArray[Any]]:
    """Return all that a graph holds."""
    A, X = graph.adjacency, graph.features
    features = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return [A.data, A.indices, A.indptr, *features, graph.labels, graph.train]
