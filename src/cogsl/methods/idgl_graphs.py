"""The graphs that IDGL learns, in the three forms they take, and what each can do.

``SparseGraph``: A^(1), from the features: held, as few entries are above the threshold.
``EmbeddingGraph``: A^(t), from the embeddings: most entries may be, so it is never held.
``AnchorGraph``: R^(t), N x s, of the version with anchors: held.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from cogsl.sparse import SparseMatrix, sampled_product
from cogsl.sparse.similarity import similar_distance, similar_energy, similar_product
from cogsl.sparse.sparse_similarity import dense_panel

_LEAST = 1e-12  # stands in for the degree of a node that is like no other


class LearnedGraph(Protocol):
    """A graph that messages pass along and that is regularised.

    ``degrees`` and ``energy`` are those of the graph that the regulariser is for: A itself, or of
    the version with anchors the graph of the anchors.
    """

    @property
    def degrees(self) -> Tensor:
        """The row sums."""

    def spread(self, messages: Tensor) -> Tensor:
        """Return f(A) X, N x h, f the normalisation of rows."""

    def energy(self, *, squares: float, gram: Tensor | None, inner: float) -> Tensor:
        """Return a |A|_F^2 + b <A, G>; no G stands for 0."""

    def rows(self, part: slice) -> Tensor:
        """Return some rows of f(A) as a dense block, b x N, without a gradient."""


class SparseGraph:
    """A graph whose entries are held."""

    def __init__(self, matrix: SparseMatrix) -> None:
        self.matrix = matrix

    @cached_property
    def degrees(self) -> Tensor:
        """A 1, N."""
        ones = self.matrix.values.new_ones(self.matrix.shape[1], 1)
        return (self.matrix @ ones).flatten()

    def spread(self, messages: Tensor) -> Tensor:
        """Return D^-1 A X."""
        return (self.matrix @ messages) / _column(self.degrees)

    def energy(self, *, squares: float, gram: Tensor | None, inner: float) -> Tensor:
        """Return a |A|_F^2 + b <A, G>."""
        values, pattern = self.matrix.values, self.matrix.pattern
        energy = squares * values.square().sum()
        if gram is not None:
            energy = energy + inner * (values * gram[pattern.row.long(), pattern.col.long()]).sum()
        return energy

    @cached_property
    def squared_norm(self) -> float:
        """|A|_F^2."""
        return float(self.matrix.values.detach().double().square().sum())

    @torch.no_grad()
    def rows(self, part: slice) -> Tensor:
        """Return some rows of D^-1 A."""
        block = dense_panel(self.matrix.pattern, self.matrix.values.detach(), part).T
        return block / _column(self.degrees[part])


class EmbeddingGraph:
    """A graph that is given by unit vectors, and made block by block whenever it is wanted."""

    def __init__(self, units: Tensor, threshold: float) -> None:
        self.units, self.threshold = units, threshold
        self._degrees: Tensor | None = None

    @property
    def degrees(self) -> Tensor:
        """A 1, N."""
        if self._degrees is None:
            ones = self.units.new_ones(len(self.units), 1)
            self._degrees = similar_product(self.units, ones, self.threshold).flatten()
        return self._degrees

    def spread(self, messages: Tensor) -> Tensor:
        """Return D^-1 A X; the first call finds the degrees in passing."""
        if self._degrees is not None:
            return similar_product(self.units, messages, self.threshold) / _column(self._degrees)
        ones = messages.new_ones(len(messages), 1)
        sums = similar_product(self.units, torch.cat([messages, ones], dim=1), self.threshold)
        self._degrees = sums[:, -1]
        return sums[:, :-1] / _column(self._degrees)

    def energy(self, *, squares: float, gram: Tensor | None, inner: float) -> Tensor:
        """Return a |A|_F^2 + b <A, G>."""
        return similar_energy(self.units, self.threshold, squares=squares, gram=gram, inner=inner)

    @torch.no_grad()
    def rows(self, part: slice) -> Tensor:
        """Return some rows of D^-1 A."""
        block = torch.threshold(self.units[part] @ self.units.T, self.threshold, 0.0)
        return block / _column(self.degrees[part])

    @torch.no_grad()
    def change_since(self, earlier: SparseGraph | EmbeddingGraph) -> float:
        """Return |A - A'|_F^2; from a sparse A' as |A|^2 + |A'|^2 - 2 <A, A'>."""
        units = self.units.detach()
        if isinstance(earlier, EmbeddingGraph):
            return similar_distance(units, earlier.units.detach(), self.threshold)
        pattern = earlier.matrix.pattern
        here = torch.threshold(sampled_product(pattern, units, units), self.threshold, 0.0)
        inner = float((here.double() * earlier.matrix.values.detach().double()).sum())
        return similar_distance(units, None, self.threshold) + earlier.squared_norm - 2.0 * inner


class AnchorGraph:
    """Nodes that are joined through anchors.

    A message takes two steps, from nodes to anchors and from anchors to nodes:
    A X = Delta^-1 R Lambda^-1 R^T X, Lambda = diag(R^T 1), Delta = diag(R 1), which is a normalised
    A already. The graph that is regularised is that of the anchors, B = R^T Delta^-1 R, s x s,
    whose row sums are Lambda.

    Parameters
    ----------
    affinities : R, N x s.
    """

    def __init__(self, affinities: Tensor) -> None:
        self.affinities = affinities

    @cached_property
    def degrees(self) -> Tensor:
        """Lambda, s."""
        return self.affinities.sum(dim=0)

    @cached_property
    def node_degrees(self) -> Tensor:
        """Delta, N."""
        return self.affinities.sum(dim=1)

    def spread(self, messages: Tensor) -> Tensor:
        """Return Delta^-1 R (Lambda^-1 R^T X)."""
        at_anchors = (self.affinities.T @ messages) / _column(self.degrees)  # s x h
        return (self.affinities @ at_anchors) / _column(self.node_degrees)

    @property
    def between_anchors(self) -> Tensor:
        """B, s x s."""
        return self.affinities.T @ (self.affinities / _column(self.node_degrees))

    def energy(self, *, squares: float, gram: Tensor | None, inner: float) -> Tensor:
        """Return a |B|_F^2 + b <B, G>."""
        between = self.between_anchors
        energy = squares * between.square().sum()
        return energy if gram is None else energy + inner * (between * gram).sum()

    @torch.no_grad()
    def rows(self, part: slice) -> Tensor:
        """Return some rows of Delta^-1 R Lambda^-1 R^T."""
        to_anchors = self.affinities[part] / _column(self.node_degrees[part])
        return (to_anchors / self.degrees.clamp(min=_LEAST)) @ self.affinities.T

    @torch.no_grad()
    def change_since(self, earlier: AnchorGraph) -> float:
        """Return |R - R'|_F^2."""
        return float((self.affinities - earlier.affinities).square_().sum())

    @property
    def squared_norm(self) -> float:
        """|R|_F^2."""
        return float(self.affinities.detach().square().sum())


def _column(degrees: Tensor) -> Tensor:
    """Return degrees as a column to divide by, N x 1; a row without entries is not scaled."""
    return degrees.clamp(min=_LEAST).unsqueeze(1)


@dataclass(frozen=True, eq=False)
class Regulariser:
    """What keeps a learned graph smooth, connected and sparse.

    L_G = alpha / n^2 tr(X^T (D - A) X) - beta / n 1^T log(A 1) + gamma / n^2 |A|_F^2
    (Chen et al., the equations of graph regularisation), where
    tr(X^T (D - A) X) = sum_i d_i |x_i|^2 - <A, X X^T>. A node without any entry has no logarithm
    and counts with that of a very small degree.

    Parameters
    ----------
    smoothness, connectivity, sparsity : alpha, beta, gamma.
    gram : X X^T, n x n; needed for smoothness only.
    """

    smoothness: float
    connectivity: float
    sparsity: float
    gram: Tensor | None

    def __call__(self, graph: LearnedGraph) -> Tensor:
        """Return L_G."""
        n = graph.degrees.numel()
        smooth, sparse = self.smoothness / n**2, self.sparsity / n**2
        loss = torch.zeros((), dtype=graph.degrees.dtype)
        if self.connectivity:
            loss = loss - self.connectivity * graph.degrees.clamp(min=_LEAST).log().mean()
        if self.gram is not None:
            loss = loss + smooth * (graph.degrees @ self.gram.diagonal())
        if self.gram is not None or sparse:
            loss = loss + graph.energy(squares=sparse, gram=self.gram, inner=-smooth)
        return loss
