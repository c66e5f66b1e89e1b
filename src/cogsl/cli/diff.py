"""``cogsl diff``: two graphs, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogsl.cli.formatting_graphs import format_graph_difference
from cogsl.cli.printing import clean_exit, print_result


def diff(
    before: Annotated[Path, typer.Argument(help="A file of a whole graph: npz, graphml, mtx.")],
    after: Annotated[Path, typer.Argument(help="Another one on the same nodes.")],
    label_column: Annotated[
        str | None, typer.Option(help="The attribute of the labels, in GraphML.")
    ] = None,
) -> None:
    """Compare two graphs: edges kept, added and dropped, neighbours, parts, homophily.

    cogsl diff given.npz learned.npz
    """
    with clean_exit():
        from cogsl.io import NodeColumns, compare_graphs, read_graph

        columns = NodeColumns(label=label_column)
        graphs = [read_graph(path, node_columns=columns) for path in (before, after)]
        found = compare_graphs(*graphs)
        print_result(format_graph_difference(found, before.name, after.name))
