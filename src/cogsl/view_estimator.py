"""The view estimator: from a basic view to an estimated one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from cogsl.nn import Propagated, dropout, glorot, unit_rows
from cogsl.sparse import (
    Pattern,
    SparseMatrix,
    add_both_ways,
    columns_to_entries,
    sampled_product,
    scope_softmax,
    symmetric_normalise,
    union,
)
from cogsl.views.base import BasicView

ALL = slice(None)
_COSINE_SCALE = 5.0  # to begin with: far from uniform, and far from one-hot
_AGREEMENT_SCALE = 4.0  # to begin with; this and the next by search on validation nodes
_PRIOR_LABELS = 20  # how many labels the belief counts for that a node may be of any class


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


@dataclass(frozen=True, eq=False)
class Nodes:
    """What pairs are scored by.

    Parameters
    ----------
    embeddings : Z, N x d.
    beliefs : what is believed of each node's class, rows that sum to 1, N x C; None where the
        scorer does not ask for it.
    """

    embeddings: Tensor
    beliefs: Tensor | None = None


class Scorer(nn.Module):
    """Gives each pair of a scope a weight w_ij; some ask for beliefs about the nodes' classes."""

    uses_beliefs: ClassVar[bool] = False

    def trust_in(self, n_labels: int) -> None:
        """Take in how many labels the beliefs rest on."""

    @abstractmethod
    def forward(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return w_ij for each stored pair, nnz.

        ``rows`` says which nodes the rows of the scope are, where it does not hold all.
        """


class LinearScorer(Scorer):
    """The paper's scorer.

    Implements Eq. (3): w_ij = W [z_i || z_j] + b.

    Eq. (4) normalises over j for a fixed i, so the part of W that meets z_i and the bias b cancel:
    p_ij depends on z_j alone. Only the other half of W is kept, and the cost is O(N d + |scope|).
    """

    def __init__(self, n_hidden: int, *, generator: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = glorot(n_hidden, 1, generator=generator, dtype=dtype)

    def forward(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return w_ij up to what cancels in each row."""
        return columns_to_entries(scope, (nodes.embeddings @ self.weight).flatten())


class AgreementScorer(LinearScorer):
    """The paper's scorer and how likely both ends are of one class. Beyond the paper.

    w_ij = W z_j + s log(q_i . q_j), so that p_ij is in proportion to exp(W z_j) (q_i . q_j)^s. Its
    terms do not cancel: it can tell wrong edges from right ones. The scale s is learned, and q is
    shrunk, as beliefs that rest on few labels are not to be believed: of n labels q' comes to
    q = (n q' + n0 / C) / (n + n0), n0 = 20.
    """

    uses_beliefs: ClassVar[bool] = True
    trust: Tensor  # n / (n + n0), kept with the parameters

    def __init__(self, n_hidden: int, *, generator: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__(n_hidden, generator=generator, dtype=dtype)
        self.scale = nn.Parameter(torch.full((1,), _AGREEMENT_SCALE, dtype=dtype))
        self.register_buffer("trust", torch.zeros(1, dtype=dtype))

    def trust_in(self, n_labels: int) -> None:
        """Trust beliefs that rest on so many labels."""
        self.trust.fill_(n_labels / (n_labels + _PRIOR_LABELS))

    def forward(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return w_ij up to what cancels in each row."""
        assert nodes.beliefs is not None
        beliefs = self.trust * nodes.beliefs + (1.0 - self.trust) / nodes.beliefs.shape[1]
        agreement = sampled_product(scope, beliefs[rows], beliefs)
        return super().forward(scope, nodes) + self.scale * agreement.log()


class CosineScorer(Scorer):
    """A scorer whose terms do not cancel: w_ij = s cos(z_i Q, z_j Q). Beyond the paper."""

    def __init__(self, n_hidden: int, *, generator: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = glorot(n_hidden, n_hidden, generator=generator, dtype=dtype)
        self.scale = nn.Parameter(torch.full((1,), _COSINE_SCALE, dtype=dtype))

    def forward(self, scope: Pattern, nodes: Nodes, rows: slice = ALL) -> Tensor:
        """Return s cos(u_i, u_j), computed on the scope's pattern only."""
        units = unit_rows(nodes.embeddings @ self.weight, 1e-8)
        return self.scale * sampled_product(scope, units[rows], units)


SCORERS: dict[str, type[LinearScorer] | type[CosineScorer]] = {
    "linear": LinearScorer,
    "agreement": AgreementScorer,
    "cosine": CosineScorer,
}


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
        generator: torch.Generator,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.mu, self.rate = mu, rate
        self.weight = glorot(n_features, n_hidden, generator=generator, dtype=dtype)
        self.scorer = SCORERS[scorer](n_hidden, generator=generator, dtype=dtype)

    def embed(self, basic: Propagated) -> Tensor:
        """Return the embedding of a basic view.

        Implements Eq. (2): Z = sigma(GCN(V, X)) = ReLU(V X W), N x d.
        """
        return torch.relu(basic(self.weight))

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
