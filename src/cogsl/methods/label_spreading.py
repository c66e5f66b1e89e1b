"""Label spreading: learning with local and global consistency (Zhou et al., 2004).

F <- a S F + (1 - a) Y until nothing moves, S = D^-1/2 A D^-1/2 and Y the training labels, with
scikit-learn's ``LabelSpreading`` on the given graph. No features, no weights: what it reaches is
what the edges alone are worth. The share a is the one of a few that does best on validation nodes.
"""

from __future__ import annotations

import logging
import time
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.graph import Graph
from cogsl.methods.base import About, NodeClassifier
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import AccuracyRule, LabelledNodes, Listener

_ENTRY_SECONDS = 2e-9  # for an entry and a class, each time that labels spread
_LEAST = 1e-12  # a probability that a label never reached

logger = logging.getLogger("cogsl")


@dataclass(kw_only=True, eq=False)
class LabelSpreading(NodeClassifier):
    """Labels that spread along the edges; nothing is learned."""

    about: ClassVar[About] = About(
        title="Label spreading",
        paper="Zhou et al., Learning with Local and Global Consistency",
        year=2004,
        cost="E",
    )
    is_random: ClassVar[bool] = False

    shares: tuple[float, ...] = setting(
        (0.5, 0.8, 0.9, 0.95, 0.99),
        "what a node takes from its neighbours, each tried in turn",
        symbol="alpha",
        low=0.0,
        high=1.0,
        open_low=True,
        open_high=True,
    )
    max_spreads: int = setting(200, "how often labels spread at most", low=1)
    tolerance: float = setting(
        1e-3, "labels spread until all changes add up to less than this", low=0.0
    )

    @property
    def max_iterations(self) -> int:
        """How many shares ``fit`` tries."""
        return len(self.shares)

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: the graph and some tables of N x C, all in float64."""
        self.validate()
        lasting = 40 * size.entries
        peak = lasting + 48 * size.nodes * size.classes
        seconds = _ENTRY_SECONDS * (size.entries + size.nodes) * size.classes * self.max_spreads
        return Estimate(
            views=Cost(0.0, 0.0),
            iteration=Cost(slowness() * seconds, peak),
            iterations=len(self.shares),
            result=Cost(0.0, peak),
            remedy="There is no setting that changes it; take a machine with more memory.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        nodes, rule = LabelledNodes(graph), AccuracyRule()
        self.history_, self.learned_graph_ = [], None
        listener.on_phase("spreading")
        for iteration, share in enumerate(self.shares):
            start = time.perf_counter()
            probabilities = self._spread(graph, share)
            figures = nodes.judge(torch.from_numpy(probabilities).clamp(min=_LEAST).log())
            kept = rule.keeps(accuracy=figures["val_accuracy"], loss=figures["val_loss"])
            if kept:
                self.best_iter_, self.probabilities_ = iteration, probabilities
            record: dict[str, Any] = {"iteration": iteration, "share": share} | figures
            record |= {"kept": kept, "seconds": time.perf_counter() - start}
            self.history_.append(record)
            listener.on_iteration(record)
        self.n_iter_ = len(self.history_)

    def _spread(self, graph: Graph, share: float) -> npt.NDArray[np.float64]:
        """Return the labels' shares of each node, N x C; those of all where none came."""
        from sklearn import semi_supervised  # heavy
        from sklearn.exceptions import ConvergenceWarning

        known = np.full(graph.n_nodes, -1)
        known[graph.train] = graph.labels[graph.train]
        spreading = semi_supervised.LabelSpreading(
            kernel=lambda *_: graph.adjacency.astype(np.float64),
            alpha=share,
            max_iter=self.max_spreads,
            tol=self.tolerance,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            spreading.fit(np.zeros((graph.n_nodes, 1)), known)
        if caught:
            logger.info("Labels were still moving after %d turns.", self.max_spreads)
        found = np.zeros((graph.n_nodes, graph.n_classes))
        found[:, spreading.classes_] = spreading.label_distributions_
        return np.where(found.sum(axis=1, keepdims=True) > 0, found, _class_shares(graph))


def _class_shares(graph: Graph) -> npt.NDArray[np.float64]:
    """Return how often each class occurs among the training labels, C."""
    counts = np.bincount(graph.labels[graph.train], minlength=graph.n_classes)
    shares: npt.NDArray[np.float64] = counts / counts.sum()
    return shares
