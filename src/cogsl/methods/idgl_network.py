"""IDGL's network: a graph learner, a two-layer GCN, and the turns that they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from cogsl.methods.idgl_graphs import (
    AnchorGraph,
    EmbeddingGraph,
    LearnedGraph,
    Regulariser,
    SparseGraph,
)
from cogsl.methods.idgl_metric import (
    dense_rows,
    node_anchor_affinities,
    similarity_graph,
    weighted_units,
)
from cogsl.nn import FeatureMatrix, dropout, glorot
from cogsl.sparse import SparseMatrix
from cogsl.sparse.dense_graph import gram_matrix


def mixed(
    given: Tensor, first: Tensor, current: Tensor | None, *, skip: float, update: float
) -> Tensor:
    """Return A~ X from L0 X, f(A^(1)) X and, from the second turn on, f(A^(t)) X.

    A~^(t) = lambda L0 + (1 - lambda) (eta f(A^(t)) + (1 - eta) f(A^(1)))
    (Chen et al., the equation that combines the graphs); in the first turn A^(t) is A^(1).

    Parameters
    ----------
    given, first, current : each N x h.
    skip : lambda.
    update : eta.
    """
    learned = first if current is None else update * current + (1.0 - update) * first
    return skip * given + (1.0 - skip) * learned


class Learner(nn.Module):
    """The two learned metrics: one for the features, one for the embeddings.

    Parameters
    ----------
    features : X, N x D.
    hidden : size of the embeddings.
    heads : m, of each metric.
    threshold : epsilon.
    anchors : which nodes are anchors, s; None for the version without any.
    generator : draws the weights.
    """

    def __init__(
        self,
        features: FeatureMatrix,
        *,
        hidden: int,
        heads: int,
        threshold: float,
        anchors: Tensor | None,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        dtype = (features if isinstance(features, Tensor) else features.values).dtype
        self.features, self.threshold, self.anchors = features, threshold, anchors
        n_features = features.shape[1]
        self.feature_weights = glorot(heads, n_features, generator=generator, dtype=dtype)
        self.embedding_weights = glorot(heads, hidden, generator=generator, dtype=dtype)

    def from_features(self) -> SparseGraph | AnchorGraph:
        """Return A^(1), or R^(1)."""
        weights, epsilon = self.feature_weights, self.threshold
        if self.anchors is None:
            return SparseGraph(similarity_graph(self.features, weights, epsilon))
        return AnchorGraph(node_anchor_affinities(self.features, self.anchors, weights, epsilon))

    def from_embeddings(self, embeddings: Tensor) -> EmbeddingGraph | AnchorGraph:
        """Return A^(t), or R^(t), from Z^(t-1), N x hidden."""
        weights, epsilon = self.embedding_weights, self.threshold
        if self.anchors is None:
            return EmbeddingGraph(weighted_units(embeddings, weights), epsilon)
        return AnchorGraph(node_anchor_affinities(embeddings, self.anchors, weights, epsilon))

    def regulariser(self, smoothness: float, connectivity: float, sparsity: float) -> Regulariser:
        """Return the regulariser of this learner's graphs; X is that of the anchors if any."""
        gram = _gram(self.features, self.anchors) if smoothness else None
        return Regulariser(smoothness, connectivity, sparsity, gram)


def _gram(features: FeatureMatrix, anchors: Tensor | None) -> Tensor:
    """Return X X^T of all nodes, N x N, or of the anchors, s x s."""
    if anchors is not None:
        features = dense_rows(features, anchors)
    if isinstance(features, Tensor):
        return features @ features.T
    return gram_matrix(features.to_scipy(), features.values.dtype)


def relative_change(first: LearnedGraph, earlier: LearnedGraph, current: LearnedGraph) -> float:
    """Return how far the graph moved in a turn.

    |A^(t) - A^(t-1)|_F^2 / |A^(1)|_F^2, and with anchors |R^(t) - R^(t-1)|_F^2 / |R^(t)|_F^2
    (Chen et al., Algorithm 1). A graph without entries never moves.
    """
    if isinstance(current, AnchorGraph):
        assert isinstance(earlier, AnchorGraph)
        change, norm = current.change_since(earlier), current.squared_norm
    else:
        assert isinstance(current, EmbeddingGraph)
        assert isinstance(first, SparseGraph)
        assert isinstance(earlier, SparseGraph | EmbeddingGraph)
        change, norm = current.change_since(earlier), first.squared_norm
    return change / norm if norm > 0 else 0.0


class Turn(NamedTuple):
    """What a turn comes to: its graph A^(t), and log-predictions, N x C."""

    graph: LearnedGraph
    output: Tensor


class Network(nn.Module):
    """O = softmax(A~ ReLU(A~ X W0) W1), with a graph A~ that is learned in turns.

    Parameters
    ----------
    given : L0, N x N.
    learner : makes A^(1) and A^(t).
    n_classes : C.
    skip, update : lambda and eta.
    rate, later_rate : dropout of the embeddings in the first turn, and in the later ones.
    generator : draws the weights.
    """

    def __init__(
        self,
        given: SparseMatrix,
        learner: Learner,
        *,
        n_classes: int,
        skip: float,
        update: float,
        rate: float,
        later_rate: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        self.given, self.learner = given, learner
        self.skip, self.update, self.rates = skip, update, (rate, later_rate)
        hidden, dtype = learner.embedding_weights.shape[1], given.values.dtype
        n_features = learner.features.shape[1]
        self.first = glorot(n_features, hidden, generator=generator, dtype=dtype)
        self.second = glorot(hidden, n_classes, generator=generator, dtype=dtype)

    def turns(
        self, *, most: int, tolerance: float, generator: torch.Generator | None
    ) -> Iterator[Turn]:
        """Yield the first turn and then others, until the graph rests or there were enough.

        Parameters
        ----------
        most : T, how many follow the first.
        tolerance : delta.
        generator : draws the dropout masks; None means no dropout.
        """
        first = self.learner.from_features()
        projected = self.learner.features @ self.first  # N x hidden
        starts = (self.given @ projected, first.spread(projected))
        embeddings = self._embed(*starts, None, generator)
        yield Turn(first, self._classify(embeddings, first, None))
        earlier: LearnedGraph = first
        for _ in range(most):
            current = self.learner.from_embeddings(embeddings)
            embeddings = self._embed(*starts, current.spread(projected), generator)
            yield Turn(current, self._classify(embeddings, first, current))
            if relative_change(first, earlier, current) <= tolerance:
                return
            earlier = current

    def _embed(
        self,
        given: Tensor,
        first: Tensor,
        current: Tensor | None,
        generator: torch.Generator | None,
    ) -> Tensor:
        """Return Z = ReLU(A~ X W0) after dropout, N x hidden."""
        hidden = mixed(given, first, current, skip=self.skip, update=self.update).relu()
        return dropout(hidden, self.rates[current is not None], generator=generator)

    def _classify(
        self, embeddings: Tensor, first: LearnedGraph, current: LearnedGraph | None
    ) -> Tensor:
        """Return log softmax(A~ Z W1), N x C."""
        messages = embeddings @ self.second
        spread = None if current is None else current.spread(messages)
        parts = (self.given @ messages, first.spread(messages), spread)
        return mixed(*parts, skip=self.skip, update=self.update).log_softmax(dim=1)
