"""The inner problem of LDS: a GCN trained on sampled graphs, in steps that can be differentiated.

O = softmax(V ReLU(V X W0) W1),  V = D^-1/2 (A + I) D^-1/2

A training step is a function Phi of the state (weights and Adam's averages) and of the edges. It
is written with operations that can be differentiated twice, so that a loss after some steps has a
gradient with respect to the edges of each step: the hypergradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from cogsl.nn import FeatureMatrix, dropout, dropped_features, glorot
from cogsl.sparse.double import NormalisedPairs, Pairs, constant_product

_FORGETS = 0.9, 0.999  # Adam's usual shares of the past
_SMALL = 1e-8  # Adam's usual guard against a division by zero

Weights = tuple[Tensor, ...]
Draw = Callable[[Tensor], Tensor]


class State(NamedTuple):
    """What an inner step changes: the weights, and Adam's averages of gradients and squares."""

    weights: Weights
    means: Weights
    squares: Weights
    n_steps: int = 0

    @classmethod
    def start(cls, weights: Weights) -> State:
        """Return the state before the first step."""
        zeros = tuple(torch.zeros_like(weight) for weight in weights)
        return cls(weights, zeros, zeros)

    def cut(self) -> State:
        """Return the same numbers without a past: where the hypergradient is truncated."""
        weights = tuple(weight.detach().requires_grad_() for weight in self.weights)
        means, squares = (tuple(x.detach() for x in part) for part in (self.means, self.squares))
        return State(weights, means, squares, self.n_steps)


def adam_step(state: State, gradients: Weights, *, lr: float) -> State:
    """Take a step of Adam that can be differentiated.

    m <- b1 m + (1 - b1) g,  u <- b2 u + (1 - b2) g^2,  w <- w - lr m' / sqrt(u' + e^2), where m'
    and u' are m / (1 - b1^t) and u / (1 - b2^t). Usually e stands outside the root, whose
    derivative has no limit where a gradient was always 0.
    """
    n_steps, (b1, b2) = state.n_steps + 1, _FORGETS
    means, squares, weights = [], [], []
    for weight, mean, square, grad in zip(*state[:3], gradients, strict=True):
        means.append(b1 * mean + (1.0 - b1) * grad)
        squares.append(b2 * square + (1.0 - b2) * grad * grad)
        root = (squares[-1] / (1.0 - b2**n_steps) + _SMALL**2).sqrt()
        weights.append(weight - lr / (1.0 - b1**n_steps) * means[-1] / root)
    return State(tuple(weights), tuple(means), tuple(squares), n_steps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A two-layer GCN on candidate edges, its training loss and its outer loss.

    Parameters
    ----------
    pairs : the candidate edges, E.
    features : X, N x D.
    train, outer : nodes with their labels; the first train weights, the second judge edges.
    lr, weight_decay : of the inner steps.
    rate, input_rate : dropout of the hidden layer and of the features.
    """

    pairs: Pairs
    features: FeatureMatrix
    train: tuple[Tensor, Tensor]
    outer: tuple[Tensor, Tensor]
    lr: float
    weight_decay: float
    rate: float = 0.0
    input_rate: float = 0.0

    def start(self, hidden: int, n_classes: int, *, generator: torch.Generator) -> State:
        """Draw the weights."""
        sizes = (self.features.shape[1], hidden), (hidden, n_classes)
        dtype = _dtype_of(self.features)
        weights = (glorot(*size, generator=generator, dtype=dtype) for size in sizes)
        return State.start(tuple(weight.detach() for weight in weights))

    def predict(
        self, weights: Weights, edges: Tensor, *, generator: torch.Generator | None = None
    ) -> Tensor:
        """Return log O, N x C, for a number for each candidate edge; no generator, no dropout."""
        features = dropped_features(self.features, self.input_rate, generator=generator)
        projected = constant_product(features, weights[0])  # N x hidden
        return self._convolve(projected, weights[1], edges, generator)

    def _convolve(
        self, projected: Tensor, second: Tensor, edges: Tensor, generator: torch.Generator | None
    ) -> Tensor:
        """Return log O from X W0."""
        view = NormalisedPairs(self.pairs, edges)
        hidden = dropout((view @ projected).relu(), self.rate, generator=generator)
        return (view @ (hidden @ second)).log_softmax(dim=1)

    @torch.no_grad()
    def mean_prediction(self, weights: Weights, graphs: Iterable[Tensor]) -> Tensor:
        """Return the logarithm of the mean of the graphs' predictions, N x C."""
        projected = constant_product(self.features, weights[0])
        outputs = [self._convolve(projected, weights[1], graph, None) for graph in graphs]
        return torch.stack(outputs).logsumexp(dim=0) - math.log(len(outputs))

    def step(
        self, state: State, edges: Tensor, *, generator: torch.Generator | None
    ) -> tuple[State, Tensor]:
        """Return Phi(state, edges), and the training loss before the step."""
        loss = _loss(self.predict(state.weights, edges, generator=generator), self.train)
        gradients = torch.autograd.grad(loss, state.weights, create_graph=True)
        decayed = tuple(
            gradient + self.weight_decay * weight
            for gradient, weight in zip(gradients, state.weights, strict=True)
        )
        return adam_step(state, decayed, lr=self.lr), loss.detach()

    def outer_loss(self, state: State, edges: Tensor) -> Tensor:
        """Return F: the loss of the outer nodes, without dropout."""
        return _loss(self.predict(state.weights, edges), self.outer)


class Unrolled(NamedTuple):
    """What some inner steps lead to: a state, the hypergradient, and both losses."""

    state: State
    gradient: Tensor
    inner_loss: float
    outer_loss: float


def unroll(
    problem: Problem,
    state: State,
    probabilities: Tensor,
    *,
    steps: int,
    draw: Draw,
    generator: torch.Generator | None,
) -> Unrolled:
    """Take some inner steps, and return with them the hypergradient through all of them.

    G = dF/dA + sum_i dF/dw_t (product over s = i + 1 .. t - 1 of dPhi_s/dw) dPhi_i/dA_i, the sum
    over the last steps i = t - tau .. t - 1, by reverse accumulation (the paper's Algorithm 2).
    Each step, and the outer loss, has a graph of its own from ``draw``.

    Parameters
    ----------
    problem : the inner problem and the outer loss.
    state : where to start; what led to it is left out of the gradient.
    probabilities : theta, E.
    steps : tau.
    draw : makes a graph, E, from the probabilities, and carries the gradient back to them.
    generator : draws dropout.
    """
    theta, state = probabilities.detach().requires_grad_(), state.cut()
    inner_loss = torch.tensor(float("nan"))
    for _ in range(steps):
        state, inner_loss = problem.step(state, draw(theta), generator=generator)
    outer_loss = problem.outer_loss(state, draw(theta))
    (gradient,) = torch.autograd.grad(outer_loss, theta)
    return Unrolled(state.cut(), gradient, float(inner_loss), float(outer_loss.detach()))


def _loss(output: Tensor, nodes: tuple[Tensor, Tensor]) -> Tensor:
    """Return the mean cross-entropy of some nodes with their labels."""
    return nll_loss(output.index_select(0, nodes[0]), nodes[1])


def _dtype_of(features: FeatureMatrix) -> torch.dtype:
    return (features if isinstance(features, Tensor) else features.values).dtype
