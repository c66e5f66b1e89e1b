"""What CoGSL trains on: the whole graph, or batches of its clusters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cogsl.fusion import FusionPlan
from cogsl.graph import Graph
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.nn import FeatureMatrix, Propagated, feature_matrix
from cogsl.seeding import Seeds
from cogsl.sparse.clusters import cluster_nodes
from cogsl.training import LabelledNodes
from cogsl.view_estimator import EstimationPlan
from cogsl.views import VIEWS, BasicView, Change, View


@dataclass(frozen=True, eq=False)
class Part:
    """Some nodes with the pairs among them, ready for training.

    Parameters
    ----------
    features : X of these nodes, n x D.
    nodes : which of them are labelled.
    basic : the basic views with these features.
    plans : one for each view.
    fusion_plan : how the views come together.
    index : the numbers of these nodes in the graph, ascending; None if they are all.
    """

    features: FeatureMatrix
    nodes: LabelledNodes
    basic: tuple[Propagated, ...]
    plans: tuple[EstimationPlan, ...]
    fusion_plan: FusionPlan
    index: Tensor | None = None

    @classmethod
    def of(cls, settings: CoGSLSettings, graph: Graph, basic: Sequence[BasicView]) -> Part:
        """Return the part that holds every node."""
        features = feature_matrix(graph.features, number_type(settings))
        return cls._of(settings, features, LabelledNodes(graph), basic)

    @classmethod
    def among(
        cls, index: Tensor, settings: CoGSLSettings, graph: Graph, basic: Sequence[BasicView]
    ) -> Part:
        """Return the part of some ascending nodes; pairs with other nodes are left out."""
        at = index.numpy()
        views = [BasicView(v.matrix[at][:, at], v.scope[at][:, at]) for v in basic]
        features = feature_matrix(graph.features[at], number_type(settings))
        part = cls._of(settings, features, LabelledNodes(graph).among(index), views)
        return dataclasses.replace(part, index=index)

    @classmethod
    def _of(
        cls,
        settings: CoGSLSettings,
        features: FeatureMatrix,
        nodes: LabelledNodes,
        basic: Sequence[BasicView],
    ) -> Part:
        dtype, loops = number_type(settings), settings.self_loops
        plans = tuple(EstimationPlan.of(view, dtype, self_loops=loops) for view in basic)
        propagated = tuple(Propagated(plan.basic, features) for plan in plans)
        fusion_plan = FusionPlan.of([plan.pattern for plan in plans])
        return cls(features, nodes, propagated, plans, fusion_plan)

    @property
    def n_nodes(self) -> int:
        """Number of nodes in this part."""
        return self.features.shape[0]


class ClusterBatches:
    """Batches of some clusters each, drawn anew in each iteration until every cluster had its turn.

    The edges between the clusters of a batch are kept. A part is made when its turn comes, and
    nothing but the basic views and the features is as large as the graph.
    """

    def __init__(
        self, settings: CoGSLSettings, graph: Graph, basic: Sequence[BasicView], seeds: Seeds
    ) -> None:
        self.basic = basic
        self._graph, self._settings = graph, settings
        self._size = settings.clusters_per_batch
        self._order = seeds.numpy("batches")
        self._n_clusters = settings.clusters
        self._cluster = cluster_nodes(graph.adjacency, settings.clusters, seed=seeds.seed)

    def __iter__(self) -> Iterator[Part]:
        order = self._order.permutation(self._n_clusters)
        for start in range(0, self._n_clusters, self._size):
            index = self._nodes_of(order[start : start + self._size])
            if index.numel():
                yield Part.among(index, self._settings, self._graph, self.basic)

    def _nodes_of(self, clusters: np.ndarray) -> Tensor:
        """Return the nodes of some clusters, ascending."""
        chosen = np.zeros(self._n_clusters, dtype=np.bool_)
        chosen[clusters] = True
        return torch.from_numpy(np.flatnonzero(chosen[self._cluster]))


Parts = Part | ClusterBatches


def make_parts(
    settings: CoGSLSettings, graph: Graph, seeds: Seeds, changes: Sequence[Change | None] = ()
) -> Parts:
    """Return what an iteration goes through: the whole graph, or one batch after the other."""
    if not settings.in_batches:
        return whole_graph(settings, graph, seeds, changes)
    return ClusterBatches(settings, graph, build_views(settings, graph, seeds, changes), seeds)


def number_type(settings: CoGSLSettings) -> torch.dtype:
    """Return the type of all numbers in training."""
    return torch.float64 if settings.precision == "float64" else torch.float32


def whole_graph(
    settings: CoGSLSettings, graph: Graph, seeds: Seeds, changes: Sequence[Change | None] = ()
) -> Part:
    """Return the part that holds every node."""
    return Part.of(settings, graph, build_views(settings, graph, seeds, changes))


def build_views(
    settings: CoGSLSettings, graph: Graph, seeds: Seeds, changes: Sequence[Change | None] = ()
) -> list[BasicView]:
    """Build the basic views that the settings name, each with its change if there are any."""
    views = views_of(settings)
    pairs = zip(views, changes or [None] * len(views), strict=True)
    return [
        view.build(graph, generator=seeds.numpy(f"view {number}"), change=change)
        for number, (view, change) in enumerate(pairs)
    ]


def views_of(settings: CoGSLSettings) -> list[View]:
    """Return the views that the settings name, each with its own settings."""
    made = []
    for name, scope in zip(settings.views, settings.per_view(settings.scope), strict=True):
        kind = VIEWS[name]
        others = (f.name for f in dataclasses.fields(kind) if f.name != "scope")
        values = {other: getattr(settings, other) for other in others}
        made.append(kind(**values, **{"scope": int(scope)}))
    return made
