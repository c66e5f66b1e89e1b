"""Pairs scored by what is believed of both ends."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from cogsl.scorers.base import ALL, Nodes
from cogsl.scorers.linear import LinearScorer
from cogsl.sparse import Pattern, sampled_product

_SCALE_START = 4.0  # this and the next by search on validation nodes
_PRIOR_LABELS = 20  # how many labels the belief counts for that a node may be of any class


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
        self.scale = nn.Parameter(torch.full((1,), _SCALE_START, dtype=dtype))
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
