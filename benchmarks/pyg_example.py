"""PyTorch Geometric's own two-layer GCN example, timed: the yardstick of a whole run.

Dense features, 16 hidden units, dropout 0.5 on features and hidden units, Adam with rate 0.01 and
weight decay 5e-4 on the first layer, one look at the validation nodes after each epoch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from benchmarks.timing import Cost, costs
from cogsl.graph import Graph
from cogsl.seeding import random_scope

HIDDEN, RATE = 16, 0.5


@dataclass(frozen=True)
class Example:
    """What the example cost; ``training`` is the seconds of its gradient steps alone."""

    cost: Cost
    n_epochs: int
    training: float
    val_accuracy: float

    def seconds_of_steps(self, n_steps: int) -> float:
        """Return the time of that many gradient steps, scaled from those that were taken."""
        return self.training / self.n_epochs * n_steps


class _Network(nn.Module):
    """The example's network."""

    def __init__(self, n_features: int, n_classes: int) -> None:
        from torch_geometric.nn import GCNConv  # heavy, and not to count as memory of ours

        super().__init__()
        self.first: Any = GCNConv(n_features, HIDDEN, cached=True)
        self.second: Any = GCNConv(HIDDEN, n_classes, cached=True)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Return the classes' scores, N x C."""
        x = dropout(x, RATE, self.training)
        x = self.first(x, edges).relu()
        x = dropout(x, RATE, self.training)
        scores: Tensor = self.second(x, edges)
        return scores


def measure_example(graph: Graph, *, n_epochs: int = 200) -> Example:
    """Train and validate for ``n_epochs``."""
    with random_scope(0):
        network = _Network(graph.n_features, graph.n_classes)
        with costs() as cost:
            training, accuracy = _train(network, graph, n_epochs)
    return Example(cost, n_epochs, training, accuracy)


def _train(network: _Network, graph: Graph, n_epochs: int) -> tuple[float, float]:
    """Return the seconds of the gradient steps, and the last validation accuracy."""
    x, edges = _dense_features(graph), torch.tensor(np.stack(graph.adjacency.tocoo().coords)).long()
    labels, train, val = map(torch.tensor, (graph.labels, graph.train, graph.val))
    optimiser = torch.optim.Adam(
        [
            {"params": network.first.parameters(), "weight_decay": 5e-4},
            {"params": network.second.parameters(), "weight_decay": 0.0},
        ],
        lr=0.01,
    )
    seconds, accuracy = 0.0, 0.0
    for _ in range(n_epochs):
        start = time.perf_counter()
        network.train()
        optimiser.zero_grad()
        loss = cross_entropy(network(x, edges)[train], labels[train])
        torch.autograd.backward(loss)
        optimiser.step()
        seconds += time.perf_counter() - start
        network.eval()
        with torch.no_grad():
            predicted = network(x, edges).argmax(dim=-1)
        accuracy = float((predicted[val] == labels[val]).double().mean())
    return seconds, accuracy


def _dense_features(graph: Graph) -> Tensor:
    features = graph.features
    return torch.tensor(features if isinstance(features, np.ndarray) else features.toarray())
