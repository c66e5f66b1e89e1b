"""KNN-GCN: a two-layer GCN on the feature graph, whatever graph was given.

The graph joins each node to the k nodes whose features are most alike by cosine. It shows what
likeness alone is worth as a structure; Franceschi et al. (2019) compare with it as kNN-GCN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cogsl.cost import Estimate, GraphSize
from cogsl.graph import Graph
from cogsl.methods.base import About
from cogsl.methods.base_supervised import Network, SupervisedClassifier
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.views.knn import KNN


@dataclass(kw_only=True, eq=False)
class KNNGCN(SupervisedClassifier):
    """A two-layer GCN on the graph of nearest neighbours."""

    about: ClassVar[About] = About(
        title="KNN-GCN",
        paper="Franceschi et al., Learning Discrete Structures for Graph Neural Networks",
        year=2019,
        cost="N k",
    )
    reads_edges: ClassVar[bool] = False
    reads_weights: ClassVar[bool] = False

    knn_neighbours: int = setting(
        20, "nearest neighbours a node is joined to, itself included", symbol="k", low=1
    )

    def estimate(self, size: GraphSize) -> Estimate:
        """Return what ``fit`` needs: the search, then a GCN on its graph."""
        self.validate()
        view = KNN(knn_neighbours=self.knn_neighbours).expect(size)
        messages = int(view.symmetric) + size.nodes
        widths = (self.hidden, size.classes)
        return self._expect(size, messages=messages, widths=widths, preparation=view.seconds)

    def _network(self, graph: Graph, seeds: Seeds) -> Network:
        near = Graph.from_features(graph.features, neighbours=self.knn_neighbours)
        return self._gcn(near.adjacency, graph, seeds)
