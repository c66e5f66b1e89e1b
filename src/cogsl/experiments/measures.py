"""What is measured in a run: how well it predicts, and what else a figure needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cogsl.errors import InputError
from cogsl.evaluation.protocol import Record, evaluate

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier

Measure = Callable[["NodeClassifier", "Graph", int, Mapping[str, Any], Mapping[str, Any]], Record]


def classification(
    method: NodeClassifier,
    graph: Graph,
    seed: int,
    context: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Record:
    """Return the figures of the predictions."""
    return evaluate(method, graph, seed=seed, context=context, fit_options=options)


def information(
    method: NodeClassifier,
    graph: Graph,
    seed: int,
    context: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Record:
    """Return them with ``mi``, the mean over pairs of views of the MI in the kept iteration."""
    record = classification(method, graph, seed, context, options)
    kept = method.history_[method.best_iter_]
    pairs = {name: value for name, value in kept.items() if name.startswith("mi_")}
    return record | pairs | {"mi": sum(pairs.values()) / len(pairs)}


def views(
    method: NodeClassifier,
    graph: Graph,
    seed: int,
    context: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Record:
    """Return them with ``views``: macro-F1, micro-F1 and AUC of a fresh GCN on each view."""
    from cogsl.experiments.view_judge import GCNOnView, views_of
    from cogsl.methods import CoGSL

    record = classification(method, graph, seed, context, options)
    if not isinstance(method, CoGSL):
        raise InputError(f"Only CoGSL has views to judge. Got '{context['method']}' instead.")
    judged = {
        name: evaluate(GCNOnView(view=view), graph, seed=seed)
        for name, view in views_of(method, graph, seed).items()
    }
    kept = ("macro_f1", "micro_f1", "auc", "accuracy")
    return record | {"views": {n: {k: r[k] for k in kept} for n, r in judged.items()}}


MEASURES: dict[str, Measure] = {
    "classification": classification,
    "information": information,
    "views": views,
}
