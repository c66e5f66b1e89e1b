"""The tables of ``benchmarks.iteration``: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from benchmarks.dense_oracle import DenseTimes
from benchmarks.ours import Operator, Run
from benchmarks.pyg_example import Example
from benchmarks.timing import GIB, Cost


class Row(NamedTuple):
    """A piece of work beside the same or comparable work of ours."""

    what: str
    seconds: float
    ours_over_it: float | None  # our time over its time; None for our own row
    cost: Cost | None = None  # None where nothing of it was measured by itself


def format_phases(dataset: str, run: Run) -> Table:
    """Return where the time of a run goes, phase by phase."""
    total = run.cost.seconds
    each = [(name, run.n_iterations * seconds) for name, seconds in run.phases.items()]
    finish = total - run.building - run.n_iterations * run.iteration
    parts = [("basic views and patterns", run.building), *each, ("fitted attributes", finish)]
    table = _table(
        f"CoGSL on {dataset}, {run.n_iterations} iterations: phase by phase",
        ("Phase", "ms an iteration", "s in all", "share"),
    )
    for name, seconds in parts:
        per_iteration = f"{1000 * run.phases[name]:.2f}" if name in run.phases else ""
        _add(table, name, per_iteration, f"{seconds:.2f}", f"{seconds / total:.1%}")
    _add(table, "total", f"{1000 * run.iteration:.2f}", f"{total:.2f}", "100.0%")
    return table


def format_operators(operators: Sequence[Operator]) -> Table:
    """Return where the time goes kernel by kernel."""
    headings = ("Operator", "ms an iteration", "calls an iteration", "share")
    table = _table("Kernel by kernel, profiled over a few iterations", headings)
    for each in operators:
        _add(table, each.name, f"{each.ms:.2f}", f"{each.calls:.0f}", f"{each.share:.1%}")
    return table


def rows_of_run(dataset: str, run: Run, example: Example | None) -> list[Row]:
    """Return the whole run, and PyTorch Geometric's GCN beside it."""
    steps, total = run.gradient_steps, run.cost.seconds
    what = f"{dataset}: CoGSL, {run.n_iterations} iterations, {steps:,} gradient steps"
    rows = [Row(what, total, None, run.cost)]
    if example is not None:
        seconds, n_epochs = example.cost.seconds, example.n_epochs
        scaled = example.seconds_of_steps(steps)
        rows += [
            Row(
                f"{dataset}: PyG's GCN example, {n_epochs} epochs, each validated",
                seconds,
                total / seconds,
                example.cost,
            ),
            Row(
                f"{dataset}: PyG's GCN, {steps:,} gradient steps (scaled from {n_epochs})",
                scaled,
                total / scaled,
            ),
        ]
    return rows


def rows_of_oracle(dataset: str, run: Run, dense: DenseTimes) -> list[Row]:
    """Return one outer iteration, ours and the dense oracle's."""
    how = "scaled from one step of each kind" if dense.is_scaled else "every step taken"
    ratio = run.iteration / dense.iteration
    return [
        Row(f"{dataset}: CoGSL, one iteration", run.iteration, None, run.cost),
        Row(f"{dataset}: dense oracle, one iteration ({how})", dense.iteration, ratio, dense.cost),
    ]


def format_rows(rows: Sequence[Row]) -> Table:
    """Return everything side by side."""
    headings = ("What", "seconds", "ours / it", "peak GiB", "of it new")
    table = _table("Side by side, in one process", headings)
    for row in rows:
        ratio = "" if row.ours_over_it is None else f"{row.ours_over_it:.3g}"
        peak, growth = (row.cost.peak, row.cost.growth) if row.cost else (None, None)
        _add(table, row.what, f"{row.seconds:.4g}", ratio, _gibibytes(peak), _gibibytes(growth))
    return table


def _table(title: str, headings: Sequence[str]) -> Table:
    """Return an empty table: words to the left, numbers to the right."""
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def _add(table: Table, *cells: str) -> None:
    table.add_row(*map(Text, cells))


def _gibibytes(n_bytes: int | None) -> str:
    return "" if n_bytes is None else f"{n_bytes / GIB:.2f}"
