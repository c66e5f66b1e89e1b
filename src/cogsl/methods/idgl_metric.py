"""IDGL's learned similarity: the mean over heads of weighted cosines, above a threshold.

s_ij^p = cos(w_p * v_i, w_p * v_j),  s_ij = 1/m sum_p s_ij^p,  A_ij = s_ij if s_ij > epsilon, else 0
(Chen et al., weighted cosine and epsilon-neighbourhood). A row of zeros is like nothing, not even
itself.

The mean over heads is one product, S = U U^T, if row i of U holds the m unit vectors of node i,
each divided by sqrt(m).
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from cogsl.nn import FeatureMatrix, feature_rows, unit_rows
from cogsl.sparse import (
    SparseMatrix,
    columns_to_entries,
    rows_to_entries,
    sampled_product,
)
from cogsl.sparse.similarity import similar_pairs
from cogsl.sparse.sparse_similarity import dense_panel, sparse_similarities

_LEAST_SQUARE = 1e-24  # of a row's length; a shorter row counts as zeros


def weighted_units(vectors: Tensor, weights: Tensor) -> Tensor:
    """Return U, N x (m d): the unit vectors of w_p * v_i side by side, divided by sqrt(m).

    Parameters
    ----------
    vectors : v, N x d.
    weights : w, m x d.
    """
    n, d = vectors.shape
    m = len(weights)
    weighted = (vectors.unsqueeze(1) * weights).reshape(n * m, d)
    return unit_rows(weighted).reshape(n, m * d) / math.sqrt(m)


def sparse_weighted_units(features: SparseMatrix, weights: Tensor) -> Tensor:
    """Return the stored numbers of U for sparse features, one row a head, m x nnz."""
    pattern, x = features.pattern, features.values
    squares = SparseMatrix(pattern, x * x) @ (weights * weights).T  # N x m
    scales = squares.clamp(min=_LEAST_SQUARE).rsqrt() / math.sqrt(len(weights))
    heads = [
        x * columns_to_entries(pattern, w) * rows_to_entries(pattern, scale)
        for w, scale in zip(weights, scales.T.contiguous(), strict=True)
    ]
    return torch.stack(heads)


def similarity_graph(features: FeatureMatrix, weights: Tensor, threshold: float) -> SparseMatrix:
    """Return A, N x N, stored where it is not 0; its values are differentiable in w.

    Which entries are stored is worked out anew each time, without a gradient.
    """
    if isinstance(features, SparseMatrix):
        units = sparse_weighted_units(features, weights)
        return sparse_similarities(features.pattern, units, threshold)
    units = weighted_units(features, weights)
    pattern = similar_pairs(units.detach(), threshold)
    return SparseMatrix(pattern, sampled_product(pattern, units, units), symmetric=True)


def node_anchor_affinities(
    features: FeatureMatrix, anchors: Tensor, weights: Tensor, threshold: float
) -> Tensor:
    """Return R, N x s: the same similarity between each node and each anchor.

    Parameters
    ----------
    features : v, N x d.
    anchors : which nodes are anchors, s.
    weights : w, m x d.
    threshold : epsilon.
    """
    if isinstance(features, Tensor):
        units = weighted_units(features, weights)
        return above(units @ units.index_select(0, anchors).T, threshold)
    right = weighted_units(dense_rows(features, anchors), weights).T  # (m D) x s
    alike = torch.zeros((), dtype=weights.dtype)
    left = sparse_weighted_units(features, weights)
    for head, part in zip(left, right.chunk(len(weights)), strict=True):
        alike = alike + SparseMatrix(features.pattern, head) @ part
    return above(alike, threshold)


def dense_rows(features: FeatureMatrix, index: Tensor) -> Tensor:
    """Return the features of some nodes as a dense matrix, s x D."""
    some = feature_rows(features, index)
    if isinstance(some, Tensor):
        return some
    return dense_panel(some.pattern, some.values, slice(0, len(index))).T.contiguous()


class _Above(Function):
    """y = x where x > threshold >= 0, else 0; only y is kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, threshold: float) -> Tensor:
        y = torch.threshold(x, threshold, 0.0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (y,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(grad, y, 0.0), None


def above(x: Tensor, threshold: float) -> Tensor:
    """Return x where it is above the threshold, else 0: the epsilon-neighbourhood."""
    result: Tensor = _Above.apply(x, threshold)  # type: ignore[no-untyped-call]
    return result
