"""The nodes of a page: their names and figures, who is confused with whom, who is uncertain."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cogsl.graph import Graph
from cogsl.io import NamedGraph
from cogsl.report.learned import Learned
from cogsl.report.packing import Packed, pack_integers, pack_shares, pack_texts

MOST_CLASSES = 30  # of a whole matrix; of more classes the commonest mistakes are listed
MOST_MISTAKES = 50
N_UNCERTAIN = 25
NAME_LENGTHS = (500, 200, 100, 60, 40, 24, 12)  # tried in turn until the names are short enough

IntArray = npt.NDArray[np.int64]


def pack_nodes(learned: Learned, most_bytes: int) -> dict[str, Any]:
    """Return the nodes as the page's script reads them; class and part are 0 where unknown."""
    graph = learned.given.graph
    parts = np.zeros(graph.n_nodes, dtype=np.int64)
    for number, nodes in enumerate((graph.train, graph.val, graph.test), start=1):
        parts[nodes] = number
    names, longest = pack_names(learned.given, most_bytes)
    fusion = learned.fusion_weights
    shares = [] if fusion is None else [pack_shares(column) for column in fusion.T]
    return {
        "count": graph.n_nodes,
        "names": names,
        "longest_name": longest,
        "labels": pack_integers(graph.labels + 1),
        "predictions": pack_integers(learned.predicted + 1),
        "parts": pack_integers(parts),
        "confidence": pack_shares(learned.confidence),
        "fusion": shares,
    }


def pack_names(given: NamedGraph, most_bytes: int) -> tuple[Packed, int | None]:
    """Return the names, cut to some length if they need too many bytes, and that length.

    Names that are too long even so are left out, and the page shows the nodes' numbers.
    """
    whole = pack_texts(list(given.nodes))
    if len(whole["data"]) <= most_bytes:
        return whole, None
    for length in NAME_LENGTHS:
        cut = [name if len(name) <= length else f"{name[: length - 1]}…" for name in given.nodes]
        packed = pack_texts(cut)
        if len(packed["data"]) <= most_bytes:
            return packed, length
    return pack_texts([]), 0


def judged_part(graph: Graph) -> tuple[str, IntArray]:
    """Return the nodes by which predictions are judged: of the test, else of the validation."""
    for name, nodes in (("test", graph.test), ("validation", graph.val)):
        labelled = nodes[graph.labels[nodes] >= 0]
        if len(labelled):
            return name, labelled
    return "test", graph.test[:0]


def confusion_of(learned: Learned) -> dict[str, Any]:
    """Return how often each class was taken for each: rows are labels, columns predictions."""
    part, nodes = judged_part(learned.given.graph)
    labels, predicted = learned.given.graph.labels[nodes], learned.predicted[nodes]
    n = len(learned.given.classes)
    found: dict[str, Any] = {
        "part": part,
        "nodes": len(nodes),
        "right": int(sum(labels == predicted)),
    }
    pairs, counts = np.unique(labels * n + predicted, return_counts=True)
    if n <= MOST_CLASSES:
        matrix = np.zeros(n * n, dtype=np.int64)
        matrix[pairs] = counts
        return found | {"matrix": matrix.reshape(n, n)}
    wrong = pairs // n != pairs % n
    pairs, counts = pairs[wrong], counts[wrong]
    order = np.argsort(-counts, kind="stable")[:MOST_MISTAKES]
    rows = np.stack([pairs // n, pairs % n, counts], axis=1)[order]
    return found | {"mistakes": rows, "all_mistakes": len(pairs)}


def uncertain_nodes(learned: Learned) -> list[list[int | float]]:
    """Return the nodes outside the training set whose best class is least probable.

    Each as node, its most probable class and the next one, and the probabilities of both.
    """
    is_trained = np.zeros(learned.given.graph.n_nodes, dtype=bool)
    is_trained[learned.given.graph.train] = True
    order = np.lexsort((learned.confidence, is_trained))[:N_UNCERTAIN]
    rows: list[list[int | float]] = []
    for node in order[~is_trained[order]].tolist():
        row = learned.probabilities[node]
        first, second = np.argsort(-row, kind="stable")[[0, min(1, len(row) - 1)]].tolist()
        shares = (round(float(row[first]), 4), round(float(row[second]), 4))
        rows.append([node, first, second, *shares])
    return rows
