"""The graph generator of LDS: one Bernoulli probability for each candidate edge."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from cogsl.graph import Graph
from cogsl.sparse import Pattern, union
from cogsl.sparse.double import Pairs
from cogsl.sparse.neighbours import nearest_neighbours


class Generator:
    """Draws graphs: edge {i, j} is there with probability theta_ij = theta_ji.

    Parameters
    ----------
    pairs : the candidate edges, E.
    probabilities : theta, E.
    """

    def __init__(self, pairs: Pairs, probabilities: Tensor) -> None:
        self.pairs, self.probabilities = pairs, probabilities

    def draw(self, probabilities: Tensor, *, generator: torch.Generator) -> Tensor:
        """Draw a graph, 0 or 1 for each pair; its gradient goes straight through to theta."""
        chance = probabilities.detach()
        there = torch.rand(len(self.pairs), generator=generator) < chance
        return there.to(chance.dtype) + (probabilities - chance)

    def draw_many(self, count: int, *, generator: torch.Generator) -> Iterator[Tensor]:
        """Draw some graphs, one after another."""
        return (self.draw(self.probabilities, generator=generator) for _ in range(count))

    def descend(self, gradient: Tensor, lr: float) -> None:
        """Step against the gradient and project: theta <- Proj_[0, 1](theta - eta G).

        Where the gradient is no finite number theta stays as it is.
        """
        step = lr * gradient.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
        self.probabilities = (self.probabilities - step).clamp_(0.0, 1.0)


def make_generator(
    graph: Graph, *, candidates: str, neighbours: int, start_neighbours: int, chance: float
) -> Generator:
    """Return the generator that draws the given graph, and may come to draw other edges.

    Parameters
    ----------
    graph : its edges have probability 1; of a graph without edges, the nearest neighbours.
    candidates : "all" pairs of nodes, or those that are "near" by cosine.
    neighbours : how many are near, the node itself not counted.
    start_neighbours : how many are joined to a node of a graph without edges.
    chance : probability of the other candidates.
    """
    start = graph.adjacency
    if start.nnz == 0:
        start = nearest_neighbours(graph.features, start_neighbours + 1)
    if candidates == "all":
        others = _all_pairs(graph.n_nodes)
    else:
        others = nearest_neighbours(graph.features, neighbours + 1)
    together = union([Pattern.from_scipy(matrix) for matrix in (start, others)])
    pairs, given = Pairs.from_scipy(together.to_scipy()), Pairs.from_scipy(start)
    probabilities = torch.full((len(pairs),), chance)
    probabilities[pairs.upper.positions_of(given.upper).long()] = 1.0
    return Generator(pairs, probabilities)


def _all_pairs(n: int) -> sp.csr_array:
    """Return a matrix that stores every pair i < j, N x N."""
    rows, columns = np.triu_indices(n, 1)
    ones = np.ones(len(rows), dtype=np.float32)
    return sp.coo_array((ones, (rows, columns)), shape=(n, n)).tocsr()
