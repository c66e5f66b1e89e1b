"""How good a view is: a fresh two-layer GCN is trained on it as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import scipy.sparse as sp
import torch
from torch import Tensor, nn

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.graph import Graph
from cogsl.methods import cogsl_parts
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.methods.cogsl_cost import count
from cogsl.nn import GCNClassifier, Propagated, feature_matrix
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix

if TYPE_CHECKING:
    from cogsl.methods import CoGSL


@dataclass(kw_only=True, eq=False)
class GCNOnView(SupervisedClassifier):
    """A two-layer GCN on a normalised matrix; the graph's own edges play no part."""

    about: ClassVar[About] = About(
        title="GCN on a view", paper="Kipf and Welling, GCN", year=2017, cost="E"
    )
    reads_edges: ClassVar[bool] = False

    view: sp.csr_array = field(repr=False)

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs."""
        return self.expect(size, self.view.nnz)

    def expect(self, size: GraphSize, entries: float) -> Estimate:
        """Return what ``fit`` needs on a view of so many entries."""
        return self._expect(size, messages=round(entries), widths=(self.hidden, size.classes))

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        return _OnView(self, graph, seeds.torch("weights"))


class _OnView(nn.Module):
    """O = log softmax(V ReLU(V X W0 + b0) W1 + b1), V the view."""

    def __init__(self, settings: GCNOnView, graph: Graph, generator: torch.Generator) -> None:
        super().__init__()
        self.view = SparseMatrix.from_scipy(settings.view, torch.float32)
        features = feature_matrix(graph.features, torch.float32)
        self.propagated = Propagated(self.view, features)
        self.classifier = GCNClassifier(
            graph.n_features,
            settings.hidden,
            graph.n_classes,
            rate=settings.dropout,
            bias=True,
            generator=generator,
            dtype=torch.float32,
        )

    def forward(self, *, generator: torch.Generator | None) -> Tensor:
        """Return log-predictions for all nodes, N x C; no generator, no dropout."""
        smoothed = self.propagated(self.classifier.first)
        output: Tensor = self.classifier(self.view, smoothed, generator=generator)
        return output


def views_of(method: CoGSL, graph: Graph, seed: int) -> dict[str, sp.csr_array]:
    """Return the views of a fitted method by name: as given, estimated, and the final one.

    The given ones are made anew, from the same seed.
    """
    basic = cogsl_parts.build_views(method, graph, Seeds(seed), method.view_changes_)
    names = {f"V{k + 1}_ori": view.matrix for k, view in enumerate(basic)}
    names |= {f"V{k + 1}_es": view for k, view in enumerate(method.estimated_views_)}
    return names | {"final": method.final_view_}


def judging(method: CoGSL, size: GraphSize) -> Cost:
    """Return what it takes to make all views of a method's run anew and to judge them."""
    given = [view.expect(size) for view in cogsl_parts.views_of(method)]
    entries = [view.entries for view in given] + [view.symmetric for view in given]
    entries.append(count(method, size, given).union)
    judge = GCNOnView(view=sp.csr_array((size.nodes, size.nodes)))
    judged = [judge.expect(size, each) for each in entries]
    making = slowness() * sum(view.seconds for view in given)
    seconds = making + sum(estimate.seconds for estimate in judged)
    return Cost(seconds, max(estimate.peak_bytes for estimate in judged))
