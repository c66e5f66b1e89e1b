"""Graph: the one input of every view, attack and method, checked once when it is made."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, eye_array

from cogsl.errors import (
    EmptySplitError,
    LengthMismatchError,
    MissingClassError,
    NoNodesError,
    OverlappingSplitError,
    SettingValueError,
    TooFewClassesError,
)
from cogsl.graph_parts import (
    NO_NODES,
    Features,
    IntArray,
    canonical_adjacency,
    canonical_features,
    canonical_labels,
    check_endpoints,
    count_nodes,
    edge_array,
    edge_weights,
    frozen,
    frozen_csr,
    listed,
    matrix_entries,
    no_nodes,
    node_indices,
)
from cogsl.sparse.neighbours import nearest_neighbours

__all__ = ["Features", "Graph"]


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A weighted, undirected graph with features, labels and a split of its nodes.

    However it is made, the input is copied, checked and brought to one form; nothing can be
    altered afterwards. Self-loops are dropped (each view adds its own), directed edges are
    mirrored and edges that are listed more than once are merged; where weights differ, the
    largest stays. A log line tells of each.

    Args:
        adjacency: N x N weights; kept symmetric, float32, zero diagonal, indices sorted.
        features: N x D, dense or CSR; kept in float32.
        labels: N classes from 0 upward, -1 where unknown.
        train, val, test: node indices, or boolean masks over all nodes; kept as sorted indices.
            A part may be empty, but nothing can be trained then.
        name: what to call the graph in tables and messages.
    """

    adjacency: csr_array
    features: Features
    labels: IntArray
    train: IntArray = field(default_factory=no_nodes)
    val: IntArray = field(default_factory=no_nodes)
    test: IntArray = field(default_factory=no_nodes)
    name: str = ""

    def __post_init__(self) -> None:
        adjacency = canonical_adjacency(self.adjacency)
        n = adjacency.shape[0]
        features = canonical_features(self.features)
        if features.shape[0] != n:
            raise LengthMismatchError(
                f"The features must have one row for each of the {n} nodes. "
                f"Got {features.shape[0]} rows instead; add the missing ones, or say 'n_nodes'."
            )
        object.__setattr__(self, "adjacency", frozen_csr(adjacency))
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", canonical_labels(self.labels, n))
        self._set_split(self.train, self.val, self.test)

    @classmethod
    def from_edges(
        cls,
        edge_index: npt.ArrayLike,
        *,
        features: Any = None,
        labels: npt.ArrayLike | None = None,
        n_nodes: int | None = None,
        weights: npt.ArrayLike | None = None,
        train: npt.ArrayLike = (),
        val: npt.ArrayLike = (),
        test: npt.ArrayLike = (),
        name: str = "",
    ) -> Self:
        """Make a graph from an edge index, 2 x E, and E weights (1 each by default).

        Without ``features`` each node is described by its own identity vector. The number of
        nodes is ``n_nodes``, else that of the features or labels, else the largest index plus 1.
        """
        edges = edge_array(edge_index)
        n = count_nodes(edges, n_nodes, features, labels)
        check_endpoints(edges, n)
        values = edge_weights(weights, edges.shape[1])
        adjacency = coo_array((values, (edges[0], edges[1])), shape=(n, n))
        return cls.from_scipy(
            adjacency, features=features, labels=labels, train=train, val=val, test=test, name=name
        )

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        *,
        features: Any = None,
        labels: npt.ArrayLike | None = None,
        train: npt.ArrayLike = (),
        val: npt.ArrayLike = (),
        test: npt.ArrayLike = (),
        name: str = "",
    ) -> Self:
        """Make a graph from a SciPy matrix of any format, or from rows of numbers, N x N.

        Without ``features`` each node is described by its own identity vector.
        """
        entries: Any = matrix_entries(adjacency)
        n = entries.shape[0]
        given: dict[str, Any] = {"train": train, "val": val, "test": test}
        given["features"] = eye_array(n, format="csr") if features is None else features
        given["labels"] = np.full(n, -1) if labels is None else labels
        return cls(entries, name=name, **given)

    @classmethod
    def from_features(
        cls,
        features: Any,
        *,
        labels: npt.ArrayLike | None = None,
        neighbours: int = 20,
        train: npt.ArrayLike = (),
        val: npt.ArrayLike = (),
        test: npt.ArrayLike = (),
        name: str = "",
    ) -> Self:
        """Make the cosine KNN graph of ``features``, N x D.

        Each node is joined to its ``neighbours`` nearest nodes, itself counted among them; the
        graph is then made symmetric.
        """
        if not isinstance(neighbours, int | np.integer) or neighbours < 1:
            raise SettingValueError(
                "The 'neighbours' setting of Graph.from_features must be a whole number >= 1. "
                f"Got {neighbours!r} instead."
            )
        checked = canonical_features(features)
        if checked.shape[0] == 0:
            raise NoNodesError(NO_NODES)
        adjacency = nearest_neighbours(checked, int(neighbours))
        return cls.from_scipy(
            adjacency, features=checked, labels=labels, train=train, val=val, test=test, name=name
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes, N."""
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of undirected edges: each is counted once."""
        return int(self.adjacency.nnz) // 2

    @property
    def n_features(self) -> int:
        """Number of features, D."""
        return int(self.features.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes, C: the largest label plus 1."""
        return int(self.labels.max()) + 1

    @property
    def homophily(self) -> float:
        """Share of the edges between labelled nodes that join equal labels; NaN without any."""
        labels = self.labels
        first = np.repeat(labels, np.diff(self.adjacency.indptr))
        second = labels[self.adjacency.indices]
        known = (first >= 0) & (second >= 0)
        return float(np.mean(first[known] == second[known])) if known.any() else float("nan")

    def with_split(
        self, train: npt.ArrayLike, val: npt.ArrayLike, test: npt.ArrayLike = ()
    ) -> Graph:
        """Return the same graph with another split; everything else is shared."""
        other = copy.copy(self)
        other._set_split(train, val, test)
        return other

    def with_edges(self, adjacency: Any) -> Self:
        """Return the same nodes with other edges, a SciPy matrix of any format, N x N."""
        return replace(self, adjacency=adjacency)

    def check_trainable(self) -> None:
        """Raise an error of its own for each thing without which training makes no sense."""
        classes = np.unique(self.labels[self.labels >= 0])
        if len(classes) < 2:
            raise TooFewClassesError(
                f"The labels must hold at least two classes. Got {listed(classes) or 'none'} "
                "instead; give each known node its class, from 0 upward."
            )
        for part in ("train", "val"):
            if len(getattr(self, part)) == 0:
                raise EmptySplitError(
                    f"The '{part}' part of the split holds no node. Give it some labelled nodes, "
                    "e.g. with graph.with_split(train, val, test)."
                )
        for part in ("train", "val", "test"):
            self._check_labelled(part)
        missing = np.setdiff1d(classes, self.labels[self.train])
        if len(missing):
            raise MissingClassError(
                f"The training set has no node of class {listed(missing)}. Add one to 'train', or "
                "set the labels of that class to -1."
            )

    def __repr__(self) -> str:
        split = f"{len(self.train)}/{len(self.val)}/{len(self.test)}"
        return (
            f"Graph(name={self.name!r}, n_nodes={self.n_nodes}, n_edges={self.n_edges}, "
            f"n_features={self.n_features}, n_classes={self.n_classes}, split={split})"
        )

    def _check_labelled(self, part: str) -> None:
        nodes = getattr(self, part)
        unknown = nodes[self.labels[nodes] < 0]
        if len(unknown):
            raise EmptySplitError(
                f"The '{part}' part of the split must hold labelled nodes only. Got nodes "
                f"without a label: {listed(unknown)}. Leave them out; every node is predicted, "
                "whether it is in the split or not."
            )

    def _set_split(self, train: npt.ArrayLike, val: npt.ArrayLike, test: npt.ArrayLike) -> None:
        parts = {
            part: node_indices(nodes, part, self.n_nodes)
            for part, nodes in (("train", train), ("val", val), ("test", test))
        }
        for one, two in (("train", "val"), ("train", "test"), ("val", "test")):
            shared = np.intersect1d(parts[one], parts[two], assume_unique=True)
            if len(shared):
                raise OverlappingSplitError(
                    f"The '{one}' and '{two}' parts of the split must not overlap. Both hold "
                    f"nodes {listed(shared)}; take them out of one."
                )
        for part, nodes in parts.items():
            object.__setattr__(self, part, frozen(nodes))
