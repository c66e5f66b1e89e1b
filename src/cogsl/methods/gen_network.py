"""The GCN of GEN: trained on one graph after the other, its weights go on."""

from __future__ import annotations

from dataclasses import dataclass

import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import nll_loss
from torch.optim import Optimizer

from cogsl.graph import Graph
from cogsl.nn import ACTIVATIONS, GCNClassifier, Propagated, feature_matrix
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix
from cogsl.training import AccuracyRule, LabelledNodes, adam, descend
from cogsl.views.base import propagation


@dataclass(frozen=True, eq=False)
class Trained:
    """The best epoch on a graph.

    Parameters
    ----------
    epoch : which one, from 0.
    loss : on the training nodes.
    figures : accuracies and the validation loss.
    hidden : H1, N x hidden, without dropout.
    output : H2, log-predictions, N x C.
    """

    epoch: int
    loss: float
    figures: dict[str, float]
    hidden: Tensor
    output: Tensor


class Backbone:
    """A two-layer GCN that any graph on the same nodes can be given to.

    H1 = ReLU(V X W0 + b0),  H2 = log softmax(V H1 W1 + b1),  V = D^-1/2 (S + I) D^-1/2

    Parameters
    ----------
    graph : whose features and labelled nodes are used.
    hidden : size of the hidden layer.
    rate : its dropout.
    seeds : draw weights and dropout.
    """

    def __init__(self, graph: Graph, *, hidden: int, rate: float, seeds: Seeds) -> None:
        self.nodes = LabelledNodes(graph)
        self._features = feature_matrix(graph.features, torch.float32)
        self._noise = seeds.torch("dropout")
        self._classifier = GCNClassifier(
            graph.n_features,
            hidden,
            graph.n_classes,
            rate=rate,
            bias=True,
            generator=seeds.torch("weights"),
            dtype=torch.float32,
        )

    def train(
        self, adjacency: sp.csr_array, *, epochs: int, lr: float, weight_decay: float
    ) -> Trained | None:
        """Train on a graph; return its best epoch on validation nodes, None if none was finite."""
        optimiser = adam(self._classifier.parameters(), lr=lr, weight_decay=weight_decay)
        on_graph = _OnGraph(self._classifier, propagation(adjacency), self._features, self.nodes)
        rule, best = AccuracyRule(), None
        for epoch in range(epochs):
            loss = on_graph.step(optimiser, self._noise)
            hidden, output = on_graph.infer()
            figures = self.nodes.judge(output)
            if rule.keeps(accuracy=figures["val_accuracy"], loss=figures["val_loss"]):
                best = Trained(epoch, loss, figures, hidden, output)
        return best


class _OnGraph:
    """The GCN on one graph. V X W0 after a step serves validation and the next step alike."""

    def __init__(
        self,
        classifier: GCNClassifier,
        view: SparseMatrix,
        features: Tensor | SparseMatrix,
        nodes: LabelledNodes,
    ) -> None:
        self._classifier, self._nodes = classifier, nodes
        self._view, self._train_view = view, view.rows(nodes.train)
        self._propagated = Propagated(view, features)
        self._smoothed = self._propagated(classifier.first)

    def step(self, optimiser: Optimizer, noise: torch.Generator) -> float:
        """Take one step on the training nodes; return the loss before it."""
        output = self._classifier(self._train_view, self._smoothed, generator=noise)
        loss = nll_loss(output, self._nodes.train_labels)
        descend(loss, optimiser)
        self._smoothed = self._propagated(self._classifier.first)
        return float(loss.detach())

    @torch.no_grad()
    def infer(self) -> tuple[Tensor, Tensor]:
        """Return H1 and H2 without dropout, N x hidden and N x C."""
        classifier, smoothed = self._classifier, self._smoothed.detach()
        assert classifier.first_bias is not None
        hidden = ACTIVATIONS[classifier.activation](smoothed + classifier.first_bias)
        return hidden, classifier(self._view, smoothed)
