"""The interface of every method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from cogsl.cost import Estimate, GraphSize
from cogsl.errors import NotFittedError, SettingValueError
from cogsl.graph import Graph
from cogsl.seeding import Seeds, random_scope
from cogsl.settings import settings_of, validate_settings
from cogsl.training.allocator import freed_memory_kept
from cogsl.training.listener import Listener, SilentListener


@dataclass(frozen=True, kw_only=True)
class About:
    """What a method is, for lists of methods.

    Parameters
    ----------
    title : its name as papers print it.
    paper : authors and title of the paper it is from.
    year : when that appeared.
    cost : how the time of an iteration and the memory grow, e.g. "E" for the number of edges.
    """

    title: str
    paper: str
    year: int
    cost: str


@dataclass(kw_only=True, eq=False)
class NodeClassifier(ABC):
    """Learns from a graph's train and validation labels, and predicts every node.

    A method is a keyword-only dataclass of settings: the constructor only stores. ``fit`` checks
    the settings and the graph before any long work, and sets the fitted attributes, whose names
    end in an underscore:

    - ``history_``: one plain dict an iteration;
    - ``n_iter_``: how many iterations ran; ``best_iter_``: the one that was kept (from 0);
    - ``learned_graph_``: the learned graph, or None for a method that learns none;
    - ``probabilities_``: class probabilities of every node, N x C.

    Only train and validation labels are read. The class itself says whether the method learns a
    graph, reads the edges of the given one and their weights, and draws random numbers.
    """

    about: ClassVar[About]
    learns_graph: ClassVar[bool] = False
    reads_edges: ClassVar[bool] = True
    reads_weights: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    history_: list[dict[str, Any]] = field(init=False, repr=False)
    n_iter_: int = field(init=False, repr=False)
    best_iter_: int = field(init=False, repr=False)
    learned_graph_: Graph | None = field(init=False, repr=False)
    probabilities_: npt.NDArray[np.float64] = field(init=False, repr=False)

    @property
    @abstractmethod
    def max_iterations(self) -> int:
        """How many iterations ``fit`` runs at most, for progress bars."""

    @abstractmethod
    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` on a graph of that size needs: seconds, and bytes beside the graph.

        Nothing long is done for it.
        """

    @abstractmethod
    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        """Train, and set the fitted attributes."""

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        validate_settings(self)

    def fit(self, graph: Graph, *, seed: int, listener: Listener | None = None) -> Self:
        """Train on ``graph``; the same seed gives the same bits."""
        self.validate()
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
            raise SettingValueError(
                f"The seed must be a whole number from 0. Got {seed!r} instead."
            )
        graph.check_trainable()
        with random_scope(seed), freed_memory_kept():
            self._fit(graph, Seeds(seed), listener or SilentListener())
        return self

    def predict_proba(self) -> npt.NDArray[np.float64]:
        """Return the class probabilities of all nodes, N x C."""
        self._check_fitted()
        return self.probabilities_.copy()

    def predict(self) -> npt.NDArray[np.int64]:
        """Return the most probable class of all nodes, N."""
        classes: npt.NDArray[np.int64] = np.argmax(self.predict_proba(), axis=1)
        return classes

    def get_params(self) -> dict[str, Any]:
        """Return every setting by name."""
        return {name: getattr(self, name) for name in settings_of(self)}

    def _check_fitted(self) -> None:
        if not hasattr(self, "probabilities_"):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet. Call 'fit(graph, seed=...)' first."
            )
