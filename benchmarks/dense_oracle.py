"""One outer iteration by the dense oracle of the tests: the same views, steps and optimisers.

Everything is N x N, and the pair scores go through N x N x 2d, as the equations say; so it fits
small graphs only.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.optim import Adam, Optimizer

from benchmarks.timing import Cost, costs
from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_parts import build_views
from cogsl.seeding import Seeds
from tests import oracle

_LARGEST = 1 << 28  # bytes of one N x N x 2d tensor; some five of them live at once
_FLOAT = 4  # bytes


def fits(method: CoGSL, n_nodes: int) -> bool:
    """Tell whether the pair scores' N x N x 2d tensors can be held."""
    return n_nodes * n_nodes * 2 * method.estimator_hidden * _FLOAT <= _LARGEST


@dataclass(frozen=True)
class DenseTimes:
    """Seconds of an outer iteration, measured whole or scaled from one step of each kind."""

    cost: Cost
    iteration: float
    steps: dict[str, float]  # seconds of one step of each kind
    is_scaled: bool


def measure_iteration(
    method: CoGSL, graph: Graph, *, whole: bool = False, seed: int = 0
) -> DenseTimes:
    """Take one step of each kind to warm up, then measure one more, or the whole schedule."""
    with costs() as cost:
        schedule = DenseIteration(method, graph, Seeds(seed)).schedule()
        for step, _ in schedule.values():
            step()
        seconds = {
            name: _seconds_of(step, max(1, count) if whole else 1)
            for name, (step, count) in schedule.items()
        }
    iteration = sum(seconds[name] * count for name, (_, count) in schedule.items())
    return DenseTimes(cost, iteration, seconds, not whole)


def _seconds_of(step: Callable[[], object], n_repeats: int) -> float:
    """Return the mean time of a step."""
    start = time.perf_counter()
    for _ in range(n_repeats):
        step()
    return (time.perf_counter() - start) / n_repeats


class DenseIteration:
    """The oracle's parameters, optimisers and constants for one method and graph."""

    def __init__(self, method: CoGSL, graph: Graph, seeds: Seeds) -> None:
        self.method, self.n_views = method, len(method.views)
        self.noise = seeds.torch("oracle")
        self.views = [
            oracle.BasicView(
                torch.tensor(view.matrix.toarray(), dtype=torch.float32),
                torch.tensor(view.scope.toarray() > 0),
            )
            for view in build_views(method, graph, seeds)
        ]
        features = graph.features
        self.X = torch.tensor(features if isinstance(features, np.ndarray) else features.toarray())
        self.labels, self.train = torch.tensor(graph.labels), torch.tensor(graph.train)
        self.val = torch.tensor(graph.val)
        self.parameters = self._new_parameters(graph)
        self._make_optimisers()
        self.settings = oracle.Settings(
            method.per_view(method.mu),
            method.fusion,
            method.epsilon,
            method.lam,
            method.tau,
            method.eta_max,
        )
        self.all_views = self.estimate()

    def _new_parameters(self, graph: Graph) -> oracle.Parameters:
        s, n_features, n_all = self.method, graph.n_features, self.n_views + 1
        weight, d = self._weight, s.mi_hidden

        def estimator() -> oracle.PaperEstimator | oracle.CosineEstimator:
            first, hidden = weight(n_features, s.estimator_hidden), s.estimator_hidden
            bias = _bias(hidden, s.encoder_bias)
            if s.scorer == "cosine":
                scale = torch.tensor(5.0)
                return oracle.CosineEstimator(first, weight(hidden, hidden), scale, bias)
            return oracle.PaperEstimator(first, weight(2 * hidden), torch.tensor(0.0), bias)

        return oracle.Parameters(
            [estimator() for _ in range(self.n_views)],
            [
                oracle.Classifier(
                    weight(n_features, s.classifier_hidden),
                    weight(s.classifier_hidden, graph.n_classes),
                    _bias(s.classifier_hidden, s.bias),
                    _bias(graph.n_classes, s.bias),
                )
                for _ in range(n_all)
            ],
            [
                oracle.Encoder(weight(n_features, d), torch.tensor(0.25), _bias(d, s.encoder_bias))
                for _ in range(n_all)
            ],
            oracle.Projection(weight(d, d), torch.zeros(d), weight(d, d), torch.zeros(d)),
            torch.zeros(self.n_views) if s.fusion == "attention" else None,
        )

    def _weight(self, *shape: int) -> Tensor:
        """Return weights of a size that keeps the numbers sound."""
        return torch.randn(*shape, generator=self.noise) / math.sqrt(shape[0])

    def _make_optimisers(self) -> None:
        s, p = self.method, self.parameters
        self.omega = oracle.tensors(p.estimators)
        if p.attention is not None:
            self.omega.append(p.attention)
        self.theta = oracle.tensors(p.classifiers)
        self.phi = [*oracle.tensors(p.encoders), *p.projection]
        self.omega_optimiser = Adam(
            self.omega, s.estimator_lr, weight_decay=s.estimator_weight_decay
        )
        self.theta_optimiser = Adam(
            self.theta, s.classifier_lr, weight_decay=s.classifier_weight_decay
        )
        self.phi_optimiser = Adam(self.phi, s.mi_lr)

    def schedule(self) -> dict[str, tuple[Callable[[], object], int]]:
        """Return the steps of an outer iteration by name, and how many of each it takes."""
        return {
            "view step": (self.view_step, self.method.view_steps),
            "estimated views": (self.estimate, 1),
            "classifier step": (self.classifier_step, self.method.classifier_steps),
            "MI step": (self.mi_step, self.method.mi_steps),
            "validation": (self.validate, 1),
        }

    # Each step computes gradients for its own group only, as ours does.

    def view_step(self) -> None:
        """Train the view estimators."""
        hidden = self._hidden_masks(self.n_views + 1)
        embeddings = self._embedding_masks()
        with _training(self.omega, self.omega_optimiser) as losses:
            outcome = oracle.run(
                self.views,
                self.X,
                self.labels,
                self.train,
                self._batch(),
                self.parameters,
                self.settings,
                oracle.Masks(embeddings, hidden),
            )
            losses.append(outcome.objective)

    def estimate(self) -> list[Tensor]:
        """Return all views as they are now, the final one last."""
        p = self.parameters
        parts = zip(
            self.views, p.estimators, self.settings.mu, self._embedding_masks(), strict=True
        )
        estimated = [
            oracle.estimate(view, self.X, estimator, mu, mask)
            for view, estimator, mu, mask in parts
        ]
        masks = self._hidden_masks(self.n_views)
        predictions = [
            oracle.classify(view, self.X, classifier, mask)
            for view, classifier, mask in zip(estimated, p.classifiers[:-1], masks, strict=True)
        ]
        weights = oracle.fusion_weights(predictions, p, self.settings)
        self.all_views = [*estimated, oracle.fuse(estimated, weights)]
        return self.all_views

    def classifier_step(self) -> None:
        """Train the classifiers on constant views."""
        s, n = self.method, len(self.X)
        with _training(self.theta, self.theta_optimiser) as losses:
            outputs = [
                oracle.classify(
                    view, self.X, each, self._mask(n, s.classifier_hidden, s.classifier_dropout)
                )
                for view, each in zip(self.all_views, self.parameters.classifiers, strict=True)
            ]
            losses.append(oracle.classification_loss(outputs, self.labels, self.train))

    def mi_step(self) -> None:
        """Train the MI estimator on constant views."""
        p = self.parameters
        with _training(self.phi, self.phi_optimiser) as losses:
            projected = [
                oracle.project(oracle.encode(view, self.X, encoder), p.projection)
                for view, encoder in zip(self.all_views, p.encoders, strict=True)
            ]
            losses.append(oracle.mutual_information_loss(projected, self._batch(), self.method.tau))

    def validate(self) -> float:
        """Return the validation accuracy on the final view."""
        output = oracle.classify(self.all_views[-1], self.X, self.parameters.classifiers[-1])
        hits = output[self.val].argmax(dim=1) == self.labels[self.val]
        return float(hits.double().mean())

    def _batch(self) -> Tensor:
        size = min(self.method.mi_batch or len(self.X), len(self.X))
        return torch.randperm(len(self.X), generator=self.noise)[:size]

    def _embedding_masks(self) -> list[Tensor | None]:
        s = self.method
        return [self._mask(len(self.X), s.estimator_hidden, s.estimator_dropout) for _ in s.views]

    def _hidden_masks(self, count: int) -> list[Tensor | None]:
        """Return the classifiers' dropout while views are trained, if it acts there."""
        s = self.method
        if not s.dropout_in_views:
            return [None] * count
        rows, rate = len(self.X), s.classifier_dropout
        return [self._mask(rows, s.classifier_hidden, rate) for _ in range(count)]

    def _mask(self, n_rows: int, n_columns: int, rate: float) -> Tensor:
        kept = torch.empty(n_rows, n_columns).bernoulli_(1.0 - rate, generator=self.noise)
        return kept / (1.0 - rate)


def _bias(n: int, is_there: bool) -> Tensor | None:
    return torch.zeros(n) if is_there else None


@contextmanager
def _training(group: Sequence[Tensor], optimiser: Optimizer) -> Iterator[list[Tensor]]:
    """Take one step down the loss that is put into the list, for this group alone."""
    for tensor in group:
        tensor.requires_grad_(True)
    losses: list[Tensor] = []
    yield losses
    optimiser.zero_grad()
    torch.autograd.backward(losses)
    optimiser.step()
    for tensor in group:
        tensor.requires_grad_(False)
