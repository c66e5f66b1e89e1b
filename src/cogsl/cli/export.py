"""``cogsl export``: the learned graph of a model as a file of another format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cogsl.cli.fit import AllOption, ByOption, Choice, LeastOption, NumberOption, PerNodeOption
from cogsl.cli.printing import clean_exit, print_line


def export(
    model: Annotated[Path, typer.Argument(metavar="FOLDER", help="What 'cogsl fit' has left.")],
    output: Annotated[
        Path, typer.Argument(metavar="FILE", help="csv, tsv, jsonl, parquet, graphml, mtx or npz.")
    ],
    n_edges: NumberOption = None,
    least: LeastOption = None,
    per_node: PerNodeOption = None,
    all_edges: AllOption = False,
    by: ByOption = "both",
) -> None:
    """Write the learned graph in a format of your choice.

    cogsl export out learned.graphml --per-node 10
    """
    with clean_exit():
        choice = Choice(n_edges, least, per_node, all_edges, by)
        from cogsl.experiments.model import Model
        from cogsl.io import write_graph

        fitted = Model.load(model)
        chosen = choice.of(fitted)
        learned = fitted.named.graph.with_edges(chosen)
        write_graph(output, replace(fitted.named, graph=learned))
        print_line(f"{chosen.nnz // 2} edges in {output.resolve()}")
