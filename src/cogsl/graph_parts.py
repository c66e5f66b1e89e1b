"""The parts of a graph, each checked and brought to the one form in which a graph holds it."""

from __future__ import annotations

import logging
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, issparse

from cogsl.errors import (
    EdgeEndpointError,
    EdgeWeightError,
    EmptySplitError,
    FeatureValueError,
    LabelError,
    LengthMismatchError,
    NoNodesError,
)
from cogsl.sparse.undirected import is_canonical, undirected

FloatArray: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.int64]
Features: TypeAlias = FloatArray | csr_array

logger = logging.getLogger("cogsl")

NO_NODES = "A graph must have at least one node. Got none; check that the input is not empty."
_NOT_SQUARE = (
    "The adjacency must be a square matrix of numbers, N x N. {}; for a list of edges use "
    "Graph.from_edges."
)


def no_nodes() -> IntArray:
    """Return an empty part of a split."""
    return np.empty(0, dtype=np.int64)


def listed(ids: npt.NDArray[Any], most: int = 5) -> str:
    """Return the first few entries in words, and how many there are if that is not all."""
    shown = ", ".join(str(i) for i in ids[:most].tolist())
    return f"{shown}, ... ({len(ids)} in all)" if len(ids) > most else shown


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array itself, read-only from now on."""
    array.setflags(write=False)
    return array


def frozen_csr(matrix: csr_array) -> csr_array:
    """Return the matrix with read-only arrays; what somebody else could alter is copied."""
    parts = (matrix.data, matrix.indices, matrix.indptr)
    data, indices, indptr = (p if _is_safe(p) else frozen(p.copy()) for p in parts)
    return csr_array((data, indices, indptr), shape=matrix.shape)


def _is_safe(array: npt.NDArray[Any]) -> bool:
    """Tell whether the array is read-only, and so is the one whose memory it may show."""
    base = array.base
    is_own = base is None or (isinstance(base, np.ndarray) and _is_safe(base))
    return is_own and not array.flags.writeable


def edge_array(edge_index: npt.ArrayLike) -> IntArray:
    """Return the edge index as 2 x E whole numbers."""
    try:
        edges = np.asarray(edge_index)
    except ValueError as error:  # rows of different lengths
        raise LengthMismatchError(
            "The edge index must have as many sources as targets, 2 x E. "
            f"{error}; look for an edge without an end."
        ) from error
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


def count_nodes(edges: IntArray, n_nodes: int | None, features: Any, labels: Any) -> int:
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
        raise NoNodesError(NO_NODES)
    return n


def check_endpoints(edges: IntArray, n: int) -> None:
    """Raise ``EdgeEndpointError`` if an edge names a node that there is not."""
    wrong = np.flatnonzero(((edges < 0) | (edges >= n)).any(axis=0))
    if len(wrong):
        pairs = ", ".join(f"({i}, {j})" for i, j in edges[:, wrong[:5]].T.tolist())
        raise EdgeEndpointError(
            f"Each end of an edge must be a node from 0 to {n - 1}. Got {len(wrong)} edges that "
            f"name others, at position {listed(wrong)} of the edge index: {pairs}. "
            "Drop them, or add the missing nodes."
        )


def edge_weights(weights: npt.ArrayLike | None, n_edges: int) -> npt.NDArray[Any]:
    """Return one number for each edge, 1 if none are given."""
    if weights is None:
        return np.ones(n_edges, dtype=np.float32)
    values = np.asarray(weights)
    if values.shape != (n_edges,):
        raise LengthMismatchError(
            f"The weights must be one number for each of the {n_edges} edges. Got an array of "
            f"shape {values.shape} instead; leave them out for weights of 1."
        )
    _check_numbers(values.dtype)
    return values


def matrix_entries(adjacency: Any) -> csr_array | coo_array:
    """Return a square matrix, given in any form, as a sparse one."""
    if isinstance(adjacency, csr_array) and is_canonical(adjacency):
        return adjacency
    try:
        given: Any = adjacency if issparse(adjacency) else np.asarray(adjacency)
    except ValueError as error:  # rows of different lengths
        raise LengthMismatchError(_NOT_SQUARE.format(error)) from error
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise LengthMismatchError(_NOT_SQUARE.format(f"Got shape {given.shape} instead"))
    _check_numbers(given.dtype)
    return coo_array(given)


def _check_numbers(kind: np.dtype[Any]) -> None:
    if kind.kind not in "biuf":
        raise EdgeWeightError(
            f"Edge weights must be numbers. Got {kind} instead; convert them, e.g. with "
            "numpy.asarray(weights, dtype=float)."
        )


def canonical_adjacency(adjacency: Any) -> csr_array:
    """Return the symmetric CSR form: float32, sorted, no duplicates, no zeros, no diagonal."""
    entries = matrix_entries(adjacency)
    if isinstance(entries, csr_array):
        return entries
    n = entries.shape[0]
    if n == 0:
        raise NoNodesError(NO_NODES)
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


def canonical_features(features: Any) -> Features:
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
        return frozen(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return frozen_csr(matrix)


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
            f"{listed(rows)}. Impute or drop them, e.g. with numpy.nan_to_num(features)."
        )


def canonical_labels(labels: npt.ArrayLike, n: int) -> IntArray:
    """Return a read-only int64 copy of the labels."""
    given = np.asarray(labels)
    if given.shape != (n,):
        raise LengthMismatchError(
            f"The labels must be one number for each of the {n} nodes. "
            f"Got an array of shape {given.shape} instead; give -1 where the class is unknown."
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
            f"{listed(given[wrong])} instead, at nodes {listed(wrong)}."
        )
    return frozen(given.astype(np.int64))


def node_indices(nodes: npt.ArrayLike, part: str, n: int) -> IntArray:
    """Return a part of the split, given as indices or as a boolean mask, as sorted indices."""
    given = np.asarray(nodes)
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise LengthMismatchError(
                f"The mask of the '{part}' part of the split must have one entry for each of the "
                f"{n} nodes. Got shape {given.shape} instead; node indices are taken, too."
            )
        return np.flatnonzero(given)
    if given.size == 0:
        return no_nodes()
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise EmptySplitError(
            f"The '{part}' part of the split must be a list of node indices or a boolean mask. "
            f"Got {given.dtype} of shape {given.shape} instead."
        )
    wrong = given[(given < 0) | (given >= n)]
    if len(wrong):
        raise EmptySplitError(
            f"The '{part}' part of the split must name nodes from 0 to {n - 1}. "
            f"Got {listed(wrong)} instead."
        )
    return np.unique(given).astype(np.int64)
