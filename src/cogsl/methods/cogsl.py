"""CoGSL: compact graph structure learning by mutual information compression (WWW 2022).

Reads like Algorithm 1: in each outer iteration the view estimators (Omega), the classifiers
(Theta) and the MI estimator (Phi) are trained in turn, each while the other two are held still.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from torch import Tensor

from cogsl.cost import Estimate, GraphSize
from cogsl.errors import DivergedError, LengthMismatchError, SettingValueError
from cogsl.graph import Graph
from cogsl.losses import eta_schedule
from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.cogsl_cost import estimate
from cogsl.methods.cogsl_folds import Folds
from cogsl.methods.cogsl_inference import infer
from cogsl.methods.cogsl_networks import Networks
from cogsl.methods.cogsl_outcome import OUTCOMES, SMOOTHING, Kept, Outcome, State, Tally
from cogsl.methods.cogsl_parts import ClusterBatches, Part, Parts, build_views, make_parts
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.seeding import Seeds, random_scope
from cogsl.sparse import use_onednn
from cogsl.training import LabelledNodes, Listener, Patience, StateAverage
from cogsl.training.allocator import freed_memory_kept
from cogsl.views import Change


@dataclass(kw_only=True, eq=False)
class CoGSL(CoGSLSettings, NodeClassifier):
    """Learns a compact graph from two or more basic views, and classifies its nodes.

    After ``fit``, beside the attributes of every method: ``final_view_`` (V*, N x N),
    ``estimated_views_`` (one matrix a view), ``fusion_weights_`` (beta, N x m), ``view_changes_``
    (what was done to the basic views), ``state_`` (the parameters of the kept iteration: those of
    the view estimators and of the classifiers), ``seed_`` and ``n_features_``.

    With more ``clusters`` than ``clusters_per_batch`` an iteration goes through mini-batches. The
    parameters are then averaged over the batches and over some ten iterations; a batch is validated
    by the average before it is trained on, which chooses the kept iteration, and the predictions
    are those of that iteration's average on the whole graph.
    """

    about: ClassVar[About] = About(
        title="CoGSL",
        paper="Liu et al., Compact Graph Structure Learning via Mutual Information Compression",
        year=2022,
        cost="E + N h + B^2",
    )
    learns_graph: ClassVar[bool] = True

    final_view_: sp.csr_array = field(init=False, repr=False)
    estimated_views_: tuple[sp.csr_array, ...] = field(init=False, repr=False)
    fusion_weights_: npt.NDArray[np.float64] = field(init=False, repr=False)
    view_changes_: tuple[Change | None, ...] = field(init=False, repr=False, default=())
    state_: State = field(init=False, repr=False)
    seed_: int = field(init=False, repr=False)
    n_features_: int = field(init=False, repr=False)

    @property
    def max_iterations(self) -> int:
        """How many outer iterations ``fit`` runs at most."""
        return self.iterations

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        super().validate()
        self.check_views()

    def fit(
        self,
        graph: Graph,
        *,
        seed: int,
        listener: Listener | None = None,
        view_changes: Sequence[Change | None] = (),
    ) -> Self:
        """Train on ``graph``; the same seed gives the same bits.

        ``view_changes``, if there are any, has one entry for each basic view: what is done to it
        before it is normalised (an attack on this view), or None.
        """
        if view_changes and len(view_changes) != len(self.views):
            raise SettingValueError(
                f"'view_changes' must have one entry for each of the {len(self.views)} views. Got "
                f"{len(view_changes)} instead."
            )
        self.view_changes_ = tuple(view_changes)
        return super().fit(graph, seed=seed, listener=listener)

    def predict_proba_on(self, graph: Graph) -> npt.NDArray[np.float64]:
        """Return the class probabilities of all nodes of another graph, without training.

        Its features must be those of the graph that was fitted. The views of that graph are built,
        and the kept parameters estimate, fuse and classify them. For the fitted graph this is not
        quite ``predict_proba``, which may be an average over iterations.
        """
        self._check_fitted()
        n_features = self.n_features_
        if graph.n_features != n_features:
            raise LengthMismatchError(
                f"The graph must have the {n_features} features of the one that was fitted. Got "
                f"{graph.n_features} instead."
            )
        seeds = Seeds(self.seed_)
        with random_scope(self.seed_), freed_memory_kept():
            networks = Networks(self, n_features, self.probabilities_.shape[1], seeds)
            networks.restore(self.state_)
            inferred = infer(networks, graph, build_views(self, graph, seeds))
        return inferred.prediction.double().exp().numpy()

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` on a graph of that size needs."""
        self.validate()
        return estimate(self, size)

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        """Run Algorithm 1, on the whole graph or on part after part of it."""
        listener.on_phase("basic views")
        parts = make_parts(self, graph, seeds, self.view_changes_)
        folds, nodes = Folds(self, graph, seeds), LabelledNodes(graph)
        outcome: Outcome = OUTCOMES[self.keep](len(self.views))
        waiting, kept = Patience(self.patience), None
        average = StateAverage(SMOOTHING ** (1 / self.n_batches))
        self.history_ = []
        for iteration in range(self.iterations):
            clock, tally = _Clock(listener), Tally(graph.n_nodes)
            eta = eta_schedule(iteration, rate=self.eta_rate, low=self.eta_min, high=self.eta_max)
            if isinstance(parts, Part):
                folds.part = parts
                self._train(folds, eta, tally, clock)
                self._validate(folds, outcome, tally, clock)
            else:
                for folds.part in clock.each("batch", parts):
                    with use_onednn(False):  # it keeps memory for each shape; batches differ
                        with folds.replaced_by(average.state):
                            self._validate(folds, outcome, tally, clock)
                        self._train(folds, eta, tally, clock)
                    average.update(folds.state())
            folds.end_iteration()
            output = outcome.settle(tally.output)
            record = {"iteration": iteration, "eta": eta} | tally.figures | nodes.judge(output)
            is_kept = outcome.rule.keeps(accuracy=record["val_accuracy"], loss=record["val_loss"])
            if is_kept:
                kept = Kept(iteration, average.state or folds.state(), output)
            self.history_.append(record | {"kept": is_kept} | clock.seconds)
            listener.on_iteration(self.history_[-1])
            if waiting.is_over(kept=is_kept):
                break
        if kept is None:
            raise DivergedError.never_finite("estimator_lr", "classifier_lr", "mi_lr")
        listener.on_phase("final view")
        self.n_iter_, self.best_iter_ = len(self.history_), kept.iteration
        self.state_, self.seed_, self.n_features_ = kept.state, seeds.seed, graph.n_features
        folds.restore(kept.state)
        self._store(graph, *self._finish(graph, parts, folds, kept.output))

    def _train(self, folds: Folds, eta: float, tally: Tally, clock: _Clock) -> None:
        """Train the three groups of parameters in turn on the folds' part."""
        with clock.phase("views"):
            tally.add_figures(folds.train_views(eta))
            views = folds.estimate(training=True)
        with clock.phase("classifiers"):
            tally.add_figures(folds.train_classifiers(views))
        with clock.phase("mi"):
            tally.add_figures(folds.train_mi_estimator(views))

    def _validate(self, folds: Folds, outcome: Outcome, tally: Tally, clock: _Clock) -> None:
        """Predict the nodes of the folds' part."""
        with clock.phase("validation"):
            tally.add_output(folds.part.index, folds.combined_prediction(outcome))

    def _finish(
        self, graph: Graph, parts: Parts, folds: Folds, output: Tensor
    ) -> tuple[list[sp.csr_array], Tensor, Tensor]:
        """Return all views, beta, and the log-predictions, of the whole graph."""
        if not isinstance(parts, ClusterBatches):
            views = folds.estimate()
            return [view.to_scipy() for view in views.all], views.weights, output
        inferred = infer(folds, graph, parts.basic)
        return inferred.views, inferred.weights, inferred.prediction

    def _store(
        self, graph: Graph, views: list[sp.csr_array], weights: Tensor, output: Tensor
    ) -> None:
        """Set the fitted attributes."""
        *estimated, final = views
        self.final_view_, self.estimated_views_ = final, tuple(estimated)
        self.fusion_weights_ = weights.double().numpy()
        self.probabilities_ = output.double().exp().numpy()
        self.learned_graph_ = graph.with_edges(_mean_of_both_ways(final))


def _mean_of_both_ways(view: sp.csr_array) -> sp.csr_array:
    """Return (V + V^T) / 2 in float32 without its diagonal, N x N."""
    both = sp.csr_array(view + view.T, dtype=np.float32)
    both.data /= 2
    rows = np.repeat(np.arange(both.shape[0], dtype=both.indices.dtype), np.diff(both.indptr))
    both.data[rows == both.indices] = 0.0
    both.eliminate_zeros()
    return both


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
        name = f"seconds_{name}"
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def each(self, name: str, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the parts; making one is a phase."""
        waiting = iter(parts)
        while True:
            with self.phase(name):
                part = next(waiting, None)
            if part is None:
                return
            yield part
