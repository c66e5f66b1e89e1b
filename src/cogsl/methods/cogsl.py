"""CoGSL: compact graph structure learning by mutual information compression (WWW 2022).

Reads like Algorithm 1: in each outer iteration the view estimators (Omega), the classifiers
(Theta) and the MI estimator (Phi) are trained in turn, each while the other two are held still.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.losses import eta_schedule
from cogsl.methods.base import NodeClassifier
from cogsl.methods.cogsl_folds import Folds, Views
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.seeding import Seeds
from cogsl.training import (
    JointRule,
    KeepRule,
    Listener,
    LossRule,
    Patience,
    RunningAverage,
)

_SMOOTHING = 0.9  # weight of the past in the smoothed predictions


@dataclass(kw_only=True, eq=False)
class CoGSL(CoGSLSettings, NodeClassifier):
    """Learns a compact graph from two or more basic views, and classifies its nodes.

    After ``fit``, beside the attributes of every method: ``final_view_`` (V*, N x N),
    ``estimated_views_`` (one matrix a view) and ``fusion_weights_`` (beta, N x m).
    """

    learns_graph: ClassVar[bool] = True

    final_view_: sp.csr_array = field(init=False, repr=False)
    estimated_views_: tuple[sp.csr_array, ...] = field(init=False, repr=False)
    fusion_weights_: npt.NDArray[np.float64] = field(init=False, repr=False)

    @property
    def max_iterations(self) -> int:
        """How many outer iterations ``fit`` runs at most."""
        return self.iterations

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        super().validate()
        self.check_views()

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        """Run Algorithm 1."""
        listener.on_phase("basic views")
        folds = Folds(self, graph, seeds)
        outcome: _Outcome = _OUTCOMES[self.keep]()
        waiting, kept = Patience(self.patience), None
        self.history_ = []
        for iteration in range(self.iterations):
            clock = _Clock(listener)
            eta = eta_schedule(iteration, rate=self.eta_rate, low=self.eta_min, high=self.eta_max)
            record: dict[str, Any] = {"iteration": iteration, "eta": eta}
            with clock.phase("views"):
                record |= folds.train_views(eta)
                views = folds.estimate(training=True)
            with clock.phase("classifiers"):
                record |= folds.train_classifiers(views)
            with clock.phase("mi"):
                record |= folds.train_mi_estimator(views)
            with clock.phase("validation"):
                views = folds.estimate()
                output = outcome.predict(folds, views)
                record |= folds.nodes.judge(output)
            is_kept = outcome.rule.keeps(accuracy=record["val_accuracy"], loss=record["val_loss"])
            if is_kept:
                kept = _Kept(iteration, views, output)
            self.history_.append(record | {"kept": is_kept} | clock.seconds)
            listener.on_iteration(self.history_[-1])
            if waiting.is_over(kept=is_kept):
                break
        if kept is None:
            raise DivergedError(
                "The validation loss was never finite. Lower 'estimator_lr', 'classifier_lr' or "
                "'mi_lr', or scale the features."
            )
        self._store(graph, kept)

    def _store(self, graph: Graph, kept: _Kept) -> None:
        """Set the fitted attributes from the kept iteration."""
        *estimated, final = (view.to_scipy() for view in kept.views.all)
        self.n_iter_, self.best_iter_ = len(self.history_), kept.iteration
        self.final_view_, self.estimated_views_ = final, tuple(estimated)
        self.fusion_weights_ = kept.views.weights.double().numpy()
        self.probabilities_ = kept.output.double().exp().numpy()
        self.learned_graph_ = Graph.from_scipy(
            (final + final.T) / 2,
            features=graph.features,
            labels=graph.labels,
            train=graph.train,
            val=graph.val,
            test=graph.test,
            name=graph.name,
        )


class _Outcome(Protocol):
    """What counts as an iteration's prediction, and the rule by which one is kept."""

    rule: KeepRule

    def predict(self, folds: Folds, views: Views) -> Tensor:
        """Return log-predictions for all nodes, N x C."""


class _FinalView:
    """The paper's: predictions on the final view, kept by accuracy and loss together."""

    def __init__(self) -> None:
        self.rule: KeepRule = JointRule()

    def predict(self, folds: Folds, views: Views) -> Tensor:
        """Return the log-predictions on the final view."""
        return folds.predict(views)


class _SmoothedViews:
    """Ours: predictions averaged over all views and smoothed over iterations, kept by loss.

    With few validation nodes the figures of single iterations are noise; an average is steadier,
    and its loss tells more than its accuracy.
    """

    def __init__(self) -> None:
        self.rule: KeepRule = LossRule()
        self._average = RunningAverage(_SMOOTHING)

    def predict(self, folds: Folds, views: Views) -> Tensor:
        """Return the logarithm of the averaged predictions."""
        outputs = [folds.predict(views, k).exp() for k in range(len(views.all))]
        return self._average.update(torch.stack(outputs).mean(dim=0)).log()


_OUTCOMES: dict[str, type[_FinalView] | type[_SmoothedViews]] = {
    "joint": _FinalView,
    "smoothed": _SmoothedViews,
}


class _Clock:
    """Tells the listener of each phase and adds up its seconds."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self._listener.on_phase(name)
        start = time.perf_counter()
        yield
        self.seconds[f"seconds_{name}"] = time.perf_counter() - start


@dataclass(frozen=True, eq=False)
class _Kept:
    """The iteration that is kept; its tensors are made anew in every iteration."""

    iteration: int
    views: Views
    output: Tensor
