"""IDGL: iterative deep graph learning (Chen, Wu and Zaki, NeurIPS 2020), with and without anchors.

In each epoch a graph and embeddings are learned in turns (their Algorithm 1): the first graph A^(1)
comes from the features, the t-th from the embeddings of the turn before, and each is combined with
the given graph and with the first one; the turns end when the graph hardly moves.

- similarity and threshold: ``idgl_metric``; regularisation: ``idgl_graphs.Regulariser``;
- combination: ``idgl_network.mixed``; when turns end: ``idgl_network.relative_change``;
- loss: L = L^(1) + 1/T' sum over the T' later turns of L^(t), each L^(t) = cross-entropy + L_G^(t);
- IDGL-Anch: ``idgl_graphs.AnchorGraph``; memory and the time of an epoch are linear in N. Only
  ``learned_graph_`` is read off all pairs, once, at the end, in blocks of rows.

L_G takes the learned graph as it is, before f, and always the raw features X.

The full version looks at all pairs. A^(1) is sparse and held; A^(t), of which two entries in three
may be above the threshold, is made anew in blocks for each product. So memory grows with N and the
entries of A^(1); with smoothness, one constant N x N matrix X X^T is held beside.

Equations are not numbered here, as the paper's text was not at hand; they were held against the
authors' published program and settings. Left open, and decided here, mostly as there:

- the given graph has self-loops, L0 = D^-1/2 (A0 + I) D^-1/2, and one without edges is replaced by
  that of nearest neighbours; layers have no bias; the embeddings have a metric of their own;
- dropout is part of Z, and so of the next graph, with a rate of its own in the later turns;
- the epoch with the lowest validation loss is kept: accuracy is noise while the network still
  learns to tell classes apart;
- defaults are the authors' for a citation network, except later dropout, the learning rate and the
  first epochs without turns, which validation chose, and with anchors the regulariser, which is
  theirs for a larger network;
- unlike theirs, anchors are drawn once, not in each epoch, so that predictions are those of one
  graph; dropout of features and graphs, used on one data set, is left out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from cogsl.cost import Estimate, GraphSize
from cogsl.errors import DivergedError, SettingValueError
from cogsl.graph import Graph
from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.idgl_cost import expected_cost
from cogsl.methods.idgl_network import Learner, Network, Turn
from cogsl.methods.idgl_result import learned_adjacency
from cogsl.methods.idgl_settings import IDGLSettings
from cogsl.nn import feature_matrix
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix
from cogsl.training import LabelledNodes, Listener, LossRule, Patience, adam, descend
from cogsl.views.base import propagation


class Kept(NamedTuple):
    """The epoch that is kept: its number, the parameters after it, its log-predictions."""

    epoch: int
    state: dict[str, Tensor]
    output: Tensor


@dataclass(kw_only=True, eq=False)
class IDGL(IDGLSettings, NodeClassifier):
    """Learns a graph from similar features and embeddings, in turns with the embeddings.

    ``learned_graph_`` holds the largest entries of each row of the last turn's combined graph.
    """

    about: ClassVar[About] = About(
        title="IDGL",
        paper="Chen et al., Iterative Deep Graph Learning for Graph Neural Networks",
        year=2020,
        cost="N^2, or N s",
    )
    learns_graph: ClassVar[bool] = True

    @property
    def max_iterations(self) -> int:
        """How many epochs ``fit`` runs at most."""
        return self.epochs

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        super().validate()
        if self.warm_up >= self.epochs:
            raise SettingValueError(
                f"The 'first_epochs' setting of IDGL must be below 'epochs', {self.epochs}, as "
                f"none of them is kept. Got {self.first_epochs} instead."
            )

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` on a graph of that size needs."""
        self.validate()
        return expected_cost(self, size)

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        listener.on_phase("preparation")
        network, nodes = self._network(graph, seeds), LabelledNodes(graph)
        kept = self._train(network, nodes, seeds.torch("dropout"), listener)
        if kept is None:
            raise DivergedError.never_finite("lr")
        listener.on_phase("learned graph")
        self.n_iter_, self.best_iter_ = len(self.history_), kept.epoch
        self.probabilities_ = kept.output.double().exp().numpy()
        network.load_state_dict(kept.state)
        self.learned_graph_ = self._learned(graph, network)

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        """Return the network of this graph, untrained."""
        generator = seeds.torch("weights")
        anchors = None
        n_anchors = self.anchors_for(graph.n_nodes)
        if n_anchors is not None:
            chosen = seeds.numpy("anchors").permutation(graph.n_nodes)[:n_anchors]
            anchors = torch.from_numpy(chosen).sort().values
        learner = Learner(
            feature_matrix(graph.features, torch.float32),
            hidden=self.hidden,
            heads=self.heads,
            threshold=self.epsilon,
            anchors=anchors,
            generator=generator,
        )
        return Network(
            self._given(graph),
            learner,
            n_classes=graph.n_classes,
            skip=self.skip,
            update=self.update,
            rate=self.dropout,
            later_rate=self.later_dropout,
            generator=generator,
        )

    def _given(self, graph: Graph) -> SparseMatrix:
        """Return L0, of the given graph or of nearest neighbours where that has no edge."""
        if graph.n_edges == 0:
            graph = Graph.from_features(graph.features, neighbours=self.knn_neighbours)
        return propagation(graph.adjacency)

    def _train(
        self,
        network: Network,
        nodes: LabelledNodes,
        noise: torch.Generator,
        listener: Listener,
    ) -> Kept | None:
        """Train until patience ends; return the best epoch, None if no loss was ever finite."""
        rule, waiting, kept = LossRule(), Patience(self.patience), None
        step = _Step(self, network, nodes, noise)
        self.history_ = []
        listener.on_phase("training")
        for epoch in range(self.epochs):
            start = time.perf_counter()
            most = self.turns_in(epoch)
            record: dict[str, Any] = {"iteration": epoch} | step(most)
            *_, last = self._turns(network, most)
            record |= nodes.judge(last.output)
            is_kept = epoch >= self.warm_up and rule.keeps(
                accuracy=record["val_accuracy"], loss=record["val_loss"]
            )
            if is_kept:
                state = {k: v.detach().clone() for k, v in network.state_dict().items()}
                kept = Kept(epoch, state, last.output)
            record |= {"kept": is_kept, "seconds": time.perf_counter() - start}
            self.history_.append(record)
            listener.on_iteration(record)
            if epoch >= self.warm_up and waiting.is_over(kept=is_kept):
                break
        return kept

    @torch.no_grad()
    def _turns(self, network: Network, most: int) -> list[Turn]:
        """Return the turns without dropout and gradient, so many after the first at most."""
        turns = network.turns(most=most, tolerance=self.tolerance, generator=None)
        return list(turns)

    def _learned(self, graph: Graph, network: Network) -> Graph:
        """Return the graph of the last turn."""
        first, *later = self._turns(network, self.max_turns)
        adjacency = learned_adjacency(
            network.given,
            first.graph,
            later[-1].graph if later else None,
            skip=self.skip,
            update=self.update,
            most=self.kept_neighbours,
        )
        return graph.with_edges(adjacency)


class _Step:
    """One step down the loss of all turns."""

    def __init__(
        self, settings: IDGL, network: Network, nodes: LabelledNodes, noise: torch.Generator
    ) -> None:
        self._settings, self._network, self._nodes, self._noise = settings, network, nodes, noise
        weights = settings.weights_for(network.given.shape[0])
        self._regularise = network.learner.regulariser(*weights)
        self._optimiser = adam(
            network.parameters(), lr=settings.lr, weight_decay=settings.weight_decay
        )

    def __call__(self, most: int) -> dict[str, float]:
        """Take the step; return the loss and how many turns, of ``most``, followed the first."""
        turns = self._network.turns(
            most=most,
            tolerance=self._settings.tolerance,
            generator=self._noise,
        )
        first, *later = [self._loss(turn) for turn in turns]
        loss = first + torch.stack(later).mean() if later else first
        descend(loss, self._optimiser)
        return {"loss": float(loss.detach()), "turns": len(later)}

    def _loss(self, turn: Turn) -> Tensor:
        """Return L^(t): cross-entropy on the training nodes, and L_G."""
        output = turn.output.index_select(0, self._nodes.train)
        return nll_loss(output, self._nodes.train_labels) + self._regularise(turn.graph)
