"""LDS: learning discrete structures for graph neural networks (Franceschi et al., 2019).

A bilevel program over edge probabilities theta and the weights w of a two-layer GCN:

    min over theta in [0, 1]^E of   E_{A ~ Ber(theta)} F(w_theta, A)
    where w_theta = argmin over w of  E_{A ~ Ber(theta)} L(w, A)

L is the regularised loss of the training nodes, F that of half of the validation nodes. As in the
paper's Algorithm 1, w takes tau steps, each on a graph drawn anew; then theta takes one step,

    theta <- Proj_[0, 1](theta - eta G),

where G is the gradient of F through these tau steps, with straight-through estimates for the drawn
edges; and so on until the other half of the validation nodes sees no progress, when w starts anew
and theta stays. That half also chooses the state that is kept. Predictions are the mean of the
predicted probabilities over S graphs drawn from theta.

What is ours, or was left open:

- Candidates. The paper has a probability for all N (N - 1) / 2 pairs (``candidates="all"``). By
  default ours are the given edges, with probability 1, and each node's nearest neighbours by
  cosine, with probability 0; all others stay out. Time and memory then grow with the edges.
- A graph without edges starts from nearest neighbours, as the paper's KNN-LDS does.
- The inner steps are Adam's, and G goes through Adam's averages as well as the weights.
- Weight decay is for both layers; F has neither decay nor dropout.
- eta and its decay, which the paper tunes, were chosen by validation accuracy.
- The halves of the validation nodes have the same share of each class, up to one node.
- Progress is looked at once for each step of theta, by accuracy and, of equals, loss.
- Weights of given edges play no part: an edge is there or it is not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.lds_bilevel import Bilevel, IntArray, split_validation
from cogsl.methods.lds_generator import Generator, make_generator
from cogsl.methods.lds_inner import Problem
from cogsl.nn import feature_matrix
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import AccuracyRule, LabelledNodes, Listener, Patience
from cogsl.views.knn import KNN

# On the reference machine, one thread.
_NUMBER_SECONDS = 2.5e-9  # for a number that a product multiplies
_STEP_SECONDS, _SAMPLE_SECONDS = 8e-3, 1e-3  # whatever the size, for a step and a drawn graph
_STEP_PASSES = 4  # products on the candidates in an inner step, for each in a prediction
_MAKING_SECONDS, _MAKING_BYTES = 3e-7, 120  # to put the candidates in order, for each

_LEAST = 1e-3  # an edge that is less probable is left out of the learned graph


class Kept(NamedTuple):
    """The iteration that is kept: its number, theta after it, its log-predictions."""

    iteration: int
    probabilities: Tensor
    output: Tensor


@dataclass(kw_only=True, eq=False)
class LDS(NodeClassifier):
    """Learns the probability of each candidate edge, and a GCN on graphs drawn from it.

    An iteration is one step of theta: tau inner steps, the hypergradient through them, and a look
    at the validation nodes. ``val_accuracy`` and ``val_loss`` are those of the half that chooses.
    """

    about: ClassVar[About] = About(
        title="LDS",
        paper="Franceschi et al., Learning Discrete Structures for Graph Neural Networks",
        year=2019,
        cost="E + N k",
    )
    learns_graph: ClassVar[bool] = True
    reads_weights: ClassVar[bool] = False

    hidden: int = setting(16, "hidden size", low=1)
    dropout: float = setting(0.5, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    input_dropout: float = setting(
        0.0, "dropout of the features", low=0.0, high=1.0, open_high=True
    )
    lr: float = setting(0.01, "learning rate of the GCN", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of both layers", low=0.0)
    iterations: int = setting(300, "steps of the edge probabilities at most", low=1)
    inner_steps: int = setting(
        5, "steps of the GCN for each of the edge probabilities", symbol="tau", low=1
    )
    outer_lr: float = setting(
        10.0, "learning rate of the edge probabilities, at first", symbol="eta", low=0.0
    )
    outer_decay: float = setting(
        0.99, "what is left of it after an iteration", low=0.0, high=1.0, open_low=True
    )
    samples: int = setting(16, "graphs that are drawn for a prediction", symbol="S", low=1)
    inner_patience: int = setting(
        20, "train the GCN anew after this many iterations without progress", low=1
    )
    patience: int | None = setting(
        None, "stop after this many iterations without a new kept state; 'none' never stops", low=1
    )
    candidates: str = setting(
        "near",
        "pairs that may become edges, beside the given: near ones, or all as in the paper",
        choices=("near", "all"),
    )
    candidate_neighbours: int = setting(
        10, "nearest neighbours by cosine that may become a node's edges", symbol="k", low=0
    )
    candidate_chance: float = setting(
        0.0, "probability of a candidate that is no given edge, at first", low=0.0, high=1.0
    )
    start_neighbours: int = setting(
        5, "nearest neighbours a node is joined to where no edges are given", low=1
    )

    @property
    def max_iterations(self) -> int:
        """How many steps the edge probabilities take at most."""
        return self.iterations

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: it grows with the candidates, which are pairs of nodes."""
        self.validate()
        pairs, search = self._expected_pairs(size)
        widths, weights = self.hidden + size.classes, self.hidden * size.features
        lasting = 2 * size.feature_bytes + 28 * pairs
        held = 20 * pairs + 100 * size.nodes * widths + 80 * weights
        peak = lasting + self.inner_steps * held + 65 * pairs
        passes = _STEP_PASSES * self.inner_steps + self.samples
        work = passes * (2 * pairs + 3 * size.nodes) * widths
        work += 4 * self.inner_steps * self.hidden * (size.multiplied + 10 * size.features)
        seconds = _STEP_SECONDS * self.inner_steps + _SAMPLE_SECONDS * self.samples
        seconds += _NUMBER_SECONDS * work
        making = lasting + _MAKING_BYTES * pairs
        return Estimate(
            views=Cost(slowness() * (search + _MAKING_SECONDS * pairs), making),
            iteration=Cost(slowness() * seconds, peak),
            iterations=self.iterations,
            result=Cost(0.0, lasting),
            remedy="Lower 'candidate_neighbours' or 'inner_steps', or take 'candidates=near'.",
        )

    def _expected_pairs(self, size: GraphSize) -> tuple[int, float]:
        """Return how many candidates there will be, and the seconds of the search for them."""
        n, near = size.nodes, self.candidate_neighbours + 1
        if self.candidates == "all":
            return n * (n - 1) // 2, 0.0
        view = KNN(knn_neighbours=near).expect(size)
        return size.entries // 2 + int(view.symmetric) // 2, view.seconds

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        """Run Algorithm 1, and keep the best state."""
        listener.on_phase("candidates")
        outer, stopping = split_validation(graph, seeds.numpy("halves"))
        edges = self._generator(graph)
        problem = self._problem(graph, edges, outer)
        bilevel = Bilevel(problem, edges, sizes=(self.hidden, graph.n_classes), seeds=seeds)
        judges = LabelledNodes(graph.with_split(graph.train, stopping, graph.test))
        listener.on_phase("training")
        kept = self._train(bilevel, judges, listener)
        if kept is None:
            raise DivergedError.never_finite("lr")
        self.n_iter_, self.best_iter_ = len(self.history_), kept.iteration
        self.probabilities_ = kept.output.double().exp().numpy()
        self.learned_graph_ = _learned(graph, edges, kept.probabilities)

    def _train(self, bilevel: Bilevel, judges: LabelledNodes, listener: Listener) -> Kept | None:
        """Descend on both levels; where the GCN makes no progress, train it anew."""
        overall, waiting, kept = AccuracyRule(), Patience(self.patience), None
        run, run_waiting, restarts = AccuracyRule(), Patience(self.inner_patience), 0
        self.history_ = []
        for iteration in range(self.iterations):
            start = time.perf_counter()
            lr = self.outer_lr * self.outer_decay**iteration
            found = bilevel.descend(steps=self.inner_steps, lr=lr)
            output = bilevel.predict(self.samples)
            record: dict[str, Any] = {"iteration": iteration, "restarts": restarts}
            record |= {"loss": found.inner_loss, "outer_loss": found.outer_loss}
            record |= judges.judge(output)
            figures = {"accuracy": record["val_accuracy"], "loss": record["val_loss"]}
            is_kept = overall.keeps(**figures)
            if is_kept:
                kept = Kept(iteration, bilevel.edges.probabilities.clone(), output)
            record["edges"] = float(bilevel.edges.probabilities.sum())
            record |= {"kept": is_kept, "seconds": time.perf_counter() - start}
            self.history_.append(record)
            listener.on_iteration(record)
            if waiting.is_over(kept=is_kept):
                break
            if run_waiting.is_over(kept=run.keeps(**figures)):
                bilevel.restart()
                run, run_waiting = AccuracyRule(), Patience(self.inner_patience)
                restarts += 1
        return kept

    def _generator(self, graph: Graph) -> Generator:
        return make_generator(
            graph,
            candidates=self.candidates,
            neighbours=self.candidate_neighbours,
            start_neighbours=self.start_neighbours,
            chance=self.candidate_chance,
        )

    def _problem(self, graph: Graph, edges: Generator, outer: IntArray) -> Problem:
        return Problem(
            pairs=edges.pairs,
            features=feature_matrix(graph.features, torch.float32),
            train=_labelled(graph, graph.train),
            outer=_labelled(graph, outer),
            lr=self.lr,
            weight_decay=self.weight_decay,
            rate=self.dropout,
            input_rate=self.input_dropout,
        )


def _labelled(graph: Graph, nodes: IntArray) -> tuple[Tensor, Tensor]:
    """Return some nodes and their labels."""
    return torch.tensor(nodes), torch.tensor(graph.labels[nodes])


def _learned(graph: Graph, edges: Generator, probabilities: Tensor) -> Graph:
    """Return the graph whose weights are the edges' probabilities."""
    upper = edges.pairs.upper.to_scipy(probabilities)
    upper.data = np.where(upper.data > _LEAST, upper.data, 0.0).astype(np.float32)
    upper.eliminate_zeros()
    return graph.with_edges(upper + upper.T)
