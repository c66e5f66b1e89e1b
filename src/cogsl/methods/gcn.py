"""GCN: semi-supervised classification with graph convolutional networks (Kipf and Welling, 2017).

H = ReLU(D^-1/2 (A + I) D^-1/2 X W0 + b0),  O = softmax(D^-1/2 (A + I) D^-1/2 H W1 + b1), with
PyTorch Geometric's layers; it learns no graph, and is what a learned graph has to beat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cogsl.cost import Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.seeding import Seeds


@dataclass(kw_only=True, eq=False)
class GCN(SupervisedClassifier):
    """A two-layer GCN on the given graph."""

    about: ClassVar[About] = About(
        title="GCN",
        paper="Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks",
        year=2017,
        cost="E",
    )

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: PyTorch Geometric makes a message for each entry, twice."""
        self.validate()
        messages = size.entries + size.nodes
        return self._expect(size, messages=messages, widths=(self.hidden, size.classes))

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        return self._gcn(graph.adjacency, graph, seeds)
