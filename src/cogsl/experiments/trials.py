"""Trials: settings drawn, and judged on validation nodes alone.

A trial is worth the accuracy of the validation nodes, averaged over its runs. A few nodes are right
in many trials alike, so a tie goes to the lower loss (the mean -log of the right class's
probability); the loss alone would also move with mere confidence. No trial can see a test label:
they are hidden before the first one. A run is not cut short by what its first iterations show, as
these cannot be compared between settings that take one step an iteration and ten.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cogsl.cost import GraphSize
from cogsl.errors import DivergedError, InputError, MemoryLimitError
from cogsl.evaluation.protocol import hide_test_labels
from cogsl.experiments import studies
from cogsl.experiments.forecast import forecast
from cogsl.experiments.search_space import Values
from cogsl.experiments.tuning import Trial, Tuning, best_of, new_trial, trials_of
from cogsl.training.listener import Listener, SilentListener

if TYPE_CHECKING:
    import optuna

    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier


class TuningObserver(Protocol):
    """Told when a trial starts and ends; a progress display is one."""

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        """A trial starts; the listener that is returned hears how its training goes on."""

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        """A trial ended, and which is the best so far."""


class SilentTuningObserver:
    """Sees everything and says nothing."""

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        """Return a listener that says nothing either."""
        return SilentListener()

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        """Ignore the trial."""


class _WithdrawnError(Exception):
    """A trial that another process does, or that is one too many."""


def tune(
    tuning: Tuning,
    graph: Graph,
    study: optuna.Study,
    *,
    n_trials: int | None = None,
    seconds: float | None = None,
    memory_limit: int | None = None,
    observer: TuningObserver | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Do trials until there are ``n_trials`` in all or ``seconds`` have passed; False after Ctrl-C.

    The first trial is done in any case, and one that is under way is finished. A trial that
    diverges, or would not fit into memory, is left out and counts.
    """
    if n_trials is None and seconds is None:
        raise InputError("Tuning needs a budget: a number of trials, a number of minutes or both.")
    work = _Objective(tuning, graph, n_trials, memory_limit, observer or SilentTuningObserver())
    start, first = clock(), tuning.space.stored(tuning.space.defaults)
    studies.fail_dead_trials(study)
    try:
        while not (
            seconds is not None and clock() - start >= seconds and studies.finished(study)
        ) and studies.queue_next(study, n_trials, first):
            study.optimize(work, n_trials=1, catch=(_WithdrawnError,))
    except KeyboardInterrupt:
        return False
    return True


def worth_of(accuracy: float, loss: float, n_nodes: int) -> float:
    """Return accuracy less a share of one node's, the larger the higher the loss.

    accuracy - loss / (1 + loss) / (2 n), so that the loss decides between equal accuracies and
    nowhere else; n is the number of predictions that the accuracy is the mean of.
    """
    return accuracy - loss / (1.0 + loss) / (2 * n_nodes)


@dataclass
class _Objective:
    """Does a trial: from what Optuna draws to what it is worth."""

    tuning: Tuning
    graph: Graph
    n_trials: int | None
    memory_limit: int | None
    observer: TuningObserver

    def __post_init__(self) -> None:
        self.graph.check_trainable()
        self.visible = hide_test_labels(self.graph)
        self.size = GraphSize.of(self.visible)

    def __call__(self, trial: optuna.Trial) -> float:
        from optuna import TrialPruned

        place = studies.take(trial, self.n_trials)
        if place is None:
            raise _WithdrawnError
        values, start = self.tuning.space.suggest(trial), time.perf_counter()
        others = trials_of(self.tuning, trial.study)
        done: dict[str, float | str] = {}
        worth = None
        try:
            accuracy, loss = self._mean_figures(values, place, others)
            n_nodes = len(self.visible.val) * self.tuning.seeds_per_trial
            done, worth = {"accuracy": accuracy, "loss": loss}, worth_of(accuracy, loss, n_nodes)
        except (DivergedError, MemoryLimitError, MemoryError) as error:
            done = {"reason": str(error) or "There was not enough memory."}
        done["seconds"] = time.perf_counter() - start
        trial.set_user_attr(studies.FIGURES, done)
        ended = new_trial(self.tuning, place, trial.params, done, worth)
        self.observer.on_trial_end(ended, best_of([*others, ended]))
        if worth is None:
            raise TrialPruned
        return worth

    def _mean_figures(self, values: Values, place: int, others: list[Trial]) -> tuple[float, float]:
        """Return accuracy and loss of the validation nodes, the means over the trial's runs.

        Settings that were drawn before give the same figures, and are not run again.
        """
        t = self.tuning
        drawn = t.new_method(values, in_trial=True)
        listener = self.observer.on_trial_start(place, drawn.max_iterations * t.seeds_per_trial)
        for trial in others:
            before = t.new_method(trial.values, in_trial=True)
            same = before.get_params() == drawn.get_params()
            if same and trial.accuracy is not None and trial.loss is not None:
                return trial.accuracy, trial.loss
        figures = []
        for seed in range(t.seed, t.seed + t.seeds_per_trial):
            method = t.new_method(values, in_trial=True)
            forecast(method, self.size, graph_is_loaded=True).check(self.memory_limit)
            method.fit(self.visible, seed=seed, listener=listener)
            figures.append(validation_figures(method, self.visible))
        accuracy, loss = np.mean(figures, axis=0).tolist()
        return accuracy, loss


def validation_figures(method: NodeClassifier, graph: Graph) -> tuple[float, float]:
    """Return accuracy and loss of a fitted method's predictions for the validation nodes."""
    probabilities = method.predict_proba()[graph.val]
    labels = graph.labels[graph.val]
    right = probabilities[np.arange(len(labels)), labels]
    accuracy = float((probabilities.argmax(axis=1) == labels).mean())
    loss = float(-np.log(np.maximum(right, np.finfo(np.float64).tiny)).mean())
    if not np.isfinite(loss):
        raise DivergedError("The probabilities of the validation nodes are not finite.")
    return accuracy, loss
