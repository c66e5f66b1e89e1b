"""Before and after: the given graph beside the learned one, whole and its strongest edges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cogsl.io import Difference, Inspection, NamedGraph, compare_graphs, inspect_graph
from cogsl.report.learned import Learned
from cogsl.sparse.undirected import Edges, edges_of


@dataclass(frozen=True, eq=False)
class Changes:
    """What learning did to the edges.

    Parameters
    ----------
    before : what the given graph looks like.
    edges : of the learned graph; none if the method learns none.
    least : the weight from which on a learned edge stands.
    strongest : the given graph compared with the edges that stand; None if nothing was learned.
    whole : the given graph compared with every pair that the learned one weighs.
    """

    before: Inspection
    edges: Edges
    least: float = 0.0
    strongest: Difference | None = None
    whole: Difference | None = None


def changes_of(learned: Learned) -> Changes:
    """Compare the given graph with the learned one, and with as many of its strongest edges."""
    given = learned.given
    if learned.learned is None:
        nothing = edges_of(given.graph.adjacency).some(np.arange(0))
        return Changes(inspect_graph(given, suspicions=False), nothing)
    edges = edges_of(learned.learned.astype(np.float32))
    edges = edges.some(np.isfinite(edges.weights) & (edges.weights > 0))
    least = least_weight(edges, given.graph.n_edges)
    strongest = compare_graphs(given, _with_edges(given, edges.some(edges.weights >= least)))
    whole = compare_graphs(given, _with_edges(given, edges))
    return Changes(strongest.before, edges, least, strongest, whole)


def least_weight(edges: Edges, n_given: int) -> float:
    """Return the weight from which on there are as many edges as were given, or more that tie.

    It is the least of all if none were given, or no fewer than there are.
    """
    if len(edges) == 0:
        return 0.0
    if not 0 < n_given < len(edges):
        return float(edges.weights.min())
    return float(np.partition(edges.weights, -n_given)[-n_given])


def _with_edges(given: NamedGraph, edges: Edges) -> NamedGraph:
    return replace(given, graph=given.graph.with_edges(edges.matrix(given.graph.n_nodes)))


def rows_of(changes: Changes) -> list[list[str]]:
    """Return the table: what, in the given graph, in the strongest edges, in all pairs."""
    graphs = [changes.before]
    differences = [d for d in (changes.strongest, changes.whole) if d is not None]
    graphs += [difference.after for difference in differences]
    rows = [
        ["Edges", *(f"{seen.edges:,}" for seen in graphs)],
        ["Homophily of the labelled part", *(_share(seen.homophily) for seen in graphs)],
        ["Neighbours, mean", *(f"{seen.degrees[2]:.1f}" for seen in graphs)],
        ["Neighbours, median", *(f"{seen.degrees[1]:g}" for seen in graphs)],
        ["Neighbours, least to most", *(_range(seen) for seen in graphs)],
        ["Isolated nodes", *(f"{seen.isolated:,}" for seen in graphs)],
        ["Connected parts", *(f"{seen.components:,}" for seen in graphs)],
        ["Share of nodes in the largest", *(_percent(seen.largest) for seen in graphs)],
    ]
    if differences:
        rows += [_counted(name, place, differences) for place, name in enumerate(_KINDS)]
        rows.append(["Nodes with another number of neighbours", ""])
        rows[-1] += [f"{difference.moved:,}" for difference in differences]
    return rows


_KINDS = ("Kept edges", "Added edges", "Dropped edges")


def _counted(name: str, place: int, differences: list[Difference]) -> list[str]:
    """Return the row of a kind: how many, and how often these join equal labels."""
    row = [name, ""]
    for found in differences:
        count = (found.kept, found.added, found.dropped)[place]
        alike = found.same_label[place]
        share = "" if math.isnan(alike) else f" ({_percent(alike)})"
        row.append(f"{count:,}{share}")
    return row


def _range(seen: Inspection) -> str:
    return f"{seen.degrees[0]:,} to {seen.degrees[3]:,}"


def _share(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}\u00a0%"
