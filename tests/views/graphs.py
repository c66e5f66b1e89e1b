"""Small graphs for the tests of views."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from cogsl.graph import Graph
from tests.random_graphs import random_problem


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def graph_of(*edges: tuple[int, int], n: int, features: Any = None, weights: Any = None) -> Graph:
    """Make a graph from a list of undirected edges, both directions of each."""
    one = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    both = np.concatenate([one, one[::-1]], axis=1)
    twice = None if weights is None else np.concatenate([weights, weights])
    return Graph.from_edges(both, n_nodes=n, features=features, weights=twice)


def random_graph(seed: int, *, n_nodes: int | None = None, weighted: bool = True) -> Graph:
    """Draw a graph with isolated nodes and a node without features."""
    problem = random_problem(seed, n_nodes=n_nodes, weighted=weighted)
    return Graph.from_scipy(problem.adjacency, features=problem.features)


def random_graphs() -> st.SearchStrategy[Graph]:
    return st.builds(
        lambda seed, weighted: random_graph(seed, weighted=weighted),
        st.integers(0, 2**32 - 1),
        st.booleans(),
    )
