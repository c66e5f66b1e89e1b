"""The strongest edges of a graph: as many as asked for, from a weight on, or some for each node."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import InputError, SettingValueError
from cogsl.sparse.undirected import Edges, edges_of


def strongest(
    adjacency: csr_array,
    *,
    n_edges: int | None = None,
    min_weight: float | None = None,
    per_node: int | None = None,
) -> csr_array:
    """Return a symmetric matrix, N x N, with some of the edges of another, at their weights.

    Ties go to the lower indices: of equal edges (i, j), i < j, to the lower i and then the lower j;
    of a node's equal neighbours to the lower one. Without a condition every edge stays. Zeros and
    the diagonal are no edges.

    Parameters
    ----------
    adjacency : symmetric weights, N x N.
    n_edges : so many edges stay, each counted once, of those that meet the other conditions.
    min_weight : an edge stays if its weight is at least this.
    per_node : an edge stays if it is among this many strongest ones of either of its ends.
    """
    check_choice(n_edges=n_edges, min_weight=min_weight, per_node=per_node)
    _check_symmetric(adjacency)
    edges = edges_of(adjacency)
    edges = edges.some(edges.weights != 0)
    if min_weight is not None:
        edges = edges.some(edges.weights >= min_weight)
    if per_node is not None:
        edges = edges.some(_among_strongest(edges, per_node))
    if n_edges is not None:
        edges = edges.some(np.argsort(-edges.weights, kind="stable")[:n_edges])
    return edges.matrix(adjacency.shape[0])


def check_choice(
    *, n_edges: int | None = None, min_weight: float | None = None, per_node: int | None = None
) -> None:
    """Raise ``SettingValueError`` for a condition of ``strongest`` that cannot be met."""
    for name, count in (("n_edges", n_edges), ("per_node", per_node)):
        is_count = isinstance(count, int | np.integer) and not isinstance(count, bool)
        if count is not None and not (is_count and count >= 1):
            raise SettingValueError(
                f"'{name}' must be a whole number >= 1, or None for all edges. Got {count!r} "
                "instead."
            )
    is_number = isinstance(min_weight, int | float | np.number) and math.isfinite(min_weight)
    if min_weight is not None and not is_number:
        raise SettingValueError(
            f"'min_weight' must be a finite number, or None for all edges. Got {min_weight!r} "
            "instead."
        )


def _among_strongest(edges: Edges, k: int) -> npt.NDArray[np.bool_]:
    """Tell which edges are among the k strongest ones of an end."""
    ends = np.concatenate([edges.low, edges.high])
    others = np.concatenate([edges.high, edges.low])
    weights = np.concatenate([edges.weights, edges.weights])
    order = np.lexsort((others, -weights, ends))  # by end, strongest first, then by neighbour
    starts = np.searchsorted(ends[order], ends[order])
    among = np.empty(len(order), dtype=np.bool_)
    among[order] = np.arange(len(order)) - starts < k
    of_low, of_high = among.reshape(2, -1)
    return of_low | of_high


def _check_symmetric(adjacency: csr_array) -> None:
    rows, columns = adjacency.shape
    if rows != columns or (adjacency - adjacency.T).count_nonzero():
        raise InputError(
            "The adjacency must be a symmetric matrix, N x N, without NaN. Got one of shape "
            f"{adjacency.shape} that is not; adjacency.maximum(adjacency.T) keeps the heavier of "
            "both directions."
        )
