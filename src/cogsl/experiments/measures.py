"""What a run measures beside its predictions, for some figures of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cogsl.cost import Cost, GraphSize
from cogsl.errors import InputError
from cogsl.evaluation.protocol import evaluate

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier

Measure = Callable[["NodeClassifier", "Graph", int], dict[str, Any]]
"""Of a fitted method, the graph it was given and the seed: what is added to the run's record."""


def nothing(method: NodeClassifier, graph: Graph, seed: int) -> dict[str, Any]:
    """Return nothing: the predictions are all."""
    return {}


def information(method: NodeClassifier, graph: Graph, seed: int) -> dict[str, Any]:
    """Return the MI of each pair of views in the kept iteration, and ``mi``, their mean."""
    kept = method.history_[method.best_iter_]
    pairs = {name: value for name, value in kept.items() if name.startswith("mi_")}
    return pairs | {"mi": sum(pairs.values()) / len(pairs)}


def views(method: NodeClassifier, graph: Graph, seed: int) -> dict[str, Any]:
    """Return ``views``: the figures of a fresh GCN on each view, given, estimated and final."""
    from cogsl.experiments.view_judge import GCNOnView, views_of
    from cogsl.methods import CoGSL

    if not isinstance(method, CoGSL):
        raise InputError(f"Only CoGSL has views to judge. Got {type(method).__name__} instead.")
    judged = {
        name: evaluate(GCNOnView(view=view), graph, seed=seed)
        for name, view in views_of(method, graph, seed).items()
    }
    kept = ("macro_f1", "micro_f1", "auc", "accuracy")
    return {"views": {name: {k: record[k] for k in kept} for name, record in judged.items()}}


MEASURES: dict[str, Measure] = {
    "classification": nothing,
    "information": information,
    "views": views,
}


def cost_of(name: str, method: NodeClassifier, size: GraphSize) -> Cost:
    """Return what a measure needs when a run on a graph of that size has ended."""
    from cogsl.experiments.view_judge import judging
    from cogsl.methods import CoGSL

    if MEASURES[name] is views and isinstance(method, CoGSL):
        return judging(method, size)
    return Cost(0.0, 0.0)
