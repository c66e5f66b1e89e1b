"""What a graph looks like before anything is trained, and what is suspicious about it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from cogsl.graph import Features, Graph
from cogsl.io.named import NamedGraph
from cogsl.io.tables import listed

_LEAST_LABELLED = 20  # with fewer, any column may tell them apart by chance
_LEAK_COLUMNS = 20  # the columns that tell most about the label, which are looked at closely
_LEAK = 0.99  # share of the labelled nodes that one column puts into the right class
_FEW = 5  # labelled nodes of a class, below which little can be learned of it


@dataclass(frozen=True)
class Inspection:
    """What was seen.

    Parameters
    ----------
    nodes, edges, features : how many.
    stored : share of the features that are not 0.
    degrees : least, median, mean and largest number of neighbours.
    isolated : nodes without any.
    components : connected parts; ``largest`` is the share of nodes in the largest.
    labelled : nodes with a label.
    homophily : share of the edges between labelled nodes that join equal ones; NaN without any.
    classes : labelled nodes of each class, by name.
    suspicions : what should be looked at, in words.
    """

    nodes: int
    edges: int
    features: int
    stored: float
    degrees: tuple[int, float, float, int]
    isolated: int
    components: int
    largest: float
    labelled: int
    homophily: float
    classes: dict[str, int]
    suspicions: tuple[str, ...]


def inspect_graph(named: NamedGraph, *, suspicions: bool = True) -> Inspection:
    """Look at a graph from all sides; nothing takes longer than a sort of its features.

    Without ``suspicions`` none are looked for.
    """
    graph = named.graph
    degrees = np.diff(graph.adjacency.indptr)
    components, part = connected_components(graph.adjacency, directed=False)
    known = graph.labels[graph.labels >= 0]
    counts = np.bincount(known, minlength=len(named.classes))
    return Inspection(
        nodes=graph.n_nodes,
        edges=graph.n_edges,
        features=graph.n_features,
        stored=_stored(graph.features),
        degrees=(
            int(degrees.min()),
            float(np.median(degrees)),
            float(degrees.mean()),
            int(degrees.max()),
        ),
        isolated=int(np.count_nonzero(degrees == 0)),
        components=int(components),
        largest=float(np.bincount(part).max() / graph.n_nodes),
        labelled=len(known),
        homophily=graph.homophily,
        classes=dict(zip(named.classes, counts.tolist(), strict=True)),
        suspicions=tuple(_suspicions(named, counts)) if suspicions else (),
    )


def _stored(features: Features) -> float:
    count = features.nnz if isinstance(features, csr_array) else np.count_nonzero(features)
    return float(count / max(1, features.shape[0] * features.shape[1]))


def _suspicions(named: NamedGraph, counts: npt.NDArray[np.int64]) -> list[str]:
    """Return what should be looked at."""
    graph, found = named.graph, []
    constant = [named.features[k] for k in constant_columns(graph.features)]
    if constant:
        found.append(f"Columns that are the same for all nodes: {listed(constant)}.")
    twins = duplicate_rows(graph.features)
    if twins:
        found.append(f"{twins} nodes have the same features as another one.")
    leaks = [named.features[k] for k in leaking_columns(graph)]
    if leaks:
        found.append(
            f"Columns that tell the label by themselves: {listed(leaks)}. Was the label, or what "
            "follows from it, put among the features?"
        )
    few = [name for name, n in zip(named.classes, counts, strict=True) if n < _FEW]
    if few:
        found.append(f"Classes with fewer than {_FEW} labelled nodes: {listed(few)}.")
    if graph.n_edges == 0:
        found.append("There are no edges.")
    elif not np.isnan(graph.homophily) and graph.homophily < _chance(counts):
        found.append(
            "Edges join equal labels less often than chance would: methods that average over "
            "neighbours may do worse than none."
        )
    return found


def _chance(counts: npt.NDArray[np.int64]) -> float:
    """Return how often two labelled nodes drawn at random are equal."""
    shares = counts / max(1, counts.sum())
    return float(np.sum(shares**2))


def constant_columns(features: Features) -> npt.NDArray[np.intp]:
    """Return the columns that have one value."""
    if isinstance(features, csr_array):
        least, most = np.zeros((2, features.shape[1]))
        for ends, found in ((least, features.min(axis=0)), (most, features.max(axis=0))):
            ends[found.coords[-1]] = found.data
        return np.flatnonzero(least == most)
    return np.flatnonzero(features.min(axis=0) == features.max(axis=0))


def duplicate_rows(features: Features) -> int:
    """Return how many rows repeat an earlier one."""
    if isinstance(features, csr_array):
        starts = features.indptr
        rows = {
            features.indices[a:b].tobytes() + features.data[a:b].tobytes()
            for a, b in pairwise(starts)
        }
        return int(features.shape[0]) - len(rows)
    return len(features) - len({row.tobytes() for row in features})


def leaking_columns(graph: Graph) -> list[int]:
    """Return the columns that put nearly all labelled nodes into their class by themselves.

    Of those that differ most between classes, a tree with one leaf a class is grown on each.
    """
    from sklearn.feature_selection import f_classif  # heavy
    from sklearn.tree import DecisionTreeClassifier

    known = np.flatnonzero(graph.labels >= 0)
    labels: Any = graph.labels[known]
    n_classes = len(np.unique(labels))
    if len(known) < _LEAST_LABELLED or n_classes < 2:
        return []
    X: Any = graph.features[known]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of columns that do not vary within a class
        scores = np.nan_to_num(f_classif(X, labels)[0], nan=0.0, posinf=np.inf)
    found = []
    for column in np.argsort(-scores)[:_LEAK_COLUMNS].tolist():
        values = _narrow(X[:, [column]])
        tree = DecisionTreeClassifier(max_leaf_nodes=n_classes, random_state=0)
        if tree.fit(values, labels).score(values, labels) >= _LEAK:
            found.append(column)
    return sorted(found)


def _narrow(column: Any) -> Any:
    """Return a sparse column with indices of 32 bits, the only ones that trees take."""
    if isinstance(column, csr_array):
        parts = (column.data, column.indices.astype(np.int32), column.indptr.astype(np.int32))
        return csr_array(parts, shape=column.shape)
    return column
