"""A study that takes milliseconds a trial, for tests of tuning; other processes import it, too."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from cogsl.experiments.studies import open_study
from cogsl.experiments.trials import tune
from cogsl.experiments.tuning import Trial, Tuning, prepare, trials_of
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.training.listener import Listener, SilentListener
from tests.fakes import Centroids

SPACE = """
[parameters]
sharpness = [0.5, 4.0]
noise = { low = 0.0, high = 2.0, step = 0.1 }
flavour = ["plain", "spicy"]
"""


def many_nodes() -> Graph:
    """Return 60 nodes in two groups; noise of their size confuses them."""
    labels = np.arange(60) % 2
    features = np.column_stack([labels, np.ones(60)]).astype(np.float32)
    chain = np.stack([np.arange(59), np.arange(1, 60)])
    return Graph.from_edges(
        chain,
        features=features,
        labels=labels,
        train=np.arange(4),
        val=np.arange(4, 30),
        test=np.arange(30, 60),
        name="many",
    )


def plan(folder: Path, **options: Any) -> Tuning:
    """Return the tuning of the tiny method, which must be known by name."""
    path = folder / "space.toml"
    path.write_text(SPACE)
    return prepare("centroids", space_file=path, **options)


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'study.db'}"


def study_of(
    folder: Path, tuning: Tuning, graph: Graph, n_trials: int | None, **options: Any
) -> list[Trial]:
    """Do trials in the study of a folder, and return all of them."""
    with open_study(url(folder), "s", tuning.identity(graph), seed=tuning.seed) as study:
        tune(tuning, graph, study, n_trials=n_trials, **options)
        return trials_of(tuning, study)


def lasting(trials: list[Trial]) -> list[tuple[Any, ...]]:
    """Return trials without what differs from run to run."""
    return [(t.place, t.values, t.worth, t.accuracy, t.loss, t.reason) for t in trials]


class Observer:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.started, self.ended = list[int](), list[Trial]()
        self.bests = list[Trial | None]()

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        self.started.append(place)
        return SilentListener()

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        self.ended.append(trial)
        self.bests.append(best)


class Sleeper(Observer):
    """Says which trial starts, and sleeps in one of them until it is killed."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self._place = place

    def on_trial_start(self, place: int, max_iterations: int) -> Listener:
        print(place, flush=True)  # noqa: T201
        if place == self._place:
            time.sleep(600)
        return SilentListener()


def sleep_in(folder: Path, place: int, n_trials: int) -> None:
    """Do the trials of a folder's study and sleep in one of them."""
    METHODS["centroids"] = Centroids
    study_of(folder, plan(folder), many_nodes(), n_trials, observer=Sleeper(place))
