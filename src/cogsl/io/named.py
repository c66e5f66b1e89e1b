"""A graph, and what its numbers stand for."""

from __future__ import annotations

from dataclasses import dataclass

from cogsl.graph import Graph
from cogsl.io.features import FeatureEncoder


@dataclass(frozen=True, eq=False)
class NamedGraph:
    """A graph whose nodes, classes and features have names.

    Parameters
    ----------
    graph : the nodes are numbered in the order of ``nodes``, the classes in that of ``classes``.
    nodes : one name a node.
    classes : one name a class.
    features : one name a feature.
    encoder : how a table's columns became the features; None if they came as numbers.
    id_column : the column of that table which holds the nodes' names, if one does.
    """

    graph: Graph
    nodes: tuple[str, ...]
    classes: tuple[str, ...]
    features: tuple[str, ...]
    encoder: FeatureEncoder | None = None
    id_column: str | None = None

    @classmethod
    def numbered(cls, graph: Graph) -> NamedGraph:
        """Return a graph whose nodes, classes and features are named by their numbers."""
        counts = (graph.n_nodes, max(graph.n_classes, 0), graph.n_features)
        nodes, classes, features = (tuple(map(str, range(n))) for n in counts)
        return cls(graph, nodes, classes, features)
