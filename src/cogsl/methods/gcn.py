"""GCN: semi-supervised classification with graph convolutional networks (Kipf and Welling, 2017).

H = ReLU(D^-1/2 (A + I) D^-1/2 X W0 + b0),  O = softmax(D^-1/2 (A + I) D^-1/2 H W1 + b1), with
PyTorch Geometric's layers; it learns no graph, and is what a learned graph has to beat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import nll_loss

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.base import NodeClassifier
from cogsl.nn import FeatureMatrix, dropout, feature_matrix, glorot
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import AccuracyRule, LabelledNodes, Listener, adam, descend, train_supervised

# On the reference machine, one thread.
_MESSAGE_SECONDS = 8e-9  # for a number of a message, forward and backward
_PRODUCT_SECONDS = 6e-11  # for a multiplication in a dense product


@dataclass(kw_only=True, eq=False)
class GCN(NodeClassifier):
    """A two-layer GCN on the given graph."""

    hidden: int = setting(16, "hidden size", low=1)
    dropout: float = setting(0.5, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    lr: float = setting(0.01, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of both layers", low=0.0)
    epochs: int = setting(200, "training epochs", low=1)
    patience: int | None = setting(
        None, "stop after this many epochs without a new kept state; 'none' never stops", low=1
    )

    @property
    def max_iterations(self) -> int:
        """How many epochs ``fit`` runs at most."""
        return self.epochs

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: PyTorch Geometric makes a message for each entry, twice."""
        self.validate()
        entries, n = size.entries + size.nodes, size.nodes
        widest = max(self.hidden, size.classes)
        lasting = size.feature_bytes + 20 * entries
        step = 4 * (3 * entries * widest + n * (6 * self.hidden + 6 * size.classes))
        multiplied = 3 * size.multiplied * self.hidden
        seconds = _MESSAGE_SECONDS * entries * (self.hidden + size.classes)
        seconds += _PRODUCT_SECONDS * multiplied
        return Estimate(
            views=Cost(slowness() * 1e-7 * entries, lasting),
            iteration=Cost(slowness() * seconds, lasting + step),
            iterations=self.epochs,
            result=Cost(0.0, lasting),
            remedy="Lower 'hidden'.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        nodes = LabelledNodes(graph)
        network = _Network(graph, hidden=self.hidden, generator=seeds.torch("weights"))
        optimiser = adam(network.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        noise = seeds.torch("dropout")

        def step() -> float:
            output = network(rate=self.dropout, generator=noise)
            loss = nll_loss(output.index_select(0, nodes.train), nodes.train_labels)
            descend(loss, optimiser)
            return float(loss.detach())

        @torch.no_grad()
        def predict() -> Tensor:
            output: Tensor = network(rate=self.dropout, generator=None)
            return output

        outcome = train_supervised(
            step,
            predict,
            epochs=self.epochs,
            nodes=nodes,
            rule=AccuracyRule(),
            patience=self.patience,
            listener=listener,
        )
        if outcome.output is None:
            raise DivergedError(
                "The validation loss was never finite. Lower 'lr', or scale the features."
            )
        self.history_, self.n_iter_ = outcome.history, len(outcome.history)
        self.best_iter_, self.learned_graph_ = outcome.best_iteration, None
        self.probabilities_ = outcome.output.double().exp().numpy()


class _FeatureProduct(nn.Module):
    """X W for dense or sparse features; stands in for the layer's own dense product."""

    def __init__(self, n_features: int, n_hidden: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self.weight = glorot(n_features, n_hidden, generator=generator, dtype=torch.float32)

    def forward(self, features: FeatureMatrix) -> Tensor:
        """Return X W, N x hidden."""
        return features @ self.weight


class _Network(nn.Module):
    """Two of PyTorch Geometric's convolutions on a graph that was normalised once."""

    def __init__(self, graph: Graph, *, hidden: int, generator: torch.Generator) -> None:
        from torch_geometric.nn import GCNConv  # heavy
        from torch_geometric.nn.conv.gcn_conv import gcn_norm

        super().__init__()
        self.features = feature_matrix(graph.features, torch.float32)
        coo = graph.adjacency.tocoo()
        edges = torch.tensor(np.stack(coo.coords), dtype=torch.long)
        self.edges, self.edge_weights = gcn_norm(edges, torch.tensor(coo.data), graph.n_nodes)
        self.first: Any = GCNConv(graph.n_features, hidden, normalize=False)
        self.second: Any = GCNConv(hidden, graph.n_classes, normalize=False)
        self.first.lin = _FeatureProduct(graph.n_features, hidden, generator=generator)
        self.second.lin = _FeatureProduct(hidden, graph.n_classes, generator=generator)

    def forward(self, *, rate: float, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C."""
        hidden = self.first(self.features, self.edges, self.edge_weights).relu()
        hidden = dropout(hidden, rate, generator=generator)
        output: Tensor = self.second(hidden, self.edges, self.edge_weights)
        return output.log_softmax(dim=1)
