"""Graph: the one input of every view, attack and method, checked once when it is made."""

from __future__ import annotations

import copy
import logging
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, eye_array, issparse

from cogsl.errors import (
    EdgeEndpointError,
    EdgeWeightError,
    EmptySplitError,
    FeatureValueError,
    LabelError,
    LengthMismatchError,
    MissingClassError,
    NoNodesError,
    OverlappingSplitError,
    SettingValueError,
    TooFewClassesError,
)
from cogsl.sparse.neighbours import nearest_neighbours
from cogsl.sparse.undirected import is_canonical, undirected

FloatArray: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.int64]
Features: TypeAlias = FloatArray | csr_array

logger = logging.getLogger("cogsl")


def _no_nodes() -> IntArray:
    return np.empty(0, dtype=np.int64)


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
    train: IntArray = field(default_factory=_no_nodes)
    val: IntArray = field(default_factory=_no_nodes)
    test: IntArray = field(default_factory=_no_nodes)
    name: str = ""

    def __post_init__(self) -> None:
        adjacency = _canonical_adjacency(self.adjacency)
        n = adjacency.shape[0]
        features = _canonical_features(self.features)
        if features.shape[0] != n:
            raise LengthMismatchError(
                f"The features must have one row for each of the {n} nodes. "
                f"Got {features.shape[0]} rows instead."
            )
        object.__setattr__(self, "adjacency", _frozen_csr(adjacency))
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", _canonical_labels(self.labels, n))
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
        edges = _edge_array(edge_index)
        n = _count_nodes(edges, n_nodes, features, labels)
        _check_endpoints(edges, n)
        values = np.ones(edges.shape[1], dtype=np.float32) if weights is None else weights
        values = np.asarray(values)
        if values.shape != (edges.shape[1],):
            raise LengthMismatchError(
                f"The weights must be one number for each of the {edges.shape[1]} edges. "
                f"Got an array of shape {values.shape} instead."
            )
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
        """Make a graph from a SciPy matrix of any format, N x N.

        Without ``features`` each node is described by its own identity vector.
        """
        n = adjacency.shape[0]
        given: dict[str, Any] = {"train": train, "val": val, "test": test}
        given["features"] = eye_array(n, format="csr") if features is None else features
        given["labels"] = np.full(n, -1) if labels is None else labels
        return cls(adjacency, name=name, **given)

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
        checked = _canonical_features(features)
        if checked.shape[0] == 0:
            raise NoNodesError(_NO_NODES)
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
                f"The labels must hold at least two classes. Got {_listed(classes) or 'none'} "
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
                f"The training set has no node of class {_listed(missing)}. Add one to 'train', or "
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
                f"without a label: {_listed(unknown)}. Leave them out; every node is predicted, "
                "whether it is in the split or not."
            )

    def _set_split(self, train: npt.ArrayLike, val: npt.ArrayLike, test: npt.ArrayLike) -> None:
        parts = {
            part: _node_indices(nodes, part, self.n_nodes)
            for part, nodes in (("train", train), ("val", val), ("test", test))
        }
        for one, two in (("train", "val"), ("train", "test"), ("val", "test")):
            shared = np.intersect1d(parts[one], parts[two], assume_unique=True)
            if len(shared):
                raise OverlappingSplitError(
                    f"The '{one}' and '{two}' parts of the split must not overlap. Both hold "
                    f"nodes {_listed(shared)}; take them out of one."
                )
        for part, nodes in parts.items():
            object.__setattr__(self, part, _frozen(nodes))


_NO_NODES = "A graph must have at least one node. Got none; check that the input is not empty."


def _listed(ids: npt.NDArray[Any], most: int = 5) -> str:
    """Return the first few entries in words, and how many there are if that is not all."""
    shown = ", ".join(str(i) for i in ids[:most].tolist())
    return f"{shown}, ... ({len(ids)} in all)" if len(ids) > most else shown


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.setflags(write=False)
    return array


def _frozen_csr(matrix: csr_array) -> csr_array:
    """Return the matrix with read-only arrays; what somebody else could alter is copied."""
    parts = (matrix.data, matrix.indices, matrix.indptr)
    data, indices, indptr = (p if _is_safe(p) else _frozen(p.copy()) for p in parts)
    return csr_array((data, indices, indptr), shape=matrix.shape)


def _is_safe(array: npt.NDArray[Any]) -> bool:
    """Tell whether the array is read-only, and so is the one whose memory it may show."""
    base = array.base
    is_own = base is None or (isinstance(base, np.ndarray) and _is_safe(base))
    return is_own and not array.flags.writeable


def _edge_array(edge_index: npt.ArrayLike) -> IntArray:
    """Return the edge index as 2 x E whole numbers."""
    edges = np.asarray(edge_index)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise LengthMismatchError(
            "The edge index must be of shape 2 x E, sources above targets. "
            f"Got shape {edges.shape} instead; transpose a list of pairs."
        )
    if edges.size and not np.issubdtype(edges.dtype, np.integer):
        raise EdgeEndpointError(
            f"The edge index must hold whole numbers. Got {edges.dtype} instead; number the nodes "
            "from 0 upward."
        )
    return edges.astype(np.int64)


def _count_nodes(edges: IntArray, n_nodes: int | None, features: Any, labels: Any) -> int:
    """Return how many nodes the parts of the input speak of."""
    if n_nodes is not None:
        n = int(n_nodes)
    elif features is not None:
        n = features.shape[0] if hasattr(features, "shape") else len(features)
    elif labels is not None:
        n = len(labels)
    else:
        n = int(edges.max(initial=-1)) + 1
    if n <= 0:
        raise NoNodesError(_NO_NODES)
    return n


def _check_endpoints(edges: IntArray, n: int) -> None:
    wrong = np.flatnonzero(((edges < 0) | (edges >= n)).any(axis=0))
    if len(wrong):
        pairs = ", ".join(f"({i}, {j})" for i, j in edges[:, wrong[:5]].T.tolist())
        raise EdgeEndpointError(
            f"Each end of an edge must be a node from 0 to {n - 1}. Got {len(wrong)} edges that "
            f"name others, at position {_listed(wrong)} of the edge index: {pairs}. "
            "Drop them, or add the missing nodes."
        )


def _canonical_adjacency(adjacency: Any) -> csr_array:
    """Return the symmetric CSR form: float32, sorted, no duplicates, no zeros, no diagonal."""
    if isinstance(adjacency, csr_array) and is_canonical(adjacency):
        return adjacency
    entries = coo_array(adjacency)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise LengthMismatchError(
            f"The adjacency must be a square matrix, N x N. Got shape {entries.shape} instead."
        )
    n = entries.shape[0]
    if n == 0:
        raise NoNodesError(_NO_NODES)
    rows, cols = entries.row.astype(np.int64), entries.col.astype(np.int64)
    with np.errstate(over="ignore", under="ignore"):
        weights = entries.data.astype(np.float32)
    _check_weights(rows, cols, weights)
    loops = rows == cols
    if loops.any():
        logger.info("Dropped %d self-loops; each view adds its own.", np.count_nonzero(loops))
    kept = ~loops & (weights > 0)
    merged = undirected(rows[kept], cols[kept], weights[kept], n)
    if merged.n_duplicates:
        logger.info("Merged %d duplicate edges.", merged.n_duplicates)
    if merged.n_one_way:
        logger.info("Made %d directed edges symmetric.", merged.n_one_way)
    return merged.matrix


def _check_weights(rows: IntArray, cols: IntArray, weights: FloatArray) -> None:
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        shown = ", ".join(f"({rows[e]}, {cols[e]}): {weights[e]}" for e in wrong[:5].tolist())
        raise EdgeWeightError(
            f"Edge weights must be finite float32 numbers >= 0. Got {len(wrong)} others, by edge: "
            f"{shown}. Drop these edges, or shift and scale the weights."
        )


def _canonical_features(features: Any) -> Features:
    """Return a read-only float32 copy, N x D: CSR if the input is sparse, else dense.

    What another graph holds already is shared.
    """
    if isinstance(features, np.ndarray) and _is_final(features):
        return features
    sparse = issparse(features)
    try:
        with np.errstate(over="ignore", under="ignore"):
            matrix: Any = (
                csr_array(features, dtype=np.float32, copy=True)
                if sparse
                else np.array(features, dtype=np.float32, order="C")
            )
    except (TypeError, ValueError) as error:
        raise FeatureValueError(
            f"The features must be numbers in rows of equal length, N x D. {error}"
        ) from error
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise LengthMismatchError(
            "The features must be of shape N x D with at least one column. Got shape "
            f"{matrix.shape} instead; leave features out for identity features."
        )
    _check_finite(matrix)
    if not sparse:
        return _frozen(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return _frozen_csr(matrix)


def _is_final(features: npt.NDArray[Any]) -> bool:
    """Tell whether dense features are as a graph holds them."""
    return (
        features.ndim == 2
        and features.shape[1] > 0
        and features.dtype == np.float32
        and features.flags.c_contiguous
        and _is_safe(features)
        and bool(np.isfinite(features).all())
    )


def _check_finite(matrix: Features) -> None:
    if isinstance(matrix, csr_array):
        wrong_rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        rows = np.unique(wrong_rows[~np.isfinite(matrix.data)])
    else:
        rows = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if len(rows):
        raise FeatureValueError(
            "The features must be finite float32 numbers. Got NaN or infinite ones in rows "
            f"{_listed(rows)}. Impute or drop them, e.g. with numpy.nan_to_num(features)."
        )


def _canonical_labels(labels: npt.ArrayLike, n: int) -> IntArray:
    """Return a read-only int64 copy of the labels."""
    given = np.asarray(labels)
    if given.shape != (n,):
        raise LengthMismatchError(
            f"The labels must be one number for each of the {n} nodes. "
            f"Got an array of shape {given.shape} instead."
        )
    if given.dtype.kind not in "biuf":
        raise LabelError(
            f"Labels must be whole numbers. Got {given.dtype} instead; number the classes, "
            "e.g. with numpy.unique(labels, return_inverse=True)[1]."
        )
    wrong = np.flatnonzero(~((given >= -1) & (given == np.floor(given))))
    if len(wrong):
        raise LabelError(
            f"Labels must be whole numbers from 0 upward, or -1 where unknown. Got "
            f"{_listed(given[wrong])} instead, at nodes {_listed(wrong)}."
        )
    return _frozen(given.astype(np.int64))


def _node_indices(nodes: npt.ArrayLike, part: str, n: int) -> IntArray:
    """Return a part of the split, given as indices or as a boolean mask, as sorted indices."""
    given = np.asarray(nodes)
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise LengthMismatchError(
                f"The mask of the '{part}' part of the split must have one entry for each of the "
                f"{n} nodes. Got shape {given.shape} instead."
            )
        return np.flatnonzero(given)
    if given.size == 0:
        return _no_nodes()
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise EmptySplitError(
            f"The '{part}' part of the split must be a list of node indices or a boolean mask. "
            f"Got {given.dtype} of shape {given.shape} instead."
        )
    wrong = given[(given < 0) | (given >= n)]
    if len(wrong):
        raise EmptySplitError(
            f"The '{part}' part of the split must name nodes from 0 to {n - 1}. "
            f"Got {_listed(wrong)} instead."
        )
    return np.unique(given).astype(np.int64)
