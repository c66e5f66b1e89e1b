"""GCA: graph contrastive learning with adaptive augmentation (Zhu et al., 2021), and a probe.

In each epoch two views of the graph are drawn that lack some edges and some features, those of
little importance most often (``gca_augmentation``). A two-layer GCN embeds both, a projection maps
the embeddings to where they are compared, and each node's two embeddings are drawn together, away
from those of all other nodes in both views (``losses.grace``; Eq. (1) and (2)). Logistic regression
then reads the classes from the embeddings of the whole graph.

Left open, and decided here: beyond ``batch`` nodes each epoch contrasts that many, drawn anew (all
are still embedded; the paper takes all nodes). Of the epochs that were probed on the way the one
that does best on validation nodes is kept, as for every other method (the paper trains for a fixed
number of epochs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.errors import SettingValueError
from cogsl.graph import Graph
from cogsl.losses import LEAST_TAU, Workspace, grace_loss
from cogsl.methods.base import About
from cogsl.methods.base_probed import ProbedClassifier
from cogsl.methods.gca_augmentation import (
    CENTRALITIES,
    EdgeDropping,
    draw_mask,
    drop_probabilities,
    feature_weights,
)
from cogsl.methods.gca_network import ENCODER_ACTIVATIONS, Encoder, Projection
from cogsl.nn import feature_matrix
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import SCALINGS, Listener, adam, descend, probe_seconds

# On the reference machine, one thread.
_NUMBER_SECONDS = 1.2e-8  # for a number of an embedding, in all that is not a product
_ENTRY_SECONDS = 3e-10  # for an entry and a column of a sparse product
_PRODUCT_SECONDS = 3e-11  # for a multiplication in a dense product
_PAIR_SECONDS = 1.2e-8  # for a pair of nodes, beside the products
_PAIR_BYTES = 1 << 28  # four blocks of similarities


@dataclass(kw_only=True, eq=False)
class GCA(ProbedClassifier):
    """Embeddings that stay the same when unimportant edges and features go; a probe reads them."""

    about: ClassVar[About] = About(
        title="GCA",
        paper="Zhu et al., Graph Contrastive Learning with Adaptive Augmentation",
        year=2021,
        cost="E + B^2",
    )

    hidden: int = setting(256, "size of the embeddings; the first layer is twice as wide", low=1)
    projection: int = setting(256, "hidden size of the projection", low=1)
    activation: str = setting(
        "prelu", "activation of the encoder", symbol="sigma", choices=ENCODER_ACTIVATIONS
    )
    centrality: str = setting(
        "degree", "what makes a node important", symbol="phi_c", choices=tuple(CENTRALITIES)
    )
    edge_rates: tuple[float, ...] = setting(
        (0.3, 0.4),
        "share of edges dropped in each of the two views, on average and before the cut-off",
        symbol="p_e",
        low=0.0,
        high=1.0,
    )
    feature_rates: tuple[float, ...] = setting(
        (0.3, 0.4),
        "share of features masked in each of the two views, likewise",
        symbol="p_f",
        low=0.0,
        high=1.0,
    )
    cut_off: float = setting(
        0.7,
        "largest probability with which anything is dropped",
        symbol="p_tau",
        low=0.0,
        high=1.0,
        open_high=True,
    )
    tau: float = setting(0.4, "temperature of the contrast", symbol="tau", low=LEAST_TAU)
    batch: int | None = setting(
        1000, "nodes that an epoch contrasts; 'all' takes every node", symbol="B", low=2
    )
    lr: float = setting(0.001, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(1e-5, "weight decay of all layers", low=0.0)
    scaling: str = setting("unit", "how the probe scales embeddings", choices=SCALINGS)

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        super().validate()
        for name in ("edge_rates", "feature_rates"):
            rates = getattr(self, name)
            if len(rates) != 2:
                raise SettingValueError(
                    f"The '{name}' setting of GCA must have one entry for each of the two views. "
                    f"Got {rates!r} instead."
                )

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: tables of both views, and blocks of similarities."""
        self.validate()
        n, h = size.nodes, self.hidden
        entries, pairs = size.entries + n, min(self.batch or n, n) ** 2
        weights = 2 * h * (size.features + h + self.projection)
        lasting = size.feature_bytes + 40 * entries
        products = 6 * h * (entries * _ENTRY_SECONDS + n * 2 * h * _PRODUCT_SECONDS)
        products += 8 * h * size.multiplied * _PRODUCT_SECONDS
        seconds = products + _NUMBER_SECONDS * 6 * n * h
        seconds += pairs * (_PAIR_SECONDS + 10 * h * _PRODUCT_SECONDS)
        seconds += probe_seconds(size, h) / self.probe_every
        step = 4 * (26 * n * h + 5 * weights) + min(16 * pairs, _PAIR_BYTES)
        return Estimate(
            views=Cost(slowness() * 1e-6 * entries, 3 * lasting),
            iteration=Cost(slowness() * seconds, lasting + step),
            iterations=self.epochs,
            result=Cost(0.0, lasting + 16 * n * size.classes),
            remedy="Lower 'hidden', or 'batch'.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        listener.on_phase("preparation")
        training = _Training(self, graph, seeds)
        self._train(training.step, training.embed, graph, listener)


class _Training:
    """What an epoch needs: the networks, and the probabilities with which views are drawn."""

    def __init__(self, settings: GCA, graph: Graph, seeds: Seeds) -> None:
        self.settings, self.n_nodes = settings, graph.n_nodes
        self.features = feature_matrix(graph.features, torch.float32)
        centrality = CENTRALITIES[settings.centrality](graph.adjacency)
        self.dropping, cut_off = EdgeDropping(graph.adjacency, centrality), settings.cut_off
        self.edges = [self.dropping.probabilities(rate, cut_off) for rate in settings.edge_rates]
        weights = feature_weights(graph.features, centrality)
        self.masked = [
            torch.from_numpy(drop_probabilities(weights, rate, cut_off)).float()
            for rate in settings.feature_rates
        ]
        self.whole, self.space = self.dropping.whole(), Workspace()
        self.noise, self.sample = seeds.torch("augmentation"), seeds.torch("batch")
        self._make_networks(graph.n_features, seeds.torch("weights"))

    def _make_networks(self, n_features: int, generator: torch.Generator) -> None:
        given = self.settings
        self.encoder = Encoder(
            n_features, given.hidden, activation=given.activation, generator=generator
        )
        self.projection = Projection(given.hidden, given.projection, generator=generator)
        parameters = [*self.encoder.parameters(), *self.projection.parameters()]
        self.optimiser = adam(parameters, lr=given.lr, weight_decay=given.weight_decay)

    def step(self) -> float:
        """Train on two new views; return the loss."""
        batch = self._batch()
        left, right = (self._projected(view, batch) for view in (0, 1))
        loss = grace_loss(left, right, self.settings.tau, workspace=self.space)
        descend(loss, self.optimiser)
        return float(loss.detach())

    @torch.no_grad()
    def embed(self) -> Tensor:
        """Return the embeddings of the whole graph, N x hidden."""
        embeddings: Tensor = self.encoder(self.whole, self.features)
        return embeddings

    def _projected(self, number: int, batch: Tensor | None) -> Tensor:
        """Draw a view and return its nodes where views are compared, B x hidden."""
        view = self.dropping.draw(self.edges[number], generator=self.noise)
        mask = draw_mask(self.masked[number], generator=self.noise)
        hidden = self.encoder(view, self.features, mask)
        projected: Tensor = self.projection(
            hidden if batch is None else hidden.index_select(0, batch)
        )
        return projected

    def _batch(self) -> Tensor | None:
        """Return the nodes that this epoch contrasts, ascending; None for all."""
        batch = self.settings.batch
        if batch is None or batch >= self.n_nodes:
            return None
        return torch.randperm(self.n_nodes, generator=self.sample)[:batch].sort().values
