"""PyTorch Geometric's layers on our graphs: edges as it wants them, features that stay sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from cogsl.graph import Features
from cogsl.nn.init import dropout, glorot
from cogsl.nn.inputs import FeatureMatrix, dropped_features, feature_matrix


def edge_index(adjacency: sp.csr_array) -> tuple[Tensor, Tensor]:
    """Return source and target of each entry, 2 x E, and the weights, E."""
    coo = adjacency.tocoo()
    return torch.tensor(np.stack(coo.coords), dtype=torch.long), torch.tensor(coo.data)


class FeatureProduct(nn.Module):
    """X W for dense or sparse features; stands in for a layer's own dense product."""

    def __init__(self, n_features: int, n_hidden: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self.weight = glorot(n_features, n_hidden, generator=generator, dtype=torch.float32)

    def forward(self, features: FeatureMatrix) -> Tensor:
        """Return X W, N x hidden."""
        return features @ self.weight


class MessagePassingGCN(nn.Module):
    """Two of PyTorch Geometric's convolutions on a graph that is normalised once.

    O = log softmax(V ReLU(V X W0 + b0) W1 + b1),  V = D^-1/2 (A + I) D^-1/2

    Parameters
    ----------
    adjacency : A, N x N, symmetric, without self-loops.
    features : X, N x D.
    hidden, n_classes : sizes of the two layers.
    rate, input_rate : dropout of the hidden layer and of the features.
    generator : draws the weights.
    """

    def __init__(
        self,
        adjacency: sp.csr_array,
        features: Features,
        *,
        hidden: int,
        n_classes: int,
        rate: float = 0.0,
        input_rate: float = 0.0,
        generator: torch.Generator,
    ) -> None:
        from torch_geometric.nn import GCNConv  # heavy
        from torch_geometric.nn.conv.gcn_conv import gcn_norm

        super().__init__()
        n_nodes, n_features = features.shape
        self.rate, self.input_rate = rate, input_rate
        self.features = feature_matrix(features, torch.float32)
        self.edges, self.edge_weights = gcn_norm(*edge_index(adjacency), n_nodes)
        self.first: Any = GCNConv(n_features, hidden, normalize=False)
        self.second: Any = GCNConv(hidden, n_classes, normalize=False)
        self.first.lin = FeatureProduct(n_features, hidden, generator=generator)
        self.second.lin = FeatureProduct(hidden, n_classes, generator=generator)

    def forward(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C; no generator, no dropout."""
        features = dropped_features(self.features, self.input_rate, generator=generator)
        hidden = self.first(features, self.edges, self.edge_weights).relu()
        hidden = dropout(hidden, self.rate, generator=generator)
        output: Tensor = self.second(hidden, self.edges, self.edge_weights)
        return output.log_softmax(dim=1)
