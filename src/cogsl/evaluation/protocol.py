"""One run: fit on train and validation labels, then look at the test labels once."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cogsl.errors import EmptySplitError
from cogsl.evaluation import memory, provenance
from cogsl.metrics import score

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier
    from cogsl.training.listener import Listener

Record = dict[str, Any]


def evaluate(
    method: NodeClassifier,
    graph: Graph,
    *,
    seed: int,
    listener: Listener | None = None,
    context: Mapping[str, Any] | None = None,
    fit_options: Mapping[str, Any] | None = None,
    needs_test: bool = True,
) -> Record:
    """Fit ``method`` on ``graph`` and return one record of the run, ready for JSON.

    The method gets a copy of the graph in which only train and validation labels are left, so it
    cannot read a test label. The record holds

    - ``macro_f1``, ``micro_f1``, ``auc``, ``accuracy`` of the test nodes, as shares, and the same
      of the validation nodes with ``val_`` before the name;
    - ``seconds`` of ``fit``, ``peak_memory`` of the process in bytes, ``n_iter``, ``best_iter``;
    - ``method``, ``settings`` (all of them, resolved), ``seed``, ``split_seed``;
    - ``graph``, ``graph_hash``, ``versions``, ``commit``.

    ``context`` holds what only the caller knows (``split_seed``, the data set's name ...); it is
    added to the record and has the last word. ``fit_options`` go to ``fit`` as they are.
    Unless ``needs_test``, a graph without test nodes will do, whose record has no test figures.
    """
    given = dict(context or {})
    _check_evaluable(graph, needs_test=needs_test)
    visible = hide_test_labels(graph)
    memory.reset_peak()
    start = time.perf_counter()
    method.fit(visible, seed=seed, listener=listener, **(fit_options or {}))
    seconds = time.perf_counter() - start
    return {
        **given,  # here for its place, at the end for its values
        **_origin(method, graph, seed),
        **_scores(method, graph),
        "seconds": seconds,
        "peak_memory": memory.peak_bytes(),
        "n_iter": method.n_iter_,
        "best_iter": method.best_iter_,
        **given,
    }


def hide_test_labels(graph: Graph) -> Graph:
    """Return a copy whose labels outside train and validation are -1, and without test nodes."""
    labels = np.full_like(graph.labels, -1)
    seen = np.concatenate([graph.train, graph.val])
    labels[seen] = graph.labels[seen]
    return dataclasses.replace(graph, labels=labels, test=graph.test[:0])


def _check_evaluable(graph: Graph, *, needs_test: bool) -> None:
    """Raise for a graph that cannot be trained on, or lacks the test nodes that it needs."""
    graph.check_trainable()
    if needs_test and len(graph.test) == 0:
        raise EmptySplitError(
            "The test part of the split is empty, so nothing can be evaluated. "
            "Give test nodes with 'graph.with_split(train, val, test)'."
        )


def _scores(method: NodeClassifier, graph: Graph) -> dict[str, float]:
    """Return validation and test figures. The only place where test labels are read."""
    probabilities = method.predict_proba()
    validation = score(graph.labels[graph.val], probabilities[graph.val])
    test = score(graph.labels[graph.test], probabilities[graph.test]) if len(graph.test) else {}
    return {**test, **{f"val_{name}": value for name, value in validation.items()}}


def _origin(method: NodeClassifier, graph: Graph, seed: int) -> Record:
    """Return all that is needed to make the run again."""
    return {
        "method": type(method).__name__,
        "settings": method.get_params(),
        "seed": seed,
        "split_seed": None,
        "graph": graph.name,
        "graph_hash": provenance.content_hash(graph),
        "versions": provenance.versions(),
        "commit": provenance.commit(),
    }
