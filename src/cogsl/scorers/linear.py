"""The paper's pair scorer."""

from __future__ import annotations

import torch
from torch import Tensor

from cogsl.nn import glorot
from cogsl.scorers.base import ALL, Nodes, Scorer
from cogsl.sparse import Pattern, columns_to_entries


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
