"""A tiny graph and a tiny method, for tests of what stands around methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from cogsl import datasets
from cogsl.cost import Cost, Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.methods.base import NodeClassifier
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training.listener import Listener


@dataclass(kw_only=True, eq=False)
class Centroids(NodeClassifier):
    """Compares features with the mean of each class's training nodes."""

    iterations: int = setting(3, "how often the bar moves", symbol="T", low=1)
    sharpness: float = setting(1.0, "factor on the distances", symbol="1/tau", low=0.0)
    noise: float = setting(0.0, "how much the seed decides", low=0.0)
    weights: tuple[float, ...] = setting((0.5, 0.5), "nothing", low=0.0, high=1.0)
    batch: int | None = setting(None, "nothing either", low=1)
    flavour: str = setting("plain", "a word", choices=("plain", "spicy"))

    seen_labels_: npt.NDArray[np.int64] = field(init=False, repr=False)

    @property
    def max_iterations(self) -> int:
        return self.iterations

    def estimate(self, size: GraphSize) -> Estimate:
        nothing = Cost(0.5, 1000.0 * size.nodes)
        return Estimate(nothing, Cost(2.0, 2000.0 * size.nodes), self.iterations, nothing, "Wait.")

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        features = np.asarray(graph.features, dtype=np.float64)
        features = features + self.noise * seeds.numpy("noise").normal(size=features.shape)
        labels = graph.labels[graph.train]
        means = np.stack(
            [features[graph.train[labels == c]].mean(axis=0) for c in range(graph.n_classes)]
        )
        scores = np.exp(-self.sharpness * ((features[:, None] - means) ** 2).sum(axis=2))
        self.probabilities_ = scores / scores.sum(axis=1, keepdims=True)
        self.seen_labels_ = graph.labels
        self.history_ = []
        for iteration in range(self.iterations):
            listener.on_phase("thinking")
            self.history_.append({"iteration": iteration, "val_accuracy": 0.5})
            listener.on_iteration(self.history_[-1])
        self.n_iter_, self.best_iter_ = self.iterations, 0
        self.learned_graph_ = None


def toy_graph() -> Graph:
    """Return 12 nodes in two groups on a line; node 10 lies in the wrong one."""
    labels = np.array([0] * 6 + [1] * 6)
    features = np.column_stack([labels + np.linspace(0.0, 0.3, 12), np.ones(12)])
    features[10, 0] = 0.1
    chain = sp.diags_array([np.ones(11), np.ones(11)], offsets=[-1, 1]).tocsr()  # type: ignore[list-item]
    return Graph.from_scipy(
        chain,
        features=features.astype(np.float32),
        labels=labels,
        train=np.array([0, 6]),
        val=np.array([1, 2, 7, 8]),
        test=np.array([3, 4, 5, 9, 10, 11]),
        name="toy",
    )


class ToyData:
    """A data set of one tiny graph."""

    name = "toy"

    def configured(self, settings: object) -> Self:
        """Return the data set, which has no settings."""
        return self

    def size(self) -> None:
        """Return nothing: it is known when it is read."""

    def load(self, root: object = None, split: str = "default", split_seed: int = 0) -> Graph:
        """Return the graph."""
        return toy_graph()


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the tiny method and data set known by name for one test."""
    monkeypatch.setitem(METHODS, "centroids", Centroids)
    monkeypatch.setitem(cast(dict[str, object], datasets.DATASETS), "toy", ToyData())
    real = datasets.load

    def load(name: str, **options: Any) -> Graph:
        return toy_graph() if name == "toy" else real(name, **options)

    monkeypatch.setattr(datasets, "load", load)
