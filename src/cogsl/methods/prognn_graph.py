"""The learned graph of Pro-GNN: one forward-backward step after another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.prognn_settings import ProGNNSettings
from cogsl.methods.prognn_smoothness import FeatureSmoothness
from cogsl.sparse.dense_graph import NormalisedGraph, dense_adjacency
from cogsl.sparse.proximal import (
    LeadingThreshold,
    Shrunk,
    SymmetricThreshold,
    singular_value_threshold_,
    soft_threshold_,
)

Loss = Callable[[NormalisedGraph], Tensor]


class LearnedGraph:
    """S, N x N in [0, 1], and its momentum; A stays sparse.

    Parameters
    ----------
    settings : the weights, and how a step is taken.
    graph : gives A, from which S starts, and the features.
    generator : draws the vectors that look for singular values.
    dtype : of S.
    """

    def __init__(
        self,
        settings: ProGNNSettings,
        graph: Graph,
        *,
        generator: torch.Generator,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self._settings = settings
        self.matrix = dense_adjacency(graph.adjacency, dtype)
        self._velocity = torch.zeros_like(self.matrix)
        self._places = _places(graph.adjacency)
        self._weights = torch.tensor(graph.adjacency.data, dtype=dtype)
        self._smoothness = None
        if settings.smoothness:
            self._smoothness = FeatureSmoothness(graph.features, dtype)
        self._threshold: Callable[[Tensor, float], Shrunk] = singular_value_threshold_
        if settings.truncates(graph.n_nodes):
            self._threshold = LeadingThreshold(generator=generator, rank=settings.leading)
        elif settings.symmetric:
            self._threshold = SymmetricThreshold(generator=generator)

    def step(self, loss: Loss) -> dict[str, float]:
        """Take one forward-backward step; ``loss`` is that of the classifier on a graph."""
        settings = self._settings
        self._velocity.mul_(settings.graph_momentum)
        figures = self.add_gradient_(self._velocity, loss)
        self.matrix.sub_(self._velocity, alpha=settings.graph_lr)
        if not bool(self.matrix.sum().isfinite()):
            raise DivergedError(
                "The learned graph is no longer finite. Lower 'graph_lr', 'lr' or 'smoothness', or "
                "scale the features."
            )
        return figures | self._shrink()

    def add_gradient_(self, target: Tensor, loss: Loss) -> dict[str, float]:
        """Add the gradient of what is smooth in the objective; return the values of its parts.

        ||A - S||_F^2 + gamma L_GNN + lambda tr(X^T L X). Of a graph that is kept symmetric it is
        the symmetric part, (G + G^T) / 2.
        """
        settings, figures = self._settings, {"distance": self._add_distance_(target)}
        if settings.supervision:
            view = NormalisedGraph(self.matrix, tracked=True)
            value = loss(view)
            left, right = view.gradient(value)
            if settings.symmetric:
                left, right = torch.cat([left, right], 1) / 2, torch.cat([right, left], 1)
            target.addmm_(left, right.T, alpha=settings.supervision)
            figures["graph_loss"] = float(value.detach())
        if self._smoothness is not None:
            figures["smoothness"] = self._smoothness.add_gradient_(
                target, self.matrix, settings.smoothness
            )
        return figures

    def _add_distance_(self, target: Tensor) -> float:
        """Add the gradient of ||A - S||_F^2, or of ||A - S||_F; return that."""
        difference = self.matrix.clone()
        difference.view(-1).index_add_(0, self._places, self._weights, alpha=-1.0)
        length = float(difference.norm())
        if self._settings.distance == "squared":
            target.add_(difference, alpha=2.0)
            return length**2
        if length > 0.0:
            target.add_(difference, alpha=1.0 / length)
        return length

    def _shrink(self) -> dict[str, float]:
        """Apply the proximal operators in turn, and project onto [0, 1]."""
        settings, figures = self._settings, dict[str, float]()
        if settings.low_rank:
            shrunk = self._threshold(self.matrix, settings.graph_lr * settings.low_rank)
            figures |= shrunk._asdict()
        soft_threshold_(self.matrix, settings.graph_lr * settings.sparsity)
        self.matrix.clamp_(0.0, 1.0)
        return figures | {"l1_norm": float(self.matrix.sum())}


def _places(adjacency: sp.csr_array) -> Tensor:
    """Return where each entry of A stands in S as one row of numbers, nnz."""
    rows = np.repeat(np.arange(adjacency.shape[0], dtype=np.int64), np.diff(adjacency.indptr))
    return torch.from_numpy(rows * adjacency.shape[1] + adjacency.indices)
