"""``cogsl inspect``: what a graph of one's own looks like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogsl.cli import source
from cogsl.cli.formatting_graphs import format_inspection
from cogsl.cli.printing import clean_exit, print_line, print_result


def inspect(
    context: typer.Context,
    nodes: Annotated[
        Path, typer.Argument(metavar="NODES", help="A table of nodes, or a file of a whole graph.")
    ],
    edges: Annotated[
        list[Path] | None, typer.Argument(metavar="[EDGES ...]", help="Tables of edges.")
    ] = None,
    label_column: source.LabelOption = None,
    id_column: source.IdOption = None,
    column: source.ColumnOption = None,
    edge_column: source.EdgeColumnOption = None,
    missing: source.MissingOption = "median",
    scaling: source.ScalingOption = "auto",
    delimiter: source.DelimiterOption = None,
) -> None:
    """Say what is in files: sizes, degrees, parts, homophily, classes, and what is suspicious.

    cogsl inspect nodes.csv edges.csv --label-column topic
    """
    with clean_exit():
        from cogsl.io import inspect_graph

        seen = inspect_graph(source.Source.of(context.params).read())
        print_result(format_inspection(seen, nodes.name))
        for suspicion in seen.suspicions:
            print_line(f"! {suspicion}")
