"""Which score tells right edges from wrong ones: ``python -m benchmarks.edges --dataset citeseer``.

After one fit with the defaults: how often a score ranks a pair of one class above a pair of two
(the area under the ROC curve), among pairs of training and validation nodes that the learned graph
joins, given ones and others apart; and what as many edges as were given look like, if they are the
strongest by that score. No test label is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.table import Table

from benchmarks.grid import print_table

if TYPE_CHECKING:
    from cogsl.experiments.learned_edges import LearnedEdges
    from cogsl.graph import Graph


def learn(dataset: str, seed: int, settings: Mapping[str, object]) -> tuple[Graph, LearnedEdges]:
    """Fit with the defaults; return the graph, its test labels hidden, and the edges."""
    from cogsl import datasets
    from cogsl.evaluation.protocol import hide_test_labels
    from cogsl.experiments.learned_edges import LearnedEdges
    from cogsl.methods.cogsl import CoGSL

    graph = hide_test_labels(datasets.load(dataset, settings=settings))
    return graph, LearnedEdges.of(CoGSL().fit(graph, seed=seed), graph)


def ranks(graph: Graph, edges: LearnedEdges, title: str) -> Table:
    """Return how often each score ranks a pair of one class above a pair of two."""
    from sklearn.metrics import roc_auc_score

    from cogsl.experiments.learned_edges import SCORES

    labels = graph.labels
    known = (labels[edges.low] >= 0) & (labels[edges.high] >= 0) & (edges.learned > 0)
    alike = labels[edges.low] == labels[edges.high]
    table = Table(title=f"{title}: a pair of one class above a pair of two, in percent")
    for head in ("pairs", "how many", "of one class", *SCORES):
        table.add_column(head)
    for name, is_given in (("given", edges.given > 0), ("others", edges.given == 0)):
        some = np.flatnonzero(known & is_given)
        scores = [roc_auc_score(alike[some], edges.score(by)[some]) for by in SCORES]
        shares = (f"{100 * share:.1f}" for share in (alike[some].mean(), *scores))
        table.add_row(name, str(len(some)), *shares)
    return table


def chosen(graph: Graph, edges: LearnedEdges, title: str) -> Table:
    """Return what as many edges as were given look like, if they are the strongest by a score."""
    from cogsl.experiments.learned_edges import SCORES
    from cogsl.io import NamedGraph, compare_graphs

    named = NamedGraph.numbered(graph)
    table = Table(title=f"{title}: the strongest edges, and the share that joins equal labels")
    for head in ("by", "homophily", "kept", "added", "dropped", "isolated nodes"):
        table.add_column(head)
    for by in SCORES:
        left = edges.choose(graph.n_nodes, by=by, n_edges=graph.n_edges)
        found = compare_graphs(named, replace(named, graph=graph.with_edges(left)))
        counts = zip((found.kept, found.added, found.dropped), found.same_label, strict=True)
        shown = (f"{count:,} ({100 * share:.0f} %)" for count, share in counts)
        homophily = f"{found.before.homophily:.3f} to {found.after.homophily:.3f}"
        isolated = f"{found.before.isolated} to {found.after.isolated}"
        table.add_row(by, homophily, *shown, isolated)
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    seed: Annotated[int, typer.Option(help="of the fit")] = 0,
    set_: Annotated[list[str] | None, typer.Option("--set", help="of 'synthetic'")] = None,
) -> None:
    """Print two tables a data set."""
    from cogsl.experiments.presets import parse_assignments

    settings = {**parse_assignments(set_ or [])}
    for name in dataset:
        graph, edges = learn(name, seed, settings)
        title = " ".join([name, *(set_ or []), f"seed {seed}"])
        print_table(ranks(graph, edges, title))
        print_table(chosen(graph, edges, title))


if __name__ == "__main__":
    typer.run(main)
