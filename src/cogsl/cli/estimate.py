"""``cogsl estimate``: what a run will need, before it starts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogsl.cli import source
from cogsl.cli.formatting import format_estimate
from cogsl.cli.printing import clean_exit, print_note, print_result
from cogsl.cli.run import set_threads
from cogsl.errors import InputError
from cogsl.machine import format_bytes, free_memory, parse_bytes

if TYPE_CHECKING:
    from cogsl.cost import GraphSize


def estimate(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(metavar="DATASET", help="Its name; or give a graph of yours, below."),
    ] = None,
    method: Annotated[str, typer.Option(help="The method to run.")] = "cogsl",
    preset: Annotated[
        str, typer.Option(metavar="paper|default", help="The paper's settings, or ours.")
    ] = "default",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE ...", help="Change settings.")
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(metavar="FILE|COUNT", help="A graph of yours: its nodes, or how many."),
    ] = None,
    edges: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE|COUNT", help="Its edges, or how many, each once."),
    ] = None,
    label_column: source.LabelOption = None,
    id_column: source.IdOption = None,
    column: source.ColumnOption = None,
    edge_column: source.EdgeColumnOption = None,
    delimiter: source.DelimiterOption = None,
    features: Annotated[
        int | None, typer.Option(min=1, help="Its features, where nodes are a count.")
    ] = None,
    nonzeros: Annotated[
        int | None, typer.Option(min=0, help="Features other than 0, if they are sparse.")
    ] = None,
    classes: Annotated[int, typer.Option(min=2, help="Its classes, where no label is known.")] = 10,
    labels: Annotated[
        int, typer.Option(min=2, help="Its training nodes, where no label is known.")
    ] = 200,
    threads: source.ThreadsOption = None,
    memory_limit: source.MemoryOption = None,
    data_root: source.DataRootOption = None,
) -> None:
    """Print the time and memory that a run would need: of a data set, of files, or of counts.

    cogsl estimate citeseer; cogsl estimate --nodes nodes.csv --edges edges.csv --label-column y;
    or, for a graph that is not there yet, --nodes 50000 --edges 200000 --features 64.
    """
    with clean_exit():
        from cogsl.cost import GraphSize
        from cogsl.experiments.forecast import forecast
        from cogsl.experiments.presets import find_method, parse_assignments, resolve

        limit = None if memory_limit is None else parse_bytes(memory_limit)
        overrides = parse_assignments([*(set_ or []), *context.args])
        if dataset is not None and (nodes is not None or edges):
            raise InputError("Give a data set, or the nodes and edges of a graph of yours.")
        if dataset is not None:
            settings, size = _of_dataset(dataset, method, preset, overrides, data_root)
        else:
            settings = resolve(method, "your graph", preset, overrides)
            unlabelled = GraphSize(0, 0, features or 0, classes, labels, nonzeros)
            if nodes is None:
                raise InputError(
                    "The graph is missing: cogsl estimate DATASET, or --nodes and --edges of a "
                    "graph of yours. 'cogsl datasets' lists the data sets."
                )
            if nodes.isdigit():
                size = _of_counts(nodes, edges or [], unlabelled)
            else:
                files = {"nodes": Path(nodes), "edges": [Path(each) for each in edges or []]}
                size = _of_files(source.Source.of(context.params | files), unlabelled)
        set_threads(threads)
        needed = forecast(find_method(method)(**settings), size)
        print_result(format_estimate(needed, f"{method} on {dataset or 'your graph'}"))
        free = free_memory()
        if free is not None:
            print_note(f"Free memory: {format_bytes(free)}.")
        needed.check(limit)


def _of_dataset(
    dataset: str, method: str, preset: str, overrides: dict[str, str], root: Path | None
) -> tuple[dict[str, Any], GraphSize]:
    """Return the method's settings and the data set's size, which may have to be read."""
    from cogsl import datasets
    from cogsl.cost import GraphSize
    from cogsl.experiments.runner import choose

    settings, its_own = choose(dataset, method=method, preset=preset, overrides=overrides)
    known = datasets.DATASETS[dataset].configured(its_own).size()
    return settings, known or GraphSize.of(datasets.load(dataset, root=root, settings=its_own))


def _of_counts(nodes: str, edges: list[str], rest: GraphSize) -> GraphSize:
    """Return the size of a graph that is described by its counts."""
    if not edges or not all(count.isdigit() for count in edges) or not rest.features:
        raise InputError(
            "A graph by its counts needs three: --nodes, --edges and --features, whole numbers."
        )
    if int(nodes) < 2:
        raise InputError(f"A graph needs two nodes at least. Got --nodes {nodes} instead.")
    return replace(rest, nodes=int(nodes), entries=2 * sum(map(int, edges)))


def _of_files(files: source.Source, rest: GraphSize) -> GraphSize:
    """Return the size of the graph that files hold."""
    from cogsl.cost import GraphSize

    graph = files.read().graph
    size, known = GraphSize.of(graph), int((graph.labels >= 0).sum())
    if not known:
        return replace(size, classes=rest.classes, train=rest.train)
    return replace(size, train=size.train or known)
