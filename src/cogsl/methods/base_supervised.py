"""What the plain networks share: settings, the loop, and the kept epoch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.base import NodeClassifier
from cogsl.nn import MessagePassingGCN
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import AccuracyRule, LabelledNodes, Listener, adam, descend, train_supervised

# On the reference machine, one thread.
_MESSAGE_SECONDS = 8e-9  # for a number of a message, forward and backward
_PRODUCT_SECONDS = 6e-11  # for a multiplication in a dense product


class Network(Protocol):
    """Gives log-predictions for all nodes of the graph that it was made for."""

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """Return what is trained."""

    def __call__(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions, N x C; no generator, no dropout."""


@dataclass(kw_only=True, eq=False)
class SupervisedClassifier(NodeClassifier):
    """A network that is trained on the training nodes; the epoch is chosen on validation nodes."""

    hidden: int = setting(16, "hidden size", low=1)
    dropout: float = setting(0.5, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    input_dropout: float = setting(
        0.0, "dropout of the features", low=0.0, high=1.0, open_high=True
    )
    lr: float = setting(0.01, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of all layers", low=0.0)
    epochs: int = setting(200, "training epochs", low=1)
    patience: int | None = setting(
        None, "stop after this many epochs without a new kept state; 'none' never stops", low=1
    )

    @property
    def max_iterations(self) -> int:
        """How many epochs ``fit`` runs at most."""
        return self.epochs

    @abstractmethod
    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        """Return the network of this graph, untrained."""

    def _gcn(self, adjacency: sp.csr_array, graph: Graph, seeds: Seeds) -> Network:
        """Return a two-layer GCN on some edges, N x N, with the graph's features."""
        return MessagePassingGCN(
            adjacency,
            graph.features,
            hidden=self.hidden,
            n_classes=graph.n_classes,
            rate=self.dropout,
            input_rate=self.input_dropout,
            generator=seeds.torch("weights"),
        )

    def _expect(
        self, size: GraphSize, *, messages: int, widths: tuple[int, int], preparation: float = 0.0
    ) -> Estimate:
        """Return what ``fit`` needs if each layer makes a message of its width for some entries.

        Parameters
        ----------
        size : of the graph.
        messages : entries along which a layer sends one; PyTorch Geometric holds them all.
        widths : numbers a node has in the first and in the second layer.
        preparation : seconds of what is made once, on the reference machine.
        """
        lasting = size.feature_bytes + 20 * messages
        step = 4 * (3 * messages * max(widths) + 6 * size.nodes * sum(widths))
        seconds = _MESSAGE_SECONDS * (messages + size.nodes) * sum(widths)
        seconds += _PRODUCT_SECONDS * 3 * size.multiplied * widths[0]
        return Estimate(
            views=Cost(slowness() * (preparation + 1e-7 * messages), lasting),
            iteration=Cost(slowness() * seconds, lasting + step),
            iterations=self.epochs,
            result=Cost(0.0, lasting),
            remedy="Lower 'hidden'.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        listener.on_phase("preparation")
        nodes, network = LabelledNodes(graph), self._network(graph, seeds)
        optimiser = adam(network.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        noise = seeds.torch("dropout")

        def step() -> float:
            output = network(generator=noise)
            loss = nll_loss(output.index_select(0, nodes.train), nodes.train_labels)
            descend(loss, optimiser)
            return float(loss.detach())

        @torch.no_grad()
        def predict() -> Tensor:
            return network(generator=None)

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
            raise DivergedError.never_finite("lr")
        self.history_, self.n_iter_ = outcome.history, len(outcome.history)
        self.best_iter_, self.learned_graph_ = outcome.best_iteration, None
        self.probabilities_ = outcome.output.double().exp().numpy()
