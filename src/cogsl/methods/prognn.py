"""Pro-GNN: graph structure learning for robust graph neural networks (Jin et al., 2020).

Learns a graph S and a two-layer GCN together (their joint objective):

    min ||A - S||_F^2 + alpha ||S||_1 + beta ||S||_* + gamma L_GNN(theta, S, X, Y)
        + lambda tr(X^T L X),  S = S^T, all entries in [0, 1],

L = D^-1/2 (D - S) D^-1/2 with the degrees D of S. Their Algorithm 1, from S = A: a step of size eta
down the smooth part; the proximal operators of eta beta ||.||_* and of eta alpha ||.||_1; the
projection onto [0, 1]; then tau steps for theta, here of Adam on S held still.

S is dense: time grows as N^3 and memory as N^2, some seven N x N matrices in float32. Above
``whole_up_to`` nodes decomposing S takes too long, and only its ``leading`` singular values are
lowered (``LeadingThreshold``), in time N^2 ``leading``; the others stay, which the proximal
operator would lower by at most eta beta. So it is for graphs of up to some twenty thousand nodes.

Left open by the paper, and decided as in the authors' program: the gradient for S has momentum
(0.9); the GCN has biases, and no dropout while S is trained; 1e-3 is added to degrees in the
smoothness. Their program minimises ||A - S||_F, not its square (``distance``), and learns both ways
of an edge apart (``symmetric``). Decided here: a symmetric S takes the symmetric part of the
gradient; the kept epoch has the highest validation accuracy, and of equals the lowest loss;
``learned_graph_`` leaves out weights up to ``least_weight``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from cogsl.cost import Cost, Estimate, GraphSize, check_memory, dense_slowness
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.machine import free_memory
from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.prognn_graph import LearnedGraph
from cogsl.methods.prognn_settings import ProGNNSettings
from cogsl.nn import GCNClassifier, feature_matrix
from cogsl.seeding import Seeds
from cogsl.sparse.dense_graph import NormalisedGraph, entries_above
from cogsl.training import (
    AccuracyRule,
    LabelledNodes,
    Listener,
    Patience,
    adam,
    descend,
)

# On the reference machine, one thread.
_DECOMPOSITION_SECONDS = 1.7e-10  # for one of N^3
_PRODUCT_SECONDS = 6e-11  # for lowering one of the leading values, of N^2
_ENTRY_SECONDS = 2e-8  # for an entry of S, in all that an epoch does beside


@dataclass(kw_only=True, eq=False)
class ProGNN(ProGNNSettings, NodeClassifier):
    """Learns a sparse, low-rank graph with smooth features, and a GCN on it."""

    about: ClassVar[About] = About(
        title="Pro-GNN",
        paper="Jin et al., Graph Structure Learning for Robust Graph Neural Networks",
        year=2020,
        cost="N^3, or N^2 r",
    )
    learns_graph: ClassVar[bool] = True

    @property
    def max_iterations(self) -> int:
        """How many epochs ``fit`` runs at most."""
        return self.epochs

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs.

        In float32 and N x N: S, its momentum, the kept S, the Gram matrix if features are smoothed;
        and while S is decomposed its eigenvectors and twice as much beside them (of a graph that is
        not symmetric, both sides' singular vectors and five times as much). A truncated
        decomposition has blocks of ``leading`` vectors instead.
        """
        self.validate()
        square = 4 * size.nodes**2
        lasting = size.feature_bytes + (4 if self.smoothness else 3) * square
        layers = 4 * 12 * size.nodes * (self.hidden + size.classes)
        seconds, decomposition = _ENTRY_SECONDS * size.nodes**2, 2 * square
        if self.low_rank and self.truncates(size.nodes):
            seconds += _PRODUCT_SECONDS * size.nodes**2 * self.leading
            layers += 4 * 6 * size.nodes * self.leading
        elif self.low_rank:
            decomposition = (3 if self.symmetric else 7) * square
            seconds += _DECOMPOSITION_SECONDS * size.nodes**3 * (1 if self.symmetric else 4)
        return Estimate(
            views=Cost(dense_slowness() * _ENTRY_SECONDS * size.nodes**2, lasting),
            iteration=Cost(
                dense_slowness() * self.graph_steps * seconds, lasting + layers + decomposition
            ),
            iterations=self.epochs,
            result=Cost(dense_slowness() * _ENTRY_SECONDS * size.nodes**2, lasting),
            remedy=(
                "The learned graph is a dense N x N matrix, so take fewer nodes or a machine with "
                "more memory; 'smoothness' 0 spares one of the matrices."
            ),
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        """Run Algorithm 1, unless its matrices do not fit into the memory that is free."""
        estimate = self.estimate(GraphSize.of(graph))
        check_memory(estimate.peak_bytes, free_memory(), estimate.remedy)
        listener.on_phase("preparation")
        nodes, trainer = LabelledNodes(graph), _Trainer(self, graph, seeds)
        rule, waiting, kept = AccuracyRule(), Patience(self.patience), _Kept(trainer.graph.matrix)
        self.history_ = []
        listener.on_phase("training")
        for epoch in range(self.epochs):
            start = time.perf_counter()
            record: dict[str, Any] = {"iteration": epoch} | trainer.epoch()
            output = trainer.predict()
            record |= nodes.judge(output)
            is_kept = rule.keeps(accuracy=record["val_accuracy"], loss=record["val_loss"])
            if is_kept:
                kept.take(epoch, output, trainer.graph.matrix)
            record |= {"kept": is_kept, "seconds": time.perf_counter() - start}
            self.history_.append(record)
            listener.on_iteration(record)
            if waiting.is_over(kept=is_kept):
                break
        if kept.output is None:
            raise DivergedError.never_finite("lr", "graph_lr")
        self.n_iter_, self.best_iter_ = len(self.history_), kept.iteration
        self.probabilities_ = kept.output.double().exp().numpy()
        self.learned_graph_ = graph.with_edges(entries_above(kept.matrix, self.least_weight))


class _Kept:
    """The kept epoch, its log-predictions and its S; one copy of S, written over each time."""

    def __init__(self, matrix: Tensor) -> None:
        # Made before the first step, as it would stand in the way of what a step frees.
        self.iteration, self.matrix = 0, torch.empty_like(matrix)
        self.output: Tensor | None = None

    def take(self, iteration: int, output: Tensor, matrix: Tensor) -> None:
        """Keep this epoch."""
        self.iteration, self.output = iteration, output.detach().clone()
        self.matrix.copy_(matrix)


class _Trainer:
    """S and theta, trained in turn."""

    def __init__(self, settings: ProGNN, graph: Graph, seeds: Seeds) -> None:
        self._settings, self._nodes = settings, LabelledNodes(graph)
        self._features = feature_matrix(graph.features, torch.float32)
        self.graph = LearnedGraph(settings, graph, generator=seeds.torch("vectors"))
        self._classifier = GCNClassifier(
            graph.n_features,
            settings.hidden,
            graph.n_classes,
            rate=settings.dropout,
            bias=True,
            generator=seeds.torch("weights"),
            dtype=torch.float32,
        )
        parameters = self._classifier.parameters()
        self._optimiser = adam(parameters, lr=settings.lr, weight_decay=settings.weight_decay)
        self._noise = seeds.torch("dropout")

    def epoch(self) -> dict[str, float]:
        """Train S, then theta; return the figures of both."""
        for _ in range(self._settings.graph_steps):
            figures = self.graph.step(self._loss)
        view = NormalisedGraph(self.graph.matrix)
        for _ in range(self._settings.classifier_steps):
            loss = self._loss(view, generator=self._noise)
            descend(loss, self._optimiser)
        return figures | {"loss": float(loss.detach())}

    @torch.no_grad()
    def predict(self) -> Tensor:
        """Return log-predictions for all nodes, N x C."""
        return self._output(NormalisedGraph(self.graph.matrix))

    def _loss(self, view: NormalisedGraph, *, generator: torch.Generator | None = None) -> Tensor:
        """Return L_GNN; no generator, no dropout."""
        output = self._output(view, generator=generator).index_select(0, self._nodes.train)
        return nll_loss(output, self._nodes.train_labels)

    def _output(self, view: NormalisedGraph, *, generator: torch.Generator | None = None) -> Tensor:
        smoothed = view @ (self._features @ self._classifier.first)
        output: Tensor = self._classifier(view, smoothed, generator=generator)
        return output
