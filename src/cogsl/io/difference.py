"""Two graphs on the same nodes, compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cogsl.errors import InputError
from cogsl.io.inspection import Inspection, inspect_graph
from cogsl.io.named import NamedGraph
from cogsl.io.tables import listed
from cogsl.sparse.undirected import edges_of


@dataclass(frozen=True)
class Difference:
    """What one graph has and the other has not.

    Parameters
    ----------
    kept, added, dropped : edges that both have, and that only the second or the first has.
    moved : nodes whose number of neighbours differs.
    same_label : of the kept, added and dropped edges between labelled nodes, the share that joins
        equal labels; NaN without any.
    before, after : what each looks like; suspicions are not looked for.
    """

    kept: int
    added: int
    dropped: int
    moved: int
    same_label: tuple[float, float, float]
    before: Inspection
    after: Inspection


def compare_graphs(before: NamedGraph, after: NamedGraph) -> Difference:
    """Compare two graphs whose nodes have the same names, in whatever order."""
    order = _matched(before, after)
    n = before.graph.n_nodes
    first = edges_of(before.graph.adjacency).numbers(n)
    second = edges_of(after.graph.adjacency[order][:, order]).numbers(n)
    is_kept = np.isin(first, second, assume_unique=True)
    is_old = np.isin(second, first, assume_unique=True)
    groups = (first[is_kept], second[~is_old], first[~is_kept])
    degrees = np.diff(before.graph.adjacency.indptr), np.diff(after.graph.adjacency.indptr)[order]
    kept, added, dropped = (len(group) for group in groups)
    alike = [_alike(group, before.graph.labels, n) for group in groups]
    return Difference(
        kept,
        added,
        dropped,
        int(np.count_nonzero(degrees[0] != degrees[1])),
        (alike[0], alike[1], alike[2]),
        inspect_graph(before, suspicions=False),
        inspect_graph(after, suspicions=False),
    )


def _matched(before: NamedGraph, after: NamedGraph) -> npt.NDArray[np.intp]:
    """Return where the nodes of the first graph stand in the second."""
    place = {name: k for k, name in enumerate(after.nodes)}
    missing = [name for name in before.nodes if name not in place]
    if missing or len(before.nodes) != len(after.nodes):
        other = sorted(set(after.nodes) - set(before.nodes))
        raise InputError(
            "Graphs that are compared must have the same nodes. Only the first has "
            f"{listed(missing) or 'none'}, only the second {listed(other) or 'none'}."
        )
    return np.array([place[name] for name in before.nodes])


def _alike(pairs: npt.NDArray[np.int64], labels: npt.NDArray[np.int64], n: int) -> float:
    """Return the share of pairs of labelled nodes that have equal labels."""
    one, other = labels[pairs // n], labels[pairs % n]
    known = (one >= 0) & (other >= 0)
    return float(np.mean(one[known] == other[known])) if known.any() else float("nan")
