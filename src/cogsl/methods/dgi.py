"""DGI: deep graph infomax (Velickovic et al., 2019), and a linear probe of its embeddings.

The encoder H = PReLU(V X W + b), V = D^-1/2 (A + I) D^-1/2, is trained without labels: given the
readout s = sigmoid(mean of h_i), a discriminator D(h, s) = sigmoid(h^T M s) tells nodes of the
graph from nodes of a corrupted one, whose feature rows were shuffled:
L = -mean_i log D(h_i, s) - mean_i log(1 - D(h~_i, s)). Objective and discriminator are PyTorch
Geometric's ``DeepGraphInfomax``; logistic regression then reads the classes from H.

Left open, and decided here: the encoder has a bias and one slope. Training stops as in the paper,
on the unsupervised loss; of the epochs that were probed on the way the one that does best on
validation nodes is kept, as for every other method (the paper takes that of the lowest loss). The
regularisation of the probe is chosen on validation nodes too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_probed import ProbedClassifier
from cogsl.nn import feature_matrix, glorot, prelu
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import Listener, adam, descend, probe_seconds
from cogsl.views.base import propagation

_PRELU_START = 0.25
# On the reference machine, one thread.
_NUMBER_SECONDS = 1.2e-8  # for a number of an embedding, in all that is not a product
_ENTRY_SECONDS = 6e-10  # for an entry and a column of a sparse product, forward and backward


@dataclass(kw_only=True, eq=False)
class DGI(ProbedClassifier):
    """Embeddings that agree with a summary of the whole graph; a linear probe reads them."""

    about: ClassVar[About] = About(
        title="DGI",
        paper="Velickovic et al., Deep Graph Infomax",
        year=2019,
        cost="E",
    )

    hidden: int = setting(512, "size of the embeddings", symbol="F'", low=1)
    lr: float = setting(0.001, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(0.0, "weight decay of all layers", low=0.0)
    epochs: int = setting(500, "training epochs at most", low=1)
    patience: int | None = setting(
        20, "stop after this many epochs without a new lowest loss; 'none' never stops", low=1
    )

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: some tables of N x hidden, and products with the graph."""
        self.validate()
        numbers = size.nodes * self.hidden
        weights = self.hidden * (size.features + self.hidden)
        lasting = size.feature_bytes + 12 * (size.entries + size.nodes)
        products = 2 * (size.entries + size.nodes) + size.multiplied
        seconds = _NUMBER_SECONDS * numbers + _ENTRY_SECONDS * self.hidden * products
        seconds += probe_seconds(size, self.hidden) / self.probe_every
        result = Cost(0.0, lasting + 16 * size.nodes * size.classes)
        return Estimate(
            views=Cost(slowness() * 1e-7 * size.entries, 3 * lasting),
            iteration=Cost(slowness() * seconds, lasting + 4 * (10 * numbers + 5 * weights)),
            iterations=self.epochs,
            result=result,
            remedy="Lower 'hidden'.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        listener.on_phase("preparation")
        encoder = Encoder(graph, self.hidden, seeds.torch("weights"))
        model = infomax(encoder, shuffle=seeds.torch("shuffle"), weights=seeds.torch("summary"))
        optimiser = adam(model.parameters(), lr=self.lr, weight_decay=self.weight_decay)

        def step() -> float:
            loss = model.loss(*model(encoder.inputs()))
            descend(loss, optimiser)
            return float(loss.detach())

        self._train(step, encoder.embed, graph, listener)


class Encoder(nn.Module):
    """One graph convolution: H = PReLU(V X W + b).

    A shuffle of the rows passes through W, (P X) W = P (X W): sparse features are multiplied once
    for both graphs, and are never shuffled themselves. Dense features with fewer columns than the
    embeddings are shuffled and smoothed before they are multiplied, (V P X) W, which is cheaper.

    Parameters
    ----------
    graph : on which it stands.
    hidden : columns of H.
    generator : draws W.
    """

    def __init__(self, graph: Graph, hidden: int, generator: torch.Generator) -> None:
        super().__init__()
        self.view = propagation(graph.adjacency)
        self.features = feature_matrix(graph.features, torch.float32)
        self.smooths_first = isinstance(self.features, Tensor) and graph.n_features < hidden
        self.weight = glorot(graph.n_features, hidden, generator=generator, dtype=torch.float32)
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.slope = nn.Parameter(torch.full((1,), _PRELU_START))

    def inputs(self) -> Tensor:
        """Return X if it is smoothed first, N x D; else X W, N x hidden."""
        if self.smooths_first:
            assert isinstance(self.features, Tensor)
            return self.features
        return self.features @ self.weight

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the embeddings of such inputs, N x hidden; their rows may have been shuffled."""
        smoothed = self.view @ inputs
        if self.smooths_first:
            smoothed = smoothed @ self.weight
        return prelu(smoothed + self.bias, self.slope)

    @torch.no_grad()
    def embed(self) -> Tensor:
        """Return the embeddings of the graph itself, N x hidden."""
        embeddings: Tensor = self(self.inputs())
        return embeddings


def infomax(encoder: Encoder, *, shuffle: torch.Generator, weights: torch.Generator) -> Any:
    """Return PyTorch Geometric's model: ``model(inputs)`` gives H, H~ and s, for ``model.loss``."""
    from torch_geometric.nn import DeepGraphInfomax  # heavy

    def corruption(inputs: Tensor) -> Tensor:
        return inputs.index_select(0, torch.randperm(len(inputs), generator=shuffle))

    def summary(embeddings: Tensor, inputs: Tensor) -> Tensor:
        return torch.sigmoid(embeddings.mean(dim=0))

    hidden = len(encoder.bias)
    model: Any = DeepGraphInfomax(hidden, encoder, summary, corruption)
    nn.init.uniform_(model.weight, -(hidden**-0.5), hidden**-0.5, generator=weights)
    return model
