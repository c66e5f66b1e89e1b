"""``cogsl attack``: a worse graph, written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogsl.cli import source
from cogsl.cli.printing import clean_exit, print_line
from cogsl.errors import InputError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from cogsl.io import NamedGraph


def attack(
    graph: Annotated[
        str, typer.Argument(metavar="GRAPH", help="A data set, or a file: npz, graphml, mtx.")
    ],
    kind: Annotated[
        str, typer.Option(metavar="NAME", help="edge_deletion, edge_addition or feature_noise.")
    ],
    output: Annotated[Path, typer.Option(help="The npz file of the attacked graph.")],
    ratio: Annotated[
        float, typer.Option(min=0.0, help="Share of the edges, or of the features' amplitude.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Of the attack.")] = 0,
    split_seed: Annotated[int, typer.Option(min=0, help="Of a data set's split.")] = 0,
    data_root: source.DataRootOption = None,
) -> None:
    """Attack a graph and write the result, with its labels and split, to a file.

    cogsl attack citeseer --kind edge_deletion --ratio 0.05 --output attacked.npz

    Edge deletion keeps connected components connected; edge addition joins nodes that are not;
    feature noise is Gaussian, in units of the mean of each node's largest feature. The same seed
    gives the same attack.
    """
    with clean_exit():
        if output.suffix != ".npz":
            raise InputError(f"The output must be an npz file. Got '{output}' instead.")
        from cogsl.attacks import ATTACKS

        if kind not in ATTACKS:
            raise UnknownNameError(f"Unknown attack '{kind}'{did_you_mean(kind, ATTACKS)}")
        from dataclasses import replace

        from cogsl.io import write_graph

        named = _load(graph, split_seed, data_root)
        attacked = ATTACKS[kind](ratio=ratio).apply(named.graph, seed=seed)
        write_graph(output, replace(named, graph=attacked))
        print_line(f"{output}: {attacked.n_edges:,} edges, {named.graph.n_edges:,} before.")


def _load(graph: str, split_seed: int, root: Path | None) -> NamedGraph:
    """Return the graph of a data set or of a file."""
    from cogsl import datasets
    from cogsl.io import NamedGraph, read_graph

    if graph in datasets.DATASETS:
        return NamedGraph.numbered(datasets.load(graph, root=root, split_seed=split_seed))
    if Path(graph).suffix:
        return read_graph(Path(graph))
    raise UnknownNameError(
        f"Unknown data set '{graph}'{did_you_mean(graph, datasets.DATASETS)} A file needs its "
        "suffix."
    )
