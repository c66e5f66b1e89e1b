"""IDGL's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cogsl.settings import setting

FULL_NODES = 5_000
"""Up to here all pairs are looked at; a larger graph gets anchors."""

USUAL_ANCHORS = 500
"""How many, if it is not said; the authors take 300 to 1,400."""


class Weights(NamedTuple):
    """alpha, beta and gamma of the regulariser."""

    smoothness: float
    connectivity: float
    sparsity: float


_FULL_WEIGHTS = Weights(0.4, 0.0, 0.2)
_ANCHOR_WEIGHTS = Weights(0.0, 0.03, 0.0)
"""The authors' for a graph with many nodes an anchor: the anchors' graph then has entries of about
N / s, whose squares would outweigh everything else."""


@dataclass(kw_only=True, eq=False)
class IDGLSettings:
    """The settings of ``IDGL``."""

    hidden: int = setting(16, "hidden size", low=1)
    heads: int = setting(1, "heads of the similarity", symbol="m", low=1)
    epsilon: float = setting(
        0.3,
        "similarities that are not above it become 0",
        symbol="epsilon",
        low=0.0,
        high=1.0,
        open_high=True,
    )
    skip: float = setting(0.6, "share of the given graph", symbol="lambda", low=0.0, high=1.0)
    update: float = setting(
        0.5,
        "share of the embeddings' graph in the learned one, beside the features'",
        symbol="eta",
        low=0.0,
        high=1.0,
    )
    smoothness: float | None = setting(
        None,
        "weight of the features' smoothness; 'none': 0.4, with anchors 0",
        symbol="alpha",
        low=0.0,
    )
    connectivity: float | None = setting(
        None,
        "weight of the degrees' logarithms; 'none': 0, with anchors 0.03",
        symbol="beta",
        low=0.0,
    )
    sparsity: float | None = setting(
        None, "weight of the squared entries; 'none': 0.2, with anchors 0", symbol="gamma", low=0.0
    )
    max_turns: int = setting(10, "turns after the first, at most", symbol="T", low=0)
    first_epochs: int | None = setting(
        None,
        "epochs at first in which no turn follows the first; none of them is kept; 'none': half "
        "of all",
        low=0,
    )
    tolerance: float = setting(
        1e-3, "turns end when the graph's relative change is not above it", symbol="delta", low=0.0
    )
    anchors: int | None = setting(
        None,
        f"nodes that stand for all; 'none': all nodes up to {FULL_NODES:,}, else {USUAL_ANCHORS}",
        symbol="s",
        low=1,
    )
    knn_neighbours: int = setting(
        20, "nearest neighbours, itself included, where the graph has no edge", symbol="k", low=1
    )
    dropout: float = setting(
        0.5, "dropout of the embeddings in the first turn", low=0.0, high=1.0, open_high=True
    )
    later_dropout: float = setting(
        0.5, "dropout of the embeddings in the later turns", low=0.0, high=1.0, open_high=True
    )
    lr: float = setting(0.03, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of all weights", low=0.0)
    epochs: int = setting(160, "training epochs", low=1)
    patience: int | None = setting(
        50, "stop after this many epochs without a new kept state; 'none' never stops", low=1
    )
    kept_neighbours: int = setting(
        50, "largest entries of a row that the learned graph keeps", low=1
    )

    @property
    def warm_up(self) -> int:
        """How many epochs have no turn after the first."""
        return self.epochs // 2 if self.first_epochs is None else self.first_epochs

    def turns_in(self, epoch: int) -> int:
        """Return how many turns may follow the first one in an epoch."""
        return 0 if epoch < self.warm_up else self.max_turns

    def anchors_for(self, n_nodes: int) -> int | None:
        """Return how many anchors a graph of that size gets; None for the full version."""
        if self.anchors is not None:
            return min(self.anchors, n_nodes)
        return None if n_nodes <= FULL_NODES else USUAL_ANCHORS

    def weights_for(self, n_nodes: int) -> Weights:
        """Return the regulariser's weights on a graph of that size."""
        usual = _FULL_WEIGHTS if self.anchors_for(n_nodes) is None else _ANCHOR_WEIGHTS
        given = (self.smoothness, self.connectivity, self.sparsity)
        return Weights(*(u if g is None else g for g, u in zip(given, usual, strict=True)))
