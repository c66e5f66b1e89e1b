"""What methods share that learn embeddings without labels: a linear probe reads the classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.base import NodeClassifier
from cogsl.settings import setting
from cogsl.training import (
    SCALINGS,
    STRENGTHS,
    LabelledNodes,
    Listener,
    linear_probe,
    train_unsupervised,
)


@dataclass(kw_only=True, eq=False)
class ProbedClassifier(NodeClassifier):
    """Trains without labels; of the probed epochs the best on validation nodes is kept."""

    epochs: int = setting(200, "training epochs at most", low=1)
    patience: int | None = setting(
        None, "stop after this many epochs without a new lowest loss; 'none' never stops", low=1
    )
    probe_every: int = setting(10, "epochs from one probe of the embeddings to the next", low=1)
    strengths: tuple[float, ...] = setting(
        STRENGTHS,
        "inverse regularisation of the probe, each tried in turn",
        symbol="C",
        low=0.0,
        open_low=True,
    )
    scaling: str = setting("none", "how the probe scales embeddings", choices=SCALINGS)

    @property
    def max_iterations(self) -> int:
        """How many epochs ``fit`` runs at most."""
        return self.epochs

    def _train(
        self,
        step: Callable[[], float],
        embed: Callable[[], Tensor],
        graph: Graph,
        listener: Listener,
    ) -> None:
        """Call ``step`` (returns the loss) each epoch, probe ``embed()`` now and then, and store.

        The embeddings are those of all nodes, N x d, without a gradient.
        """
        nodes = LabelledNodes(graph)
        outcome = train_unsupervised(
            step,
            lambda: linear_probe(
                embed(),
                nodes,
                graph.n_classes,
                strengths=self.strengths,
                scaling=self.scaling,
            ),
            epochs=self.epochs,
            probe_every=self.probe_every,
            patience=self.patience,
            listener=listener,
        )
        if outcome.probe is None:
            raise DivergedError.never_finite("lr")
        self.history_, self.n_iter_ = outcome.history, len(outcome.history)
        self.best_iter_, self.learned_graph_ = outcome.best_iteration, None
        self.probabilities_ = outcome.probe.probabilities
