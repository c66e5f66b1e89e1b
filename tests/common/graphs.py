"""Small graphs on which every method must work."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from cogsl.graph import Graph


def two_groups(n: int = 24, *, seed: int = 0, edges: bool = True, features: str = "dense") -> Graph:
    """Two groups of nodes that features and edges tell apart; the last node is isolated."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    x = rng.normal(size=(n, 5)).astype(np.float32) + 2.0 * labels[:, None].astype(np.float32)
    same = labels[:, None] == labels[None, :]
    mask = np.triu(rng.random((n, n)) < np.where(same, 0.4, 0.05), 1)
    mask[:, -1] = False
    adjacency = sp.csr_array((mask | mask.T) & edges, dtype=np.float32)
    kinds = {"dense": x, "sparse": sp.csr_array(np.maximum(x + 0.5, 0.0)), "one-hot": None}
    train, val = np.arange(6), np.arange(6, 12)
    return Graph.from_scipy(
        adjacency,
        features=kinds[features],
        labels=labels,
        train=train,
        val=val,
        test=np.arange(12, n),
    )
