"""Views and predictions of a whole graph with what was learned from parts of it, or from another.

The matrices that come out are as large as the learned graph; on the way there is nothing larger,
for pairs are scored block by block of rows, and no gradient is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.graph import Graph
from cogsl.methods.cogsl_networks import Networks
from cogsl.methods.cogsl_outcome import OUTCOMES
from cogsl.nn import (
    FeatureMatrix,
    Propagated,
    feature_matrix,
    graph_convolution,
)
from cogsl.scorers import Nodes
from cogsl.sparse import Pattern, SparseMatrix
from cogsl.sparse.blocks import BLOCK_BYTES, blocks
from cogsl.view_estimator import ViewEstimator
from cogsl.views import BasicView

_ENTRY_BYTES = 32  # of a pair's score while a block is worked on: some numbers and indices


@dataclass(frozen=True, eq=False)
class Inferred:
    """Views and predictions of every node.

    Parameters
    ----------
    views : the m estimated views, then the final one, each N x N.
    weights : beta, N x m.
    outputs : log-predictions on each of these views, each N x C.
    prediction : what comes of them, log-predictions, N x C.
    """

    views: list[sp.csr_array]
    weights: Tensor
    outputs: list[Tensor]
    prediction: Tensor


@torch.no_grad()
def infer(
    networks: Networks, graph: Graph, basic: Sequence[BasicView], *, block_bytes: int = BLOCK_BYTES
) -> Inferred:
    """Return what the networks, as they are now, make of a whole graph."""
    features = feature_matrix(graph.features, networks.dtype)
    projected = [features @ classifier.first for classifier in networks.classifiers]

    def classify(number: int, view: sp.csr_array) -> Tensor:
        matrix = SparseMatrix.from_scipy(view, networks.dtype)
        smoothed = graph_convolution(matrix, projected[number])
        output: Tensor = networks.classifiers[number](matrix, smoothed)
        return output

    beliefs = networks.beliefs(
        (SparseMatrix.from_scipy(view.matrix, networks.dtype) for view in basic), projected
    )
    views, outputs = [], []
    for k, (estimator, view) in enumerate(zip(networks.estimators, basic, strict=True)):
        made = estimate_in_blocks(
            estimator,
            view,
            features,
            beliefs,
            networks.dtype,
            self_loops=networks.settings.self_loops,
            block_bytes=block_bytes,
        )
        views.append(made)
        outputs.append(classify(k, made))
    weights = networks.fusion(outputs)
    views.append(fuse_in_blocks(views, weights, block_bytes))
    outputs.append(classify(-1, views[-1]))
    outcome = OUTCOMES[networks.settings.keep](networks.n_views)
    combined = outcome.combine([outputs[k] for k in outcome.views])
    return Inferred(views, weights, outputs, outcome.settle(combined))


def estimate_in_blocks(
    estimator: ViewEstimator,
    view: BasicView,
    features: FeatureMatrix,
    beliefs: Tensor | None,
    dtype: torch.dtype,
    *,
    self_loops: bool,
    block_bytes: int = BLOCK_BYTES,
) -> sp.csr_array:
    """Return the estimated view, N x N, as ``ViewEstimator`` does: with W = V + mu P,

    V_es = D^-1/2 U D^-1/2,  U = W + W^T + I or, without self-loops, W + W^T,  D its row sums.
    """
    basic = SparseMatrix.from_scipy(view.matrix, dtype)
    nodes = Nodes(estimator.embed(Propagated(basic, features)), beliefs)
    rows_of = blocks(
        view.scope.shape[0], row_bytes=_row_bytes([view.scope]), block_bytes=block_bytes
    )
    parts, matrix = [], basic.to_scipy()
    for rows in rows_of:
        scope = Pattern.from_scipy(view.scope[rows])
        probabilities = estimator.probabilities(scope, nodes, rows)
        parts.append(matrix[rows] + estimator.mu * scope.to_scipy(probabilities))
    one_way = sp.vstack(parts, format="csr")
    del parts, basic, matrix
    both = one_way + one_way.T.tocsr()
    if self_loops:
        both = both + sp.eye_array(one_way.shape[0], dtype=one_way.dtype)
    return _normalise_in_place(sp.csr_array(both))


def fuse_in_blocks(
    views: Sequence[sp.csr_array], weights: Tensor, block_bytes: int = BLOCK_BYTES
) -> sp.csr_array:
    """Return the final view, N x N: row i is sum_k beta_i^k V_es,i^k."""
    shares, parts = weights.numpy(), []
    for rows in blocks(len(shares), row_bytes=_row_bytes(views), block_bytes=block_bytes):
        scaled = [_scale_rows(view[rows], shares[rows, k]) for k, view in enumerate(views)]
        parts.append(sum(scaled[1:], scaled[0]))
    return sp.csr_array(sp.vstack(parts, format="csr"))


def _normalise_in_place(matrix: sp.csr_array) -> sp.csr_array:
    """Scale U to D^-1/2 U D^-1/2 and return it; its rows sum to more than 0."""
    scale = (1.0 / np.sqrt(matrix.sum(axis=1))).astype(matrix.dtype)
    matrix.data *= scale[matrix.indices]
    return _scale_rows(matrix, scale)


def _scale_rows(matrix: sp.csr_array, scale: np.ndarray) -> sp.csr_array:
    """Multiply each row in place by its number, and return the matrix."""
    matrix.data *= np.repeat(scale, np.diff(matrix.indptr))
    return matrix


def _row_bytes(matrices: Sequence[sp.csr_array]) -> int:
    """Return about how much the work on one row needs."""
    entries = sum(matrix.nnz for matrix in matrices)
    return 1 + _ENTRY_BYTES * entries // matrices[0].shape[0]
