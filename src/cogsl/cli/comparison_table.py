"""A comparison as a table and lines: pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from cogsl.cli.formatting import format_mean, format_seconds
from cogsl.machine import format_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cogsl.experiments.comparison_summary import Row, Summary
    from cogsl.experiments.forecast import Forecast


def format_comparison(summary: Summary) -> Table:
    """Return a row a method: accuracy, macro-F1, what CoGSL has over it, and the time of a run."""
    sizes, plan = summary.comparison.sizes, summary.comparison.plan
    table = Table(
        title=f"{summary.comparison.title}: {plan.n_splits} splits of {sizes.labels:,} labelled "
        f"nodes, {sizes.train}/{sizes.val}/{sizes.test}",
        caption="Test nodes, in percent; mean ± standard deviation. Interval (95 %) and p are "
        "corrected for test nodes that splits share. Each method with its default settings.",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("Method", no_wrap=True)
    for title in ("Accuracy", "Macro-F1", "CoGSL minus it", "p", "Time a run"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in summary.rows:
        table.add_row(*_cells(row))
    return table


def format_sentences(summary: Summary) -> list[str]:
    """Return the verdict, its reason and the advice, a line each."""
    words = summary.words
    return [words.verdict, words.reason, words.advice]


def format_needed(forecasts: Mapping[str, Forecast], missing: Sequence[tuple[str, int]]) -> str:
    """Return a line on what the missing runs need."""
    seconds = sum(forecasts[name].estimate.seconds for name, _ in missing)
    peak = format_bytes(max(needed.peak_bytes for needed in forecasts.values()))
    return f"{len(missing)} runs, about {format_seconds(seconds)} and {peak} of memory."


def _cells(row: Row) -> tuple[str, ...]:
    lead = p = ""
    if row.lead is not None and row.p is not None:
        mean, low, high = (f"{100 * number:+.1f}" for number in row.lead)
        lead = f"{mean} \\[{low}, {high}]"  # a bracket that rich takes for no style
        p = f"{row.p:.3f}" if row.p >= 0.001 else "< 0.001"
    return (
        row.title,
        format_mean(row.accuracy, row.deviation),
        f"{100 * row.macro_f1:.1f}",
        lead,
        p,
        format_seconds(row.seconds),
    )
