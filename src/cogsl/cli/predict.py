"""``cogsl predict``: nodes that training never saw."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogsl.cli import source
from cogsl.cli.formatting_graphs import format_predictions
from cogsl.cli.printing import clean_exit, print_line, print_result
from cogsl.cli.run import set_threads


def predict(
    model: Annotated[Path, typer.Option(metavar="FOLDER", help="What 'cogsl fit' has left.")],
    nodes: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The nodes, with the columns of those that were fitted."),
    ],
    edges: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Edges that join them to known nodes or one another."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default="none", help="Where to write the predictions."),
    ] = None,
    neighbours: Annotated[
        int, typer.Option(min=1, help="Similar nodes that a node without edges is joined to.")
    ] = 20,
    edge_column: source.EdgeColumnOption = None,
    delimiter: source.DelimiterOption = None,
    threads: source.ThreadsOption = None,
) -> None:
    """Predict nodes with a fitted model, without training.

    cogsl predict --model out --nodes new.csv --edges new_edges.csv --output predictions.csv

    New nodes are joined to the graph by their edges, or to similar nodes; nodes that were fitted
    get what the fit predicted.
    """
    with clean_exit():
        from cogsl.experiments.fitting import prediction_table, write_table
        from cogsl.experiments.model import Model
        from cogsl.experiments.records import check_folder
        from cogsl.io.newcomers import read_newcomers

        if output is not None:
            check_folder(output.parent)
        fitted = Model.load(model)
        newcomers = read_newcomers(
            fitted.named,
            nodes,
            edges or (),
            edge_columns=source.parse_edge_columns(edge_column),
            delimiter=delimiter,
        )
        set_threads(threads)
        found = fitted.predict(newcomers, neighbours=neighbours)
        table = prediction_table(newcomers.names, fitted.named.classes, found)
        n_new = int(newcomers.is_new.sum())
        if output is None:
            print_result(format_predictions(table))
        else:
            write_table(output, table)
        known = len(table) - n_new
        where = "" if output is None else f" Predictions in {output.resolve()}"
        print_line(f"{n_new} new nodes predicted, {known} known ones looked up.{where}")
