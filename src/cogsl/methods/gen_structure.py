"""What GEN observes of the graph, and the graph that it estimates from it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cogsl.methods.gen_em import Fit, Ints, count_pairs, entry_blocks, fit_models
from cogsl.sparse.blocks import Float64Array, blocks, snap
from cogsl.sparse.neighbours import nearest_neighbours, similarities_of

_LEAST = float(np.finfo(np.float32).tiny)  # a weight below it is no edge

logger = logging.getLogger("cogsl")


def presence(adjacency: sp.csr_array) -> sp.csr_array:
    """Return which pairs a graph joins, N x N, entries of 1; weights play no part."""
    ones = np.ones(adjacency.nnz, dtype=np.int8)
    return sp.csr_array((ones, adjacency.indices, adjacency.indptr), shape=adjacency.shape)


def neighbour_graph(features: npt.NDArray[Any] | sp.csr_array, k: int) -> sp.csr_array:
    """Return the KNN graph of some embeddings as an observation, N x N, entries of 1.

    Pairs of which one is among the k nearest of the other (itself counted) by cosine. Pairs whose
    similarity is not above 0 are left out: where nodes have nothing in common, as with one-hot
    features, the nearest would be those with the lowest numbers.
    """
    near = nearest_neighbours(features, k)
    rows = np.repeat(np.arange(near.shape[0]), np.diff(near.indptr))
    columns = near.indices.astype(np.int64)
    alike = (rows != columns) & (_cosines(features, rows, columns) > 0)
    ones = np.ones(np.count_nonzero(alike), dtype=np.int8)
    chosen = sp.csr_array((ones, (rows[alike], columns[alike])), shape=near.shape)
    return sp.csr_array(chosen.maximum(chosen.T))


def _cosines(features: npt.NDArray[Any] | sp.csr_array, rows: Ints, columns: Ints) -> Float64Array:
    """Return the similarity of each of some pairs; a block of them at a time."""
    similarities = similarities_of(features)
    cosines = np.empty(len(rows))
    for part in blocks(len(rows), row_bytes=8 * features.shape[1]):
        left: Any = similarities.unit(rows[part])  # times is entry by entry, sparse or not
        cosines[part] = (left * similarities.unit(columns[part])).sum(axis=1)
    return snap(cosines)


@dataclass(frozen=True, eq=False)
class Structure:
    """An estimated graph.

    Parameters
    ----------
    graph : S, N x N, float32: posteriors that reach the threshold; symmetric, zero diagonal.
    fit : what EM left.
    unobserved : pairs that no observation shows, but whose posterior reaches the threshold.
    """

    graph: sp.csr_array
    fit: Fit
    unobserved: int


def estimate_structure(
    observations: Sequence[sp.csr_array],
    classes: Ints,
    n_classes: int,
    *,
    threshold: float,
    tolerance: float,
    max_iterations: int,
) -> Structure:
    """Fit both models to some observations, and return the posterior graph.

    Parameters
    ----------
    observations : M graphs, N x N, entries of 1; symmetric, zero diagonal.
    classes : c, the class that each node has or is held to have, N.
    n_classes : C.
    threshold : epsilon, posteriors below it are dropped.
    tolerance, max_iterations : of EM.
    """
    seen = sp.csr_array(sum(observations[1:], start=observations[0]))
    counts = count_pairs(seen, classes, n_classes, len(observations))
    fit = fit_models(counts, tolerance=tolerance, max_iterations=max_iterations)
    graph = posterior_graph(seen, classes, n_classes, fit.posterior, threshold)
    unobserved = int(counts[fit.posterior[:, 0] >= max(threshold, _LEAST), 0].sum())
    if unobserved:
        logger.info(
            "Dropped %d pairs that no observation shows, though their posterior reaches the "
            "threshold: with them the graph would be dense.",
            unobserved,
        )
    return Structure(graph, fit, unobserved)


def posterior_graph(
    seen: sp.csr_array, classes: Ints, n_classes: int, table: Float64Array, threshold: float
) -> sp.csr_array:
    """Return S, N x N, float32: s_ij = Q_ij where that is at least epsilon, else 0.

    Only pairs that are stored in ``seen`` become edges.

    Parameters
    ----------
    seen : E, N x N, symmetric.
    classes, n_classes : c, N, and C.
    table : Q of each block and each number of observations, B x (M + 1).
    threshold : epsilon.
    """
    weights = table[entry_blocks(seen, classes, n_classes), seen.data]
    weights[weights < max(threshold, _LEAST)] = 0.0
    parts = (weights.astype(np.float32), seen.indices, seen.indptr)
    graph = sp.csr_array(parts, shape=seen.shape, copy=True)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph
