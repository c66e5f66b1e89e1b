"""The view estimator: from a basic view to an estimated one."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cogsl.nn import Propagated, add_bias, dropout, glorot, zeros
from cogsl.scorers import ALL, SCORERS, Nodes
from cogsl.sparse import (
    Pattern,
    SparseMatrix,
    add_both_ways,
    scope_softmax,
    symmetric_normalise,
    union,
)
from cogsl.views.base import BasicView


@dataclass(frozen=True, eq=False)
class EstimationPlan:
    """Everything about a basic view that training does not change, worked out once.

    Parameters
    ----------
    basic : the basic view V, normalised, N x N.
    scope : the pairs that are estimated anew, N x N.
    pattern : where the estimated view may have entries: V + scope + their mirror + diagonal.
    constant : values of V + V^T + I on that pattern, or without the I, nnz.
    forward, mirrored : where each scope entry (i, j) and its mirror (j, i) stand in the pattern.
    """

    basic: SparseMatrix
    scope: Pattern
    pattern: Pattern
    constant: Tensor
    forward: Tensor
    mirrored: Tensor

    @classmethod
    def of(cls, view: BasicView, dtype: torch.dtype, *, self_loops: bool = True) -> EstimationPlan:
        """Work out the plan of a basic view; ``self_loops`` says whether I is added to it."""
        basic = SparseMatrix.from_scipy(view.matrix, dtype)
        scope = Pattern.from_scipy(view.scope)
        if scope.has_entries_of(basic.pattern):  # so it is with one hop: one copy serves both
            scope = basic.pattern
            pattern = scope.symmetrised()
            forward = placed = pattern.positions_of(scope)
        else:
            pattern = union([basic.pattern, scope]).symmetrised()
            placed, forward = (pattern.positions_of(part) for part in (basic.pattern, scope))
        mirror = pattern.transposed[1]
        constant = torch.zeros(pattern.nnz, dtype=dtype)
        constant.index_add_(0, placed, basic.values)
        constant.index_add_(0, mirror.index_select(0, placed), basic.values)
        if self_loops:
            constant.index_add_(0, pattern.diagonal, torch.ones(pattern.n_rows, dtype=dtype))
        return cls(basic, scope, pattern, constant, forward, mirror.index_select(0, forward))


class ViewEstimator(nn.Module):
    """Estimates one view; each basic view has an estimator of its own."""

    def __init__(
        self,
        n_features: int,
        n_hidden: int,
        *,
        scorer: str,
        mu: float,
        rate: float,
        bias: bool = False,
        generator: torch.Generator,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.mu, self.rate = mu, rate
        self.weight = glorot(n_features, n_hidden, generator=generator, dtype=dtype)
        self.bias = zeros(n_hidden, dtype=dtype) if bias else None
        self.scorer = SCORERS[scorer](n_hidden, generator=generator, dtype=dtype)

    def embed(self, basic: Propagated) -> Tensor:
        """Return the embedding of a basic view.

        Implements Eq. (2): Z = sigma(GCN(V, X)) = ReLU(V X W), N x d; with a bias, ReLU(V X W + b).
        """
        return torch.relu(add_bias(basic(self.weight), self.bias))

    def probabilities(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return the probability of each pair of the scope, or of some of its rows, nnz.

        Implements Eq. (4): p_ij = exp(w_ij) / sum over k in S_i of exp(w_ik).
        """
        return scope_softmax(scope, self.scorer(scope, nodes, rows))

    def forward(
        self,
        plan: EstimationPlan,
        basic: Propagated,
        beliefs: Tensor | None = None,
        *,
        generator: torch.Generator | None = None,
    ) -> SparseMatrix:
        """Return the estimated view, made symmetric, with self-loops, normalised.

        Implements Eq. (5): V_es = V + mu P, then U = V_es + V_es^T + I and D^-1/2 U D^-1/2. The
        plan may leave out I: a basic view has self-loops already.

        ``basic`` is the basic view with the features; ``beliefs`` what is believed of the nodes'
        classes, N x C; ``generator`` draws the dropout mask of the embeddings, None means no
        dropout.
        """
        embeddings = dropout(self.embed(basic), self.rate, generator=generator)
        added = self.mu * self.probabilities(plan.scope, Nodes(embeddings, beliefs))
        values = add_both_ways(plan.pattern, plan.constant, added, plan.forward, plan.mirrored)
        return SparseMatrix(plan.pattern, symmetric_normalise(plan.pattern, values), symmetric=True)
