"""What can be set of Pro-GNN."""

from __future__ import annotations

from dataclasses import dataclass

from cogsl.settings import setting


@dataclass(kw_only=True, eq=False)
class ProGNNSettings:
    """The weights of the objective, and how each side of it is trained."""

    sparsity: float = setting(5e-4, "weight of the graph's l1 norm", symbol="alpha", low=0.0)
    low_rank: float = setting(1.5, "weight of the graph's nuclear norm", symbol="beta", low=0.0)
    supervision: float = setting(
        1.0, "weight of the classification loss for the graph", symbol="gamma", low=0.0
    )
    smoothness: float = setting(
        1e-3,
        "weight of the features' smoothness; 0 spares an N x N matrix",
        symbol="lambda",
        low=0.0,
    )
    distance: str = setting(
        "squared",
        "how far the graph is from the given one: 'squared', ||A - S||_F^2 as in the paper, or "
        "'norm', ||A - S||_F as in the authors' program",
        choices=("squared", "norm"),
    )
    symmetric: bool = setting(
        True, "keep the graph symmetric; else each way of an edge is learned apart, which is slow"
    )
    whole_up_to: int = setting(
        5000,
        "of a symmetric graph of more nodes only the largest singular values are lowered, by a "
        "truncated decomposition",
        low=0,
    )
    leading: int = setting(100, "how many singular values that are", low=1)
    graph_lr: float = setting(0.01, "step size of the graph", symbol="eta", low=0.0, open_low=True)
    graph_momentum: float = setting(
        0.9, "momentum of the graph's gradient", low=0.0, high=1.0, open_high=True
    )
    graph_steps: int = setting(1, "graph steps an epoch", low=1)
    classifier_steps: int = setting(2, "classifier steps an epoch", symbol="tau", low=1)
    epochs: int = setting(400, "training epochs", low=1)
    patience: int | None = setting(
        None, "stop after this many epochs without a new kept state; 'none' never stops", low=1
    )
    hidden: int = setting(16, "hidden size", low=1)
    dropout: float = setting(0.5, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    lr: float = setting(0.01, "learning rate of the classifier", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of the classifier", low=0.0)
    least_weight: float = setting(
        0.01, "edges up to this weight are left out of the learned graph", low=0.0
    )

    def truncates(self, n_nodes: int) -> bool:
        """Tell whether only the leading singular values of a graph of this size are lowered."""
        return self.symmetric and n_nodes > self.whole_up_to
