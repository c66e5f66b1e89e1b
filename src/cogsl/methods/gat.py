"""GAT: graph attention networks (Velickovic et al., 2018).

alpha_ij = softmax over j in N(i) + i of LeakyReLU(a . [W h_i || W h_j]) (their Eq. (3)),
h'_i = || over heads of ELU(sum_j alpha_ij W h_j) (Eq. (5)), with PyTorch Geometric's layers: the
first concatenates its heads, the second has one. Weights of edges are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from cogsl.cost import Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.nn import FeatureProduct, dropout, dropped_features, edge_index, feature_matrix
from cogsl.seeding import Seeds
from cogsl.settings import setting


@dataclass(kw_only=True, eq=False)
class GAT(SupervisedClassifier):
    """Two layers of attention over the neighbours in the given graph."""

    about: ClassVar[About] = About(
        title="GAT",
        paper="Velickovic et al., Graph Attention Networks",
        year=2018,
        cost="E",
    )
    reads_weights: ClassVar[bool] = False

    hidden: int = setting(8, "hidden size of each head", low=1)
    heads: int = setting(8, "heads of the first layer", symbol="K", low=1)
    dropout: float = setting(0.6, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    input_dropout: float = setting(
        0.6, "dropout of the features", low=0.0, high=1.0, open_high=True
    )
    attention_dropout: float = setting(
        0.6, "dropout of the attention coefficients", low=0.0, high=1.0, open_high=True
    )
    lr: float = setting(0.005, "learning rate", low=0.0, open_low=True)

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: each head weighs a message for each entry."""
        self.validate()
        widths = (self.heads * (self.hidden + 4), size.classes + 4)
        return self._expect(size, messages=size.entries + size.nodes, widths=widths)

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        return _Network(self, graph, generator=seeds.torch("weights"))


class _Network(nn.Module):
    """Two of PyTorch Geometric's attention layers."""

    def __init__(self, settings: GAT, graph: Graph, *, generator: torch.Generator) -> None:
        from torch_geometric.nn import GATConv  # heavy

        super().__init__()
        n_features, n_classes = graph.n_features, graph.n_classes
        heads, hidden, rate = settings.heads, settings.hidden, settings.attention_dropout
        self.rate, self.input_rate = settings.dropout, settings.input_dropout
        self.features = feature_matrix(graph.features, torch.float32)
        self.edges, _ = edge_index(graph.adjacency)
        self.product = FeatureProduct(n_features, heads * hidden, generator=generator)
        self.first: Any = GATConv(n_features, hidden, heads, dropout=rate)
        self.first.lin = nn.Identity()  # it takes dense features only
        self.second: Any = GATConv(heads * hidden, n_classes, dropout=rate)
        self.second.lin = FeatureProduct(heads * hidden, n_classes, generator=generator)
        for layer in (self.first, self.second):
            for weight in (layer.att_src, layer.att_dst):
                nn.init.xavier_uniform_(weight, generator=generator)

    def forward(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C; no generator, no dropout."""
        self.train(generator is not None)
        features = dropped_features(self.features, self.input_rate, generator=generator)
        hidden = elu(self.first(self.product(features), self.edges))
        hidden = dropout(hidden, self.rate, generator=generator)
        output: Tensor = self.second(hidden, self.edges)
        return output.log_softmax(dim=1)
