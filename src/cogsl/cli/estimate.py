"""``cogsl estimate``: what a run will need, before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
        typer.Argument(metavar="DATASET", help="Its name; or give the counts below instead."),
    ] = None,
    method: Annotated[str, typer.Option(help="The method to run.")] = "cogsl",
    preset: Annotated[
        str, typer.Option(metavar="paper|default", help="The paper's settings, or ours.")
    ] = "default",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE ...", help="Change settings.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=2, help="Nodes of a graph of yours.")] = None,
    edges: Annotated[int | None, typer.Option(min=0, help="Its edges, each once.")] = None,
    features: Annotated[int | None, typer.Option(min=1, help="Its features.")] = None,
    nonzeros: Annotated[
        int | None, typer.Option(min=0, help="Features other than 0, if they are sparse.")
    ] = None,
    classes: Annotated[int, typer.Option(min=2, help="Its classes.")] = 10,
    labels: Annotated[int, typer.Option(min=2, help="Its training nodes.")] = 200,
    threads: Annotated[
        int | None,
        typer.Option(min=1, show_default="idle processors", help="Threads of PyTorch."),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(metavar="SIZE", show_default="free memory", help="Say if it is passed: 8GiB."),
    ] = None,
    data_root: Annotated[
        Path | None, typer.Option(help="Folder of data sets, looked in first.")
    ] = None,
) -> None:
    """Print the time and memory that a run would need: a data set by name, or by its counts.

    A graph that is not there yet needs its counts alone: --nodes, --edges and --features.
    """
    with clean_exit():
        from cogsl.experiments.forecast import forecast
        from cogsl.experiments.presets import find_method, parse_assignments

        limit = None if memory_limit is None else parse_bytes(memory_limit)
        overrides = parse_assignments([*(set_ or []), *context.args])
        counts = {"--nodes": nodes, "--edges": edges, "--features": features}
        given = [name for name, count in counts.items() if count is not None]
        if dataset is not None and given:
            raise InputError(
                f"Give a data set, or the counts of a graph of yours. Got both: {', '.join(given)}."
            )
        if dataset is not None:
            settings, size = _of_dataset(dataset, method, preset, overrides, data_root)
        else:
            settings, size = _of_counts(
                counts, classes, labels, nonzeros, method, preset, overrides
            )
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


def _of_counts(
    counts: dict[str, int | None],
    classes: int,
    labels: int,
    nonzeros: int | None,
    method: str,
    preset: str,
    overrides: dict[str, str],
) -> tuple[dict[str, Any], GraphSize]:
    """Return the method's settings and the size of a graph that is described by its counts."""
    from cogsl.cost import GraphSize
    from cogsl.experiments.presets import resolve

    nodes, edges, features = counts.values()
    if nodes is None or edges is None or features is None:
        raise InputError(
            "The graph is missing: cogsl estimate DATASET, or --nodes, --edges and --features of "
            "a graph of yours. 'cogsl datasets' lists the data sets."
        )
    settings = resolve(method, "your graph", preset, overrides)
    return settings, GraphSize(nodes, 2 * edges, features, classes, labels, nonzeros)
