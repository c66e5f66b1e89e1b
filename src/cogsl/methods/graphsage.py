"""GraphSAGE: inductive representation learning on large graphs (Hamilton et al., 2017).

h'_i = sigma(W [h_i || mean of h_j over j in N(i)]) (their Algorithm 1 with the mean aggregator),
with PyTorch Geometric's layers, on all neighbours. Weights of edges are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from cogsl.cost import Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.nn import FeatureProduct, dropout, dropped_features, edge_index, feature_matrix
from cogsl.seeding import Seeds


@dataclass(kw_only=True, eq=False)
class GraphSAGE(SupervisedClassifier):
    """Two layers that look at a node and at the mean of its neighbours in the given graph."""

    about: ClassVar[About] = About(
        title="GraphSAGE",
        paper="Hamilton et al., Inductive Representation Learning on Large Graphs",
        year=2017,
        cost="E",
    )
    reads_weights: ClassVar[bool] = False

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: two products with the features, a message for each entry."""
        self.validate()
        widths = (2 * self.hidden, 2 * size.classes)
        return self._expect(size, messages=size.entries, widths=widths)

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        return _Network(self, graph, generator=seeds.torch("weights"))


class _Network(nn.Module):
    """Two of PyTorch Geometric's SAGE layers; the first gets X W, as mean(X) W = mean(X W)."""

    def __init__(self, settings: GraphSAGE, graph: Graph, *, generator: torch.Generator) -> None:
        from torch_geometric.nn import SAGEConv  # heavy

        super().__init__()
        n_features, hidden, n_classes = graph.n_features, settings.hidden, graph.n_classes
        self.rate, self.input_rate = settings.dropout, settings.input_dropout
        self.features = feature_matrix(graph.features, torch.float32)
        self.edges, _ = edge_index(graph.adjacency)
        self.neighbours = FeatureProduct(n_features, hidden, generator=generator)
        self.self_ = FeatureProduct(n_features, hidden, generator=generator)
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.first: Any = SAGEConv(hidden, hidden)
        self.first.lin_l, self.first.lin_r = nn.Identity(), nn.Identity()
        self.second: Any = SAGEConv(hidden, n_classes)
        for layer in (self.second.lin_l, self.second.lin_r):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(self.second.lin_l.bias)

    def forward(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C; no generator, no dropout."""
        features = dropped_features(self.features, self.input_rate, generator=generator)
        projected = self.neighbours(features), self.self_(features)
        hidden = (self.first(projected, self.edges) + self.bias).relu()
        hidden = dropout(hidden, self.rate, generator=generator)
        output: Tensor = self.second(hidden, self.edges)
        return output.log_softmax(dim=1)
