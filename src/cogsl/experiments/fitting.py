"""CoGSL on a graph of the user's: fitted, and left in a folder with all that came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from cogsl.datasets.splits import shared_split
from cogsl.errors import EmptySplitError, InputError, LabelError
from cogsl.evaluation.protocol import Record, evaluate
from cogsl.experiments.model import Model
from cogsl.experiments.records import write_record
from cogsl.files import whole_file
from cogsl.io import NamedGraph, write_graph
from cogsl.methods.cogsl import CoGSL
from cogsl.seeding import Seeds

if TYPE_CHECKING:
    from cogsl.training.listener import Listener

PREDICTIONS, LEARNED, CHANGES, RECORD = (
    "predictions.csv",
    "learned_graph.npz",
    "edges.csv",
    "record.json",
)


def split_labels(
    named: NamedGraph, *, val_share: float, test_share: float, seed: int
) -> NamedGraph:
    """Return the graph with its labelled nodes shared out, unless it came with a split."""
    graph = named.graph
    if len(graph.train) and len(graph.val):
        return named
    sizes = np.bincount(graph.labels[graph.labels >= 0])
    if len(sizes) == 0:
        raise LabelError(
            "No node has a label, so there is nothing to learn from. Name the column that holds "
            "them, with --label-column."
        )
    _check_classes(named, sizes)
    train, val, test = shared_split(
        graph.labels,
        val_share=val_share,
        test_share=test_share,
        generator=Seeds(seed).numpy("split"),
    )
    return replace(named, graph=graph.with_split(train, val, test))


def _check_classes(named: NamedGraph, sizes: npt.NDArray[np.int64]) -> None:
    """Refuse labels of which too few are left to choose by."""
    if len(sizes) < 2:
        raise LabelError(
            f"The labels must hold two classes at least. Got only '{named.classes[0]}'."
        )
    if sizes.sum() <= len(sizes):
        raise EmptySplitError(
            f"Each of the {len(sizes)} classes is seen but once, and one label more is needed to "
            "choose the best iteration by. Label some more nodes."
        )


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model, and the record of how it was fitted."""

    model: Model
    record: Record


def fit(
    named: NamedGraph,
    settings: Mapping[str, Any],
    *,
    seed: int = 0,
    listener: Listener | None = None,
    context: Mapping[str, Any] | None = None,
) -> Fitted:
    """Fit CoGSL on a graph whose labelled nodes have been shared out."""
    method = CoGSL(**settings)
    record = evaluate(
        method, named.graph, seed=seed, listener=listener, context=context, needs_test=False
    )
    return Fitted(Model.of(method, named), record)


def prediction_table(
    names: tuple[str, ...], classes: tuple[str, ...], probabilities: npt.NDArray[np.float64]
) -> Any:
    """Return a data frame: node, prediction, confidence, and the probability of each class."""
    import pandas as pd  # heavy

    best = probabilities.argmax(axis=1)
    columns: dict[str, Any] = {
        "node": names,
        "prediction": np.array(classes, dtype=object)[best],
        "confidence": probabilities.max(axis=1),
    }
    columns |= {f"p({name})": probabilities[:, k] for k, name in enumerate(classes)}
    return pd.DataFrame(columns)


def fitted_table(model: Model) -> Any:
    """Return the predictions of all fitted nodes, with their labels and the share of each view."""
    named, method = model.named, model.method
    graph = named.graph
    table = prediction_table(named.nodes, named.classes, method.predict_proba())
    labels = np.array([*named.classes, ""], dtype=object)[graph.labels]
    part = np.full(graph.n_nodes, "", dtype=object)
    for name in ("train", "val", "test"):
        part[getattr(graph, name)] = name
    table.insert(1, "label", labels)
    table.insert(2, "part", part)
    for k, view in enumerate(method.views):
        table[f"share_{k + 1}_{view}"] = method.fusion_weights_[:, k]
    return table


def write_table(path: Path, table: Any) -> None:
    """Write a data frame as CSV."""
    try:
        with whole_file(path) as file:
            table.to_csv(file, index=False, mode="wb")
    except OSError as error:
        raise InputError(f"Cannot write '{path}': {error.strerror}. Give another file.") from error


def write_fitted(folder: Path, fitted: Fitted, chosen: sp.csr_array) -> None:
    """Leave everything in a folder; ``chosen`` is what is kept of the learned graph."""
    model = fitted.model
    write_table(folder / PREDICTIONS, fitted_table(model))
    write_table(folder / CHANGES, model.edges.table(model.named.nodes, chosen))
    learned = replace(model.named, graph=model.named.graph.with_edges(chosen))
    write_graph(folder / LEARNED, learned)
    write_record(folder / RECORD, fitted.record | {"history": model.method.history_})
    model.save(folder)
