"""The three folds of CoGSL's optimisation: what one step of each computes and trains.

A step computes gradients for its own group of parameters only: while the views are trained, X W of
every classifier and MI encoder is a constant; while the others are trained, the views are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from cogsl.fusion import fuse
from cogsl.graph import Graph
from cogsl.losses import (
    LossWeights,
    Workspace,
    classification_loss,
    infonce,
    mi_loss,
    view_objective,
)
from cogsl.methods.cogsl_networks import Networks
from cogsl.methods.cogsl_outcome import Outcome
from cogsl.methods.cogsl_parts import Part
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.nn import (
    FEW,
    FeatureMatrix,
    Propagated,
    feature_rows,
    graph_convolution,
    row_length,
)
from cogsl.seeding import Seeds
from cogsl.sparse import Pattern, SparseMatrix
from cogsl.training import adam, descend, held_still


@dataclass(frozen=True, eq=False)
class Views:
    """The views of one iteration as constants, and what is worked out from them when needed.

    Parameters
    ----------
    all : the m estimated views, then the final one, each N x N.
    weights : beta, N x m.
    features : X, N x D.
    train : the training nodes.
    """

    all: tuple[SparseMatrix, ...]
    weights: Tensor
    features: FeatureMatrix
    train: Tensor

    @cached_property
    def propagated(self) -> tuple[Propagated, ...]:
        """V X W of every view, to be asked for with many W."""
        return tuple(Propagated(view, self.features) for view in self.all)

    @cached_property
    def train_rows(self) -> tuple[tuple[SparseMatrix, Tensor | None], ...]:
        """The rows of the training nodes, of every view, and the columns on which they stand.

        These are all (None), or those that hold an entry if they are few.
        """
        return tuple(_on_few_columns(view.rows(self.train)) for view in self.all)


def _on_few_columns(rows: SparseMatrix) -> tuple[SparseMatrix, Tensor | None]:
    """Return the matrix without its empty columns if most are empty, and those that are left."""
    reached = rows.pattern.used_columns
    if reached.numel() > FEW * rows.shape[1]:
        return rows, None
    return rows.columns(reached), reached


@dataclass(frozen=True, eq=False)
class Opinions:
    """What the classifiers, as they are now, give to the estimation of views.

    Parameters
    ----------
    projected : X W of every classifier's first layer, one a view.
    beliefs : predictions on the basic views, N x C, if pairs are scored by them.
    """

    projected: list[Tensor]
    beliefs: Tensor | None


@dataclass(frozen=True, eq=False)
class Projections:
    """What does not change while views are trained.

    Parameters
    ----------
    opinions : of the classifiers.
    encoders : X W of every MI encoder; None stands for one of whose X W the MI term needs little:
        it is worked out then.
    """

    opinions: Opinions
    encoders: list[Tensor | None]


class Folds(Networks):
    """One ``fit``: the networks, their optimisers, and the part they work on.

    ``part`` must be set before the first step, and may change from step to step.
    """

    part: Part

    def __init__(self, settings: CoGSLSettings, graph: Graph, seeds: Seeds) -> None:
        super().__init__(settings, graph.n_features, graph.n_classes, seeds)
        for estimator in self.estimators:
            estimator.scorer.trust_in(len(graph.train))
        self.weights = LossWeights.for_views(self.n_views)
        self._make_optimisers(graph)
        self._estimator_noise = seeds.torch("estimator dropout")
        self._classifier_noise = seeds.torch("classifier dropout")
        self._view_noise = seeds.torch("view dropout") if settings.dropout_in_views else None
        self._sampler = seeds.torch("mi batch")
        self._workspace = Workspace()

    def _make_optimisers(self, graph: Graph) -> None:
        s = self.settings
        scale = _decay_scale(graph) if s.scale_decay else 1.0
        self.theta_optimiser = adam(
            self.theta.parameters(),
            lr=s.classifier_lr,
            weight_decay=scale * s.classifier_weight_decay,
        )
        self.phi_optimiser = adam(self.phi.parameters(), lr=s.mi_lr)
        self.omega_optimiser = adam(
            self.omega.parameters(), lr=s.estimator_lr, weight_decay=s.estimator_weight_decay
        )

    # Omega ----------------------------------------------------------------------------------

    def train_views(self, eta: float) -> dict[str, float]:
        """Train the view estimators; classifiers and MI estimator are held still."""
        record: dict[str, Tensor] = {}
        with held_still(self.theta, self.phi):
            projections = self.project()
            for _ in range(self.settings.view_steps):
                loss = self.view_loss(projections, eta, self.sample())
                descend(loss, self.omega_optimiser)
                record = {"loss_view": loss}
        return _floats(record)

    def end_iteration(self) -> None:
        """Lower the view estimators' learning rate."""
        for group in self.omega_optimiser.param_groups:
            group["lr"] *= self.settings.estimator_lr_decay

    def view_loss(self, projections: Projections, eta: float, batch: Tensor | None) -> Tensor:
        """Return L_cls - eta L_MI as a function of the view estimators."""
        views, outputs, _ = self._estimate(projections.opinions, self._estimator_noise)
        train, final = self.part.nodes.train, views[-1]
        outputs = [output.index_select(0, train) for output in outputs]
        rows, at = _on_few_columns(final.rows(train))
        inner = final if at is None else final.rows(at)
        hidden = graph_convolution(inner, projections.opinions.projected[-1])
        outputs.append(self.classifiers[-1](rows, hidden, generator=self._view_noise))
        smoothed = [self._smooth(k, view, projections, batch) for k, view in enumerate(views)]
        return view_objective(
            classification_loss(outputs, self.part.nodes.train_labels, self.weights.views),
            mi_loss(self._pair_losses(smoothed), self.weights),
            eta,
        )

    def _smooth(
        self, number: int, view: SparseMatrix, projections: Projections, batch: Tensor | None
    ) -> Tensor:
        """Return V X W of a view's encoder, or the rows of a batch, as a function of the view."""
        rows = view if batch is None else view.rows(batch)
        projected = projections.encoders[number]
        if projected is None:
            reached = rows.pattern.used_columns
            features = feature_rows(self.part.features, reached)
            rows, weight = rows.columns(reached), self.phi.encoder_weights[number]
            projected = features @ weight.detach()
        return graph_convolution(rows, projected)

    @torch.no_grad()
    def project(self) -> Projections:
        """Return X W of everything that reads the features, and the beliefs, as constants."""
        patterns = (*(plan.pattern for plan in self.part.plans), self.part.fusion_plan.pattern)
        encoders = [
            None if self._samples_little_of(pattern) else self.part.features @ weight
            for pattern, weight in zip(patterns, self.phi.encoder_weights, strict=True)
        ]
        return Projections(self._opinions(), encoders)

    def _samples_little_of(self, pattern: Pattern) -> bool:
        """Tell whether the rows of a batch surely reach but few nodes."""
        size, n = self.settings.mi_batch, self.part.n_nodes
        return size is not None and size * pattern.nnz <= FEW * n * n

    def _opinions(self) -> Opinions:
        projected = [self.part.features @ classifier.first for classifier in self.classifiers]
        return Opinions(
            projected, self.beliefs((plan.basic for plan in self.part.plans), projected)
        )

    def _estimate(
        self, opinions: Opinions, noise: torch.Generator | None
    ) -> tuple[list[SparseMatrix], list[Tensor], Tensor]:
        """Return all views, the log-predictions on the estimated ones, and beta.

        ``noise`` draws the estimators' dropout; None says that this is not training.
        """
        views = [
            estimator(plan, basic, opinions.beliefs, generator=noise)
            for estimator, plan, basic in zip(
                self.estimators, self.part.plans, self.part.basic, strict=True
            )
        ]
        in_classifiers = None if noise is None else self._view_noise
        outputs = [
            self.classifiers[k](
                view, graph_convolution(view, opinions.projected[k]), generator=in_classifiers
            )
            for k, view in enumerate(views)
        ]
        weights = self.fusion(outputs)
        return [*views, fuse(self.part.fusion_plan, views, weights)], outputs, weights

    @torch.no_grad()
    def estimate(self, *, training: bool = False) -> Views:
        """Return the views as they are now, as constants; dropout acts on them in training."""
        noise = self._estimator_noise if training else None
        views, _, weights = self._estimate(self._opinions(), noise)
        return Views(tuple(views), weights, self.part.features, self.part.nodes.train)

    # Theta ----------------------------------------------------------------------------------

    def train_classifiers(self, views: Views) -> dict[str, float]:
        """Train the classifiers on constant views."""
        labels = self.part.nodes.train_labels
        if not labels.numel():
            return {}
        for _ in range(self.settings.classifier_steps):
            outputs = self.classifier_outputs(views)
            loss = classification_loss(outputs, labels, self.weights.views)
            descend(loss, self.theta_optimiser)
        losses = {
            f"loss_classifier_{self._view_name(k)}": classification_loss([output], labels, [1.0])
            for k, output in enumerate(outputs)
        }
        return _floats({"loss_classifier": loss} | losses)

    def classifier_outputs(self, views: Views) -> list[Tensor]:
        """Return the log-predictions of the training nodes on every view, with dropout."""
        return [
            classifier(rows, propagated(classifier.first, at), generator=self._classifier_noise)
            for classifier, (rows, at), propagated in zip(
                self.classifiers, views.train_rows, views.propagated, strict=True
            )
        ]

    def classifier_loss(self, views: Views) -> Tensor:
        """Return L_cls as a function of the classifiers."""
        outputs = self.classifier_outputs(views)
        return classification_loss(outputs, self.part.nodes.train_labels, self.weights.views)

    @torch.no_grad()
    def predict(self, views: Views, number: int = -1) -> Tensor:
        """Return the log-predictions on one view (the final one) for all nodes, N x C."""
        classifier = self.classifiers[number]
        output: Tensor = classifier(views.all[number], views.propagated[number](classifier.first))
        return output

    @torch.no_grad()
    def combined_prediction(self, outcome: Outcome) -> Tensor:
        """Return what an outcome makes of the predictions as they are now, n x C."""
        opinions = self._opinions()
        views, outputs, _ = self._estimate(opinions, None)
        smoothed = graph_convolution(views[-1], opinions.projected[-1])
        outputs.append(self.classifiers[-1](views[-1], smoothed))
        return outcome.combine([outputs[number] for number in outcome.views])

    # Phi ------------------------------------------------------------------------------------

    def train_mi_estimator(self, views: Views) -> dict[str, float]:
        """Train the MI estimator on constant views; log B - L estimates the MI of each pair."""
        record: dict[str, Tensor] = {}
        for _ in range(self.settings.mi_steps):
            batch = self.sample()
            losses = self.pair_losses(views, batch)
            loss = mi_loss(losses, self.weights)
            descend(loss, self.phi_optimiser)
            entropy = math.log(self.part.n_nodes if batch is None else batch.numel())
            record = {"loss_mi": loss}
            for pair, each in zip(self.weights.pairs, losses, strict=True):
                record[f"mi_{'_'.join(map(self._view_name, pair))}"] = entropy - each.double()
        return _floats(record)

    def pair_losses(self, views: Views, batch: Tensor | None) -> list[Tensor]:
        """Return the InfoNCE loss of every pair of views as a function of the MI estimator."""
        smoothed = [
            propagated(weight, batch)
            for weight, propagated in zip(self.phi.encoder_weights, views.propagated, strict=True)
        ]
        return self._pair_losses(smoothed)

    def _pair_losses(self, smoothed: Sequence[Tensor]) -> list[Tensor]:
        """Return the InfoNCE loss of every pair from V X W of every view, each B x d."""
        embeddings = [self.phi(k, part) for k, part in enumerate(smoothed)]
        return [
            infonce(embeddings[a], embeddings[b], self.settings.tau, workspace=self._workspace)
            for a, b in self.weights.pairs
        ]

    def sample(self) -> Tensor | None:
        """Draw the nodes of the MI term; None means all of them."""
        size = self.settings.mi_batch
        if size is None or size >= self.part.n_nodes:
            return None
        return torch.randperm(self.part.n_nodes, generator=self._sampler)[:size]

    def _view_name(self, number: int) -> str:
        """Return "1", "2", ... and "final"."""
        return str(number + 1) if number < self.n_views else "final"


def _decay_scale(graph: Graph) -> float:
    """Return l^(2/3) / n, l the length of the feature rows and n the number of training nodes.

    A decay is a prior, which counts for less the more labels there are; and the gradient of X W
    grows with the rows of X. The power was found by search on validation nodes.
    """
    return float(row_length(graph.features) ** (2 / 3) / len(graph.train))


def _floats(tensors: dict[str, Tensor]) -> dict[str, float]:
    """Return scalars as plain numbers, for the history."""
    return {name: float(tensor.detach()) for name, tensor in tensors.items()}
