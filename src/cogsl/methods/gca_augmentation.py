"""What GCA drops: the less central an edge or a feature, the likelier.

Eq. (3) to (9) of Zhu et al. (2021). With the centrality phi of nodes, an edge weighs
w_uv = (phi(u) + phi(v)) / 2 and a feature w_i = sum_u |x_ui| phi(u). Of s = log w,

    p = min((s_max - s) / (s_max - mean of s) * rate, cut-off)

is the probability with which an edge is dropped, or a feature masked in all nodes.

Left open, and decided here: weights of edges count in all three centralities. Where all weigh the
same, p is the rate. What weighs nothing (a feature of isolated nodes only) is left out of the mean
and has the largest p. Eigenvector centralities below 1e-8 of the largest, as in all parts of a
graph but one, are raised to that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.graph import Features
from cogsl.sparse import Pattern, SparseMatrix, symmetric_normalise
from cogsl.views.base import with_self_loops

FloatArray = npt.NDArray[np.float64]

_DAMPING = 0.85
_MAX_ROUNDS = 1000
_TOLERANCE = 1e-9
_LEAST_CENTRALITY = 1e-8
_LEAST_SPREAD = 1e-9  # of logarithms; below it all weigh the same


def degree_centrality(adjacency: sp.csr_array) -> FloatArray:
    """Return the sum of each node's weights, N."""
    return np.asarray(adjacency.sum(axis=1, dtype=np.float64))


def pagerank_centrality(adjacency: sp.csr_array) -> FloatArray:
    """Return PageRank, N: the sigma with sigma = 0.85 A D^-1 sigma + 1."""
    degree = degree_centrality(adjacency)
    share = np.divide(_DAMPING, degree, out=np.zeros_like(degree), where=degree > 0)
    A = adjacency.astype(np.float64)
    return _settled(lambda sigma: A @ (share * sigma) + 1.0, np.ones(len(degree)))


def eigenvector_centrality(adjacency: sp.csr_array) -> FloatArray:
    """Return the eigenvector of the largest eigenvalue of A, N; its largest number is 1.

    The iteration is that of A + d I, d the mean degree: the same vectors, and no swinging between
    the two sides of a bipartite graph.
    """
    A = adjacency.astype(np.float64)
    shift = A.sum() / A.shape[0]
    if shift == 0.0:
        return np.ones(A.shape[0])

    def turn(vector: FloatArray) -> FloatArray:
        vector = A @ vector + shift * vector
        scaled: FloatArray = vector / vector.max()
        return scaled

    return np.maximum(_settled(turn, np.ones(A.shape[0])), _LEAST_CENTRALITY)


def _settled(turn: Callable[[FloatArray], FloatArray], vector: FloatArray) -> FloatArray:
    """Apply ``turn`` until no number moves by more than the tolerance."""
    for _ in range(_MAX_ROUNDS):
        before, vector = vector, turn(vector)
        if np.abs(vector - before).max() <= _TOLERANCE * vector.max():
            break
    return vector


CENTRALITIES: dict[str, Callable[[sp.csr_array], FloatArray]] = {
    "degree": degree_centrality,
    "pagerank": pagerank_centrality,
    "eigenvector": eigenvector_centrality,
}


def feature_weights(features: Features, centrality: FloatArray) -> FloatArray:
    """Return w_i = sum_u |x_ui| phi(u) of each feature, D."""
    sizes = np.abs(features) if isinstance(features, np.ndarray) else abs(features)
    weights: FloatArray = sizes.T @ centrality
    return weights


def drop_probabilities(weights: FloatArray, rate: float, cut_off: float) -> FloatArray:
    """Return with what probability each edge or feature of such a weight is dropped."""
    probabilities = np.full(len(weights), cut_off if rate > 0 else 0.0)
    known = weights > 0
    if not known.any():
        return np.full(len(weights), min(rate, cut_off))
    s = np.log(weights[known])
    spread = s.max() - s.mean()
    share = (s.max() - s) / spread if spread > _LEAST_SPREAD else np.ones(len(s))
    probabilities[known] = np.minimum(rate * share, cut_off)
    return probabilities


class EdgeDropping:
    """Normalised views of a graph, some edges of which are gone: another choice each time.

    The pattern is fixed, that of A + I; a dropped edge has the value 0 in both directions, and the
    rest is normalised anew. Self-loops stay.

    Parameters
    ----------
    adjacency : A, N x N, symmetric, without self-loops.
    centrality : phi of each node, N.
    """

    def __init__(self, adjacency: sp.csr_array, centrality: FloatArray) -> None:
        looped = with_self_loops(adjacency)
        self.pattern = dataclasses.replace(Pattern.from_scipy(looped), is_symmetric=True)
        self.values = torch.tensor(looped.data, dtype=torch.float32)
        row, col = self.pattern.row.long(), self.pattern.col.long()
        self.edges = torch.nonzero(row < col).flatten()
        self.mirrored = self.pattern.transposed[1].long()[self.edges]
        self.ends = row[self.edges].numpy(), col[self.edges].numpy()
        self.weights = 0.5 * (centrality[self.ends[0]] + centrality[self.ends[1]])

    def probabilities(self, rate: float, cut_off: float) -> Tensor:
        """Return with what probability each edge (u < v, by rows) is dropped."""
        return torch.from_numpy(drop_probabilities(self.weights, rate, cut_off)).float()

    def whole(self) -> SparseMatrix:
        """Return D^-1/2 (A + I) D^-1/2."""
        return self._normalised(self.values)

    def draw(self, probabilities: Tensor, *, generator: torch.Generator) -> SparseMatrix:
        """Return the same of the edges that are left."""
        left = (torch.rand(len(probabilities), generator=generator) >= probabilities).float()
        values = self.values.clone()
        values[self.edges] *= left
        values[self.mirrored] *= left
        return self._normalised(values)

    def _normalised(self, values: Tensor) -> SparseMatrix:
        values = symmetric_normalise(self.pattern, values)
        return SparseMatrix(self.pattern, values, symmetric=True)


def draw_mask(probabilities: Tensor, *, generator: torch.Generator) -> Tensor:
    """Return 0 for a feature that is masked and 1 for the others, D."""
    return (torch.rand(len(probabilities), generator=generator) >= probabilities).float()
