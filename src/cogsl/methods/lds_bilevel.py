"""Both levels of LDS on their way: the edge probabilities, and the GCN that is trained on them."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
from torch import Tensor

from cogsl.errors import EmptySplitError
from cogsl.graph import Graph
from cogsl.methods.lds_generator import Generator
from cogsl.methods.lds_inner import Problem, Unrolled, unroll
from cogsl.seeding import Seeds

IntArray = npt.NDArray[np.int64]


class Bilevel:
    """The variables of Algorithm 1: theta, which stays, and w, which starts anew now and then.

    Parameters
    ----------
    problem : the inner problem and the outer loss.
    edges : the generator, whose probabilities are theta.
    sizes : hidden size and number of classes.
    seeds : draw the weights, the graphs and dropout.
    """

    def __init__(
        self, problem: Problem, edges: Generator, *, sizes: tuple[int, int], seeds: Seeds
    ) -> None:
        self.edges = edges
        self._problem, self._sizes = problem, sizes
        self._weights, self._dropout = seeds.torch("weights"), seeds.torch("dropout")
        self._graphs, self._samples = seeds.torch("graphs"), seeds.torch("samples")
        self.restart()

    def restart(self) -> None:
        """Draw the GCN's weights anew."""
        self.state = self._problem.start(*self._sizes, generator=self._weights)

    def descend(self, *, steps: int, lr: float) -> Unrolled:
        """Take some steps of w, and then one of theta."""
        unrolled = unroll(
            self._problem,
            self.state,
            self.edges.probabilities,
            steps=steps,
            draw=partial(self.edges.draw, generator=self._graphs),
            generator=self._dropout,
        )
        self.state = unrolled.state
        self.edges.descend(unrolled.gradient, lr)
        return unrolled

    def predict(self, samples: int) -> Tensor:
        """Return the logarithm of the mean prediction over some drawn graphs, N x C."""
        graphs = self.edges.draw_many(samples, generator=self._samples)
        return self._problem.mean_prediction(self.state.weights, graphs)


def split_validation(graph: Graph, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return two halves of the validation nodes: one judges the edges, the other when to stop.

    Each class is split evenly, up to one node.
    """
    if len(graph.val) < 2:
        raise EmptySplitError(
            "The 'val' part of the split must hold at least two nodes, as LDS learns edges from "
            f"half of them. Got {len(graph.val)} instead."
        )
    shuffled = generator.permutation(graph.val)
    ordered = shuffled[np.argsort(graph.labels[shuffled], kind="stable")]
    return np.sort(ordered[1::2]), np.sort(ordered[::2])
