"""Which score tells right edges from wrong ones: ``python -m benchmarks.edges --dataset citeseer``.

After one fit with the defaults: how often a score ranks a pair of one class above a pair of two
(the area under the ROC curve), among pairs of training and validation nodes that the learned graph
joins, given ones and others apart. No test label is read.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from benchmarks.grid import print_table


def measure(dataset: str, seed: int) -> Table:
    """Fit, and return the table."""
    from sklearn.metrics import roc_auc_score

    from cogsl import datasets
    from cogsl.evaluation.protocol import hide_test_labels
    from cogsl.experiments.learned_edges import LearnedEdges
    from cogsl.methods.cogsl import CoGSL

    graph = hide_test_labels(datasets.load(dataset))
    edges = LearnedEdges.of(CoGSL().fit(graph, seed=seed), graph)
    labels = graph.labels
    known = (labels[edges.low] >= 0) & (labels[edges.high] >= 0) & (edges.learned > 0)
    alike = labels[edges.low] == labels[edges.high]
    table = Table(
        title=f"{dataset}, seed {seed}: a pair of one class above a pair of two, in percent"
    )
    for head in ("pairs", "how many", "of one class", "learned weight", "agreement"):
        table.add_column(head)
    for name, is_given in (("given", edges.given > 0), ("others", edges.given == 0)):
        some = np.flatnonzero(known & is_given)
        scores = (roc_auc_score(alike[some], s[some]) for s in (edges.learned, edges.agreement))
        shares = (f"{100 * share:.1f}" for share in (alike[some].mean(), *scores))
        table.add_row(name, str(len(some)), *shares)
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    seed: Annotated[int, typer.Option(help="of the fit")] = 0,
) -> None:
    """Print a table a data set."""
    for name in dataset:
        print_table(measure(name, seed))


if __name__ == "__main__":
    typer.run(main)
