"""A graph of two groups and methods of known worth, for tests of comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from cogsl.experiments.comparison import CORE
from cogsl.graph import Graph
from cogsl.io import NamedGraph
from cogsl.methods import METHODS
from cogsl.methods.base import About
from cogsl.settings import setting
from tests.fakes import Centroids


@dataclass(kw_only=True, eq=False)
class Plain(Centroids):
    """Sees the features through noise."""

    about: ClassVar[About] = About(title="Plain", paper="", year=2000, cost="N")
    reads_edges: ClassVar[bool] = False
    noise: float = setting(0.8, "how much the seed decides", low=0.0)


@dataclass(kw_only=True, eq=False)
class Learner(Centroids):
    """Sees the features as they are, and says that it learns a graph."""

    about: ClassVar[About] = About(title="Learner", paper="", year=2000, cost="N")
    learns_graph: ClassVar[bool] = True


def use_fakes(monkeypatch: pytest.MonkeyPatch, learner: type[Centroids] = Learner) -> None:
    """Put fast methods in the place of the four, and fast figures in that of scikit-learn's."""
    for name in CORE:
        monkeypatch.setitem(METHODS, name, learner if name == "cogsl" else Plain)
    monkeypatch.setattr("cogsl.evaluation.protocol.score", accuracy_alone)


def accuracy_alone(
    labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]
) -> dict[str, float]:
    """Return the accuracy under every name."""
    accuracy = float((probabilities.argmax(axis=1) == labels).mean())
    return dict.fromkeys(("macro_f1", "micro_f1", "auc", "accuracy"), accuracy)


def two_groups(n: int = 400, unlabelled: int = 0) -> NamedGraph:
    """Return a graph without a split, of two classes at a distance of 2 in one feature."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    features = np.column_stack([2.0 * labels + rng.normal(0, 0.3, n), np.ones(n)])
    known = np.where(np.arange(n) < n - unlabelled, labels, -1)
    ring = np.stack([np.arange(n), (np.arange(n) + 1) % n])
    return NamedGraph.numbered(Graph.from_edges(ring, features=features, labels=known))
