"""``cogsl compare``: does structure learning help on this data?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogsl.cli import source
from cogsl.cli.comparison_table import format_comparison, format_needed, format_sentences
from cogsl.cli.printing import INTERRUPTED, clean_exit, print_line, print_note, print_result
from cogsl.cli.progress import show_progress
from cogsl.cli.run import set_threads
from cogsl.machine import parse_bytes

if TYPE_CHECKING:
    from cogsl.evaluation import Record
    from cogsl.experiments.comparison import Comparison
    from cogsl.experiments.store import Store


def compare(
    context: typer.Context,
    dataset: source.DatasetArgument = None,
    nodes: source.NodesOption = None,
    edges: source.EdgesOption = None,
    label_column: source.LabelOption = None,
    id_column: source.IdOption = None,
    column: source.ColumnOption = None,
    edge_column: source.EdgeColumnOption = None,
    missing: source.MissingOption = "median",
    scaling: source.ScalingOption = "auto",
    delimiter: source.DelimiterOption = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="One more method; may be given several times."),
    ] = None,
    splits: Annotated[int, typer.Option(help="Splits of the labelled nodes, 5 or more.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The first split's seed.")] = 0,
    least: Annotated[
        float, typer.Option(help="The smallest gain in accuracy that matters: 0.01 is a point.")
    ] = 0.01,
    val_share: Annotated[
        float | None,
        typer.Option(show_default="as the data set's split, else 0.2", help="Validation nodes."),
    ] = None,
    test_share: Annotated[
        float | None, typer.Option(show_default="0.2", help="Test nodes, of those with labels.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder of the records.")] = Path("compare"),
    threads: source.ThreadsOption = None,
    memory_limit: source.MemoryOption = None,
    data_root: source.DataRootOption = None,
) -> None:
    """Say whether structure learning helps on a graph: yes, no, or cannot tell yet.

    cogsl compare --nodes nodes.csv --edges edges.csv --label-column y

    MLP (no graph), KNN-GCN (that of similar features), GCN (the given one) and CoGSL run on the
    same splits of the labelled nodes, each with its default settings, none tuned. "Yes": CoGSL, or
    another method that learns a graph, is above each of the others beyond chance. "No": its gain is
    below --least beyond chance. Else it is said how many splits or labels would decide.

    What was run is kept in the output folder, and not run again.
    """
    with clean_exit():
        from cogsl.experiments.comparison import Comparison, make_plan, open_store
        from cogsl.experiments.comparison_summary import summarise
        from cogsl.experiments.verdict import check_least

        plan = make_plan(
            method or [], n_splits=splits, seed=seed, val_share=val_share, test_share=test_share
        )
        check_least(least)
        limit = None if memory_limit is None else parse_bytes(memory_limit)
        origin = source.Source.of(context.params)
        comparison = Comparison.of(origin.read(), plan, origin.title)
        set_threads(threads)
        records = _run(comparison, open_store(output), limit)
        summary = summarise(comparison, records, least)
        print_result(format_comparison(summary))
        for line in format_sentences(summary):
            print_line(line)
        print_note(f"Written: {summary.write(output).resolve()}")


def _run(comparison: Comparison, store: Store, limit: int | None) -> list[Record]:
    """Say what the runs will need, and do those that are missing; Ctrl-C keeps what is finished."""
    forecasts, todo = comparison.forecasts(limit), comparison.missing(store)
    print_note(format_needed(forecasts, todo))
    try:
        with show_progress(len(todo), several_methods=True) as observer:
            return comparison.run(store, observer)
    except KeyboardInterrupt:
        left = len(comparison.missing(store))
        done = len(comparison.keys) - left
        print_note(f"Interrupted: {done} of {done + left} runs are kept; call it again to go on.")
        raise typer.Exit(INTERRUPTED) from None
