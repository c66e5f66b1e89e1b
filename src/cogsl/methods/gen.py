"""GEN: graph structure estimation neural networks (Wang et al., 2021).

Rounds of two steps: a GCN is trained on the current graph; then a better graph is inferred from
what the GCN has made of the nodes.

- Structure model, a stochastic block model: P(G) = prod_{i<j} Omega_{c_i c_j}^{G_ij}
  (1 - Omega_{c_i c_j})^{1 - G_ij}, c_i the label of a training node, else the GCN's prediction.
- Observation model: M = 4 observations, the given graph and the KNN graphs of X, of the hidden
  layer H1 and of the output H2. E_ij of them show the pair (i, j). One shows an edge of G with
  probability alpha, and a pair that is no edge with beta.
- EM: Q_ij = Omega alpha^E (1 - alpha)^(M - E) / [the same + (1 - Omega) beta^E (1 - beta)^(M - E)],
  and the updates of Omega, alpha and beta that ``gen_em.maximise`` states.
- The new graph: S_ij = Q_ij where that is at least epsilon, else 0 (the program: 1, else 0).

Left open or changed, and how:

- EM starts from Q = E / M; the authors' program draws Omega, alpha and beta.
- H1 is taken after ReLU and H2 as log-predictions, both without dropout and of the round's best
  epoch on validation nodes (the program: of the best so far). The GCN's weights go on from round to
  round with a fresh optimiser, as in the program.
- KNN graphs are made symmetric, and pairs with a similarity of 0 or less are no neighbours.
- The given graph is an observation whatever its homophily, which only hidden labels could tell. The
  program leaves it out below 0.5, and above adds its edges to every S; the model has neither.
- Pairs that no observation shows share one posterior for each pair of classes. Should it reach
  epsilon, whole blocks would be joined: such pairs are dropped, and a log line tells of it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from torch import Tensor

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.gen_network import Backbone, Trained
from cogsl.methods.gen_structure import Structure, estimate_structure, neighbour_graph, presence
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training import AccuracyRule, Listener, Patience
from cogsl.views.knn import KNN

# On the reference machine, one thread.
_EPOCH_SECONDS = 1.5e-3  # for an epoch, whatever its size
_ENTRY_SECONDS = 1.2e-9  # for an entry of the graph and a column, an epoch
_SPARSE_SECONDS = 1e-9  # for a number of sparse features and a column, an epoch
_DENSE_SECONDS = 2e-10  # the same of dense ones

logger = logging.getLogger("cogsl")


@dataclass(kw_only=True, eq=False)
class GEN(NodeClassifier):
    """Estimates the graph that noisy observations of it are most likely to come from.

    ``learned_graph_`` is the graph that the kept round's GCN was trained on: posteriors as weights,
    or the given graph itself should the first round, which has no other, do best. Weights of the
    given graph matter in that round only; as an observation, an edge is there or not.
    """

    about: ClassVar[About] = About(
        title="GEN",
        paper="Wang et al., Graph Structure Estimation Neural Networks",
        year=2021,
        cost="E + N k, search N^2",
    )
    learns_graph: ClassVar[bool] = True

    hidden: int = setting(16, "hidden size", low=1)
    dropout: float = setting(0.5, "dropout of the hidden layer", low=0.0, high=1.0, open_high=True)
    lr: float = setting(0.01, "learning rate", low=0.0, open_low=True)
    weight_decay: float = setting(5e-4, "weight decay of all layers", low=0.0)
    epochs: int = setting(200, "training epochs of a round", low=1)
    iterations: int = setting(30, "rounds of training and estimating", low=1)
    knn_neighbours: int = setting(
        10, "nearest neighbours that an observation shows, itself included", symbol="k", low=2
    )
    threshold: float = setting(
        0.5, "posteriors below this are no edges", symbol="epsilon", low=0.0, high=1.0
    )
    tolerance: float = setting(0.01, "EM ends when no parameter moves by more than this", low=0.0)
    em_iterations: int = setting(500, "turns of EM at most, each round", low=1)
    patience: int | None = setting(
        None, "stop after this many rounds without a new kept state; 'none' never stops", low=1
    )

    @property
    def max_iterations(self) -> int:
        """How many rounds ``fit`` runs at most."""
        return self.iterations

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: a search of X once, and each round two searches and a GCN."""
        self.validate()
        view = KNN(knn_neighbours=self.knn_neighbours)
        once, widths = view.expect(size), (self.hidden, size.classes)
        layers = [view.expect(replace(size, features=w, feature_entries=None)) for w in widths]
        entries = size.entries + 3 * once.symmetric + size.nodes
        likely = entries - 1.5 * once.symmetric  # the observations share pairs
        seconds = _EPOCH_SECONDS + _ENTRY_SECONDS * likely * sum(widths)
        product = _DENSE_SECONDS if size.feature_entries is None else _SPARSE_SECONDS
        seconds += product * size.multiplied * self.hidden
        seconds = self.epochs * seconds + sum(layer.seconds for layer in layers)
        lasting = size.feature_bytes + 5 * (size.entries + 3 * once.symmetric)
        peak = lasting + 60 * entries + 24 * size.nodes * sum(widths)
        return Estimate(
            views=Cost(slowness() * once.seconds, lasting + size.feature_bytes),
            iteration=Cost(slowness() * seconds, peak),
            iterations=self.iterations,
            result=Cost(0.0, peak),
            remedy="Lower 'knn_neighbours'.",
        )

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        listener.on_phase("observations")
        given = [presence(graph.adjacency), neighbour_graph(graph.features, self.knn_neighbours)]
        backbone = Backbone(graph, hidden=self.hidden, rate=self.dropout, seeds=seeds)
        rule, waiting, adjacency = AccuracyRule(), Patience(self.patience), graph.adjacency
        best: tuple[int, sp.csr_array, Tensor] | None = None
        self.history_ = []
        for iteration in range(self.iterations):
            start = time.perf_counter()
            listener.on_phase("classifier")
            trained = backbone.train(
                adjacency, epochs=self.epochs, lr=self.lr, weight_decay=self.weight_decay
            )
            if trained is None:
                logger.info("Round %d diverged; training ends there.", iteration)
                break
            figures = trained.figures
            kept = rule.keeps(accuracy=figures["val_accuracy"], loss=figures["val_loss"])
            if kept:
                best = iteration, adjacency, trained.output
            listener.on_phase("structure")
            structure = self._structure(graph, given, trained)
            record = {"iteration": iteration} | _figures(trained, adjacency, structure)
            record |= {"kept": kept, "seconds": time.perf_counter() - start}
            self.history_.append(record)
            listener.on_iteration(record)
            if waiting.is_over(kept=kept):
                break
            adjacency = structure.graph
        self._store(graph, best)

    def _structure(self, graph: Graph, given: list[sp.csr_array], trained: Trained) -> Structure:
        """Estimate a graph from the given observations and the GCN's two layers."""
        layers = (trained.hidden.numpy(), trained.output.numpy())
        learned = [neighbour_graph(layer, self.knn_neighbours) for layer in layers]
        classes = trained.output.argmax(dim=1).numpy()
        classes[graph.train] = graph.labels[graph.train]
        return estimate_structure(
            given + learned,
            classes,
            graph.n_classes,
            threshold=self.threshold,
            tolerance=self.tolerance,
            max_iterations=self.em_iterations,
        )

    def _store(self, graph: Graph, best: tuple[int, sp.csr_array, Tensor] | None) -> None:
        """Set the fitted attributes."""
        if best is None:
            raise DivergedError.never_finite("lr")
        self.n_iter_, (self.best_iter_, adjacency, output) = len(self.history_), best
        self.probabilities_ = output.double().exp().numpy()
        self.learned_graph_ = graph.with_edges(adjacency)


def _figures(trained: Trained, adjacency: sp.csr_array, structure: Structure) -> dict[str, Any]:
    """Return a round's figures: those of the GCN on its graph, and of the estimate that follows."""
    parameters = structure.fit.parameters
    return {
        "epoch": trained.epoch,
        "loss": trained.loss,
        **trained.figures,
        "edges": int(np.count_nonzero(adjacency.data)) // 2,
        "alpha": parameters.alpha,
        "beta": parameters.beta,
        "log_likelihood": structure.fit.likelihoods[-1],
        "em_turns": len(structure.fit.likelihoods) - 1,
        "unobserved_pairs": structure.unobserved,
    }
