"""How far rows are above the best of their rivals, from column to column, in words."""

from __future__ import annotations

from collections.abc import Collection

from cogsl.evaluation.statistics import paired_difference
from cogsl.report.tables import Cell, Column, Table


def margins_in_words(table: Table, ours: str, rivals: Collection[str]) -> str:
    """Say how far one row is above the best of the rivals', from column to column.

    With the interval of the paired difference where the two have runs in common.
    """
    margins = [_margin(head, column, ours, rivals) for head, column in table.columns]
    told = list(filter(None, margins))
    if len(told) < 2:
        return ""
    return f"- {table.title}: {ours} less the best other method: {', '.join(told)}."


def _margin(head: str, column: Column, ours: str, rivals: Collection[str]) -> str:
    run = {name: cell for name, cell in column.items() if name in rivals and cell.values}
    if not run or not column[ours].values:
        return ""
    best = max(run, key=lambda name: run[name].mean)
    return f"{_difference(column[ours], run[best])} ({head}, {best})"


def _difference(one: Cell, other: Cell) -> str:
    """Return the paired difference and its interval, or that of the means where none is paired."""
    runs = sorted(one.values.keys() & other.values.keys())
    if len(runs) < 2:
        return f"{one.mean - other.mean:+.1f}"
    found = paired_difference([one.values[r] for r in runs], [other.values[r] for r in runs])
    return f"{found.mean:+.1f} [{found.low:+.1f}, {found.high:+.1f}]"
