"""A graph with new nodes, which are joined to it by edges or by their likeness to known nodes."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cogsl.errors import LengthMismatchError, SettingValueError
from cogsl.graph import Graph
from cogsl.sparse.neighbours import nearest_among
from cogsl.sparse.rows import stacked

logger = logging.getLogger("cogsl")

NEIGHBOURS = 20
"""How many known nodes a new one without edges is joined to."""


def extend(
    graph: Graph, features: Any, edges: Any = None, *, neighbours: int = NEIGHBOURS
) -> Graph:
    """Return the graph with new nodes after its own, without a label.

    A new node that no edge joins to anything is joined to the known nodes whose features are most
    alike, by cosine.

    Parameters
    ----------
    features : of the n new nodes, n x D.
    edges : weights of the edges that touch a new node, (N + n) x (N + n), any SciPy matrix; known
        nodes are numbered first. One way is enough.
    neighbours : of a new node without edges.
    """
    if neighbours < 1:
        raise SettingValueError(
            f"A new node must be joined to one known node at least. Got {neighbours} instead."
        )
    fresh = Graph.from_scipy(sp.csr_array((features.shape[0],) * 2), features=features)
    if fresh.n_features != graph.n_features:
        raise LengthMismatchError(
            f"New nodes must have the {graph.n_features} features of the known ones. Got "
            f"{fresh.n_features} instead."
        )
    n, n_all = graph.n_nodes, graph.n_nodes + fresh.n_nodes
    links = sp.coo_array((n_all, n_all)) if edges is None else sp.coo_array(edges)
    if links.shape != (n_all, n_all):
        raise LengthMismatchError(
            f"The edges must be a matrix over {n} known and {fresh.n_nodes} new nodes. Got shape "
            f"{links.shape} instead."
        )
    alone = _alone(links, n, n_all)
    if len(alone):
        logger.info("%d new nodes have no edge: each is joined to similar nodes.", len(alone))
    together = stacked(graph.features, fresh.features)
    near = nearest_among(together, alone + n, n, neighbours)
    known = graph.adjacency.tocoo()
    rows = (known.row, links.row, np.repeat(alone + n, near.shape[1]))
    columns = (known.col, links.col, near.ravel())
    weights = (known.data, links.data, np.ones(near.size, dtype=np.float32))
    ends: Any = (np.concatenate(rows), np.concatenate(columns))
    return Graph.from_scipy(
        sp.coo_array((np.concatenate(weights), ends), shape=(n_all, n_all)),
        features=together,
        labels=np.concatenate([graph.labels, fresh.labels]),
        train=graph.train,
        val=graph.val,
        test=graph.test,
        name=graph.name,
    )


def _alone(links: sp.coo_array, n: int, n_all: int) -> npt.NDArray[np.int64]:
    """Return which of the new nodes no edge joins to another node, from 0."""
    joins = (links.data != 0) & (links.row != links.col)
    touched = np.zeros(n_all, dtype=np.bool_)
    touched[links.row[joins]] = True
    touched[links.col[joins]] = True
    return np.flatnonzero(~touched[n:])
