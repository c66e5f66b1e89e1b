"""What a pair scorer is."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from cogsl.sparse import Pattern

ALL = slice(None)


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
