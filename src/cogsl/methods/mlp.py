"""MLP: two layers that see a node's own features and no graph.

O = softmax(ReLU(X W0 + b0) W1 + b1). What it reaches is what the features alone are worth; a graph
that does not beat it is of no use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from cogsl.cost import Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.nn import dropout, dropped_features, feature_matrix, glorot
from cogsl.seeding import Seeds


@dataclass(kw_only=True, eq=False)
class MLP(SupervisedClassifier):
    """A two-layer perceptron on the features."""

    about: ClassVar[About] = About(
        title="MLP",
        paper="Rumelhart et al., Learning Representations by Back-Propagating Errors",
        year=1986,
        cost="N",
    )
    reads_edges: ClassVar[bool] = False
    reads_weights: ClassVar[bool] = False

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs; there are no messages."""
        self.validate()
        return self._expect(size, messages=0, widths=(self.hidden, size.classes))

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        return _Network(self, graph, generator=seeds.torch("weights"))


class _Network(nn.Module):
    """Two dense layers."""

    def __init__(self, settings: MLP, graph: Graph, *, generator: torch.Generator) -> None:
        super().__init__()
        self.rate, self.input_rate = settings.dropout, settings.input_dropout
        self.features = feature_matrix(graph.features, torch.float32)
        sizes = graph.n_features, settings.hidden, graph.n_classes
        self.first = glorot(*sizes[:2], generator=generator, dtype=torch.float32)
        self.second = glorot(*sizes[1:], generator=generator, dtype=torch.float32)
        self.first_bias, self.second_bias = (nn.Parameter(torch.zeros(n)) for n in sizes[1:])

    def forward(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C; no generator, no dropout."""
        features = dropped_features(self.features, self.input_rate, generator=generator)
        hidden = (features @ self.first + self.first_bias).relu()
        hidden = dropout(hidden, self.rate, generator=generator)
        return torch.log_softmax(hidden @ self.second + self.second_bias, dim=1)
