"""What pages are made of in the tests: six nodes by hand, and as many as one likes at random."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.io import NamedGraph
from cogsl.report.page import Learned

LABELS = [0, 0, 1, 1, 1, -1]
GIVEN = [(0, 1), (1, 2), (2, 3), (3, 4)]
WEIGHTS = {(0, 1): 0.9, (2, 3): 0.8, (0, 2): 0.7, (3, 5): 0.6, (1, 2): 0.2, (4, 5): 0.1}
"""Of the four strongest two were given; 1-2 is weak and 3-4 is gone: both count as dropped."""

RECORD: dict[str, Any] = {
    "method": "cogsl",
    "seed": 7,
    "settings": {"tau": 0.2, "views": ("adjacency", "knn")},
    "versions": {"python": "3.11"},
    "commit": None,
    "n_iter": 3,
    "best_iter": 1,
    "accuracy": 0.5,
}
HISTORY = [
    {
        "iteration": k,
        "eta": 0.1,
        "mi_1_2": mi,
        "loss_view": 1 - mi,
        "val_accuracy": 0.5,
        "kept": True,
    }
    for k, mi in enumerate((0.1, 0.3, 0.4))
]


def matrix(weights: dict[tuple[int, int], float], n: int) -> csr_array:
    """Return the symmetric matrix of some edges."""
    ends = np.array([*weights, *((j, i) for i, j in weights)]).reshape(-1, 2)
    values = np.array([*weights.values()] * 2, dtype=np.float32)
    return csr_array((values, (ends[:, 0], ends[:, 1])), shape=(n, n))


def tiny(**changes: Any) -> Learned:
    """Return a page's input of six nodes, a to f, of two classes; changes replace fields."""
    graph = Graph.from_edges(
        np.array(GIVEN).T, n_nodes=6, labels=LABELS, train=[0, 2], val=[1], test=[3, 4], name="tiny"
    )
    probabilities = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7], [0.55, 0.45], [0.45, 0.55]]
    shares = np.linspace(0, 1, 6)
    whole = Learned(
        given=NamedGraph(graph, tuple("abcdef"), ("x", "y"), tuple("123456")),
        learned=matrix(WEIGHTS, 6),
        probabilities=np.array(probabilities),
        fusion_weights=np.stack([shares, 1 - shares], axis=1),
        view_names=("adjacency", "knn"),
        history=HISTORY,
        record=RECORD,
    )
    return replace(whole, **changes)


def named(learned: Learned, **names: Any) -> Learned:
    """Return the same with other names of nodes or classes."""
    return replace(learned, given=replace(learned.given, **names))


def regraphed(learned: Learned, **changes: Any) -> Learned:
    """Return the same with another split or other labels."""
    return named(learned, graph=replace(learned.given.graph, **changes))


def large(n: int, *, degree: int = 10, extra: int = 5, seed: int = 0) -> Learned:
    """Return n nodes of five classes with random edges, of which some are lost and others found.

    A learned graph has most of the given edges and for each node some ``extra`` more.
    """
    rng = np.random.default_rng(seed)
    labels, order = rng.integers(0, 5, n), rng.permutation(n)
    given, added = (rng.integers(0, n, (2, n * k // 2)) for k in (degree, 2 * extra))
    graph = Graph.from_edges(
        given,
        features=np.ones((n, 1), dtype=np.float32),
        labels=labels,
        train=order[:100],
        val=order[100:300],
        test=order[300:1300],
        name="random",
    )
    learned = np.concatenate([given[:, rng.random(given.shape[1]) < 0.9], added], axis=1)
    weights = rng.gamma(2.0, 0.05, learned.shape[1]) + 1e-4
    names = tuple(f"node-{number:07d}" for number in (97 * rng.permutation(n)).tolist())
    fusion = rng.random(n)
    return Learned(
        given=NamedGraph(graph, names, tuple("vwxyz"), ("1",)),
        learned=Graph.from_edges(learned, n_nodes=n, weights=weights).adjacency,
        probabilities=0.5 * (rng.dirichlet(np.ones(5), n) + np.eye(5)[labels]),
        fusion_weights=np.stack([fusion, 1 - fusion], axis=1),
        view_names=("adjacency", "diffusion"),
        history=HISTORY,
        record=RECORD,
    )


def data_of(page: str) -> Any:
    """Return the data that stands in a page."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(text)


def unpacked(packed: dict[str, Any]) -> Any:
    """Return a packed array, or list of texts, as the page's script reads it."""
    data = zlib.decompress(base64.b64decode(packed["data"]))
    if packed["kind"] == "text":
        return json.loads(data)
    width, length = packed["width"], packed["length"]
    planes = np.frombuffer(data, dtype=np.uint8).reshape(width, length)
    return np.ascontiguousarray(planes.T).reshape(-1).view(f"<{packed['kind']}{width}")


def edges_in(page: str) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the edges that stand in a page, with the weights in either graph, 0 for none."""
    edges = data_of(page)["edges"]
    counts, distances = unpacked(edges["counts"]), unpacked(edges["distances"])
    low = np.repeat(np.arange(len(counts)), counts)
    found, at = {}, -1
    steps: dict[str, npt.NDArray[Any]] = {
        name: np.concatenate([[0.0], unpacked(edges[f"{name}_steps"])])
        for name in ("given", "learned")
    }
    places = {name: unpacked(edges[name]) for name in steps}
    for e, i in enumerate(low.tolist()):
        at = int(distances[e]) + (i if e == 0 or low[e - 1] != i else at)
        weights = tuple(float(steps[name][places[name][e]]) for name in ("given", "learned"))
        found[(i, at)] = (weights[0], weights[1])
    return found
