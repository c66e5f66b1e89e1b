"""How far a row is above another, or above the best of its rivals, column by column, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cogsl.evaluation.statistics import PairedDifference, paired_difference
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


def orders_in_words(table: Table) -> Iterator[str]:
    """Say how far rows are above those that they are above in the paper."""
    for one, other in table.said.above:
        told = [
            f"{_difference(column[one], column[other])} ({head}: "
            f"{_verdict(column[one], column[other])})"
            for head, column in table.columns
            if column[one].rank and column[other].rank and _is_said(column[one], column[other])
        ]
        if told:
            what = f"{one} less {other}, above 0 in the paper"
            yield f"- {table.title}: {what}: {', '.join(told)}."


def _is_said(one: Cell, other: Cell) -> bool:
    """Tell whether the paper's numbers, where it prints them, have one above the other."""
    if one.printed is None or other.printed is None:
        return True
    return one.printed > other.printed


def _verdict(one: Cell, other: Cell) -> str:
    """Say what our runs make of it that one is above the other."""
    found = _paired(one, other)
    if found is None:
        return "too few runs to tell"
    if found.low > 0:
        return "we agree"
    return "our runs do not show it" if found.high < 0 else "our runs allow it"


def _difference(one: Cell, other: Cell) -> str:
    """Return the paired difference and its interval, or that of the means where none is paired."""
    found = _paired(one, other)
    if found is None:
        return f"{one.mean - other.mean:+.1f}"
    return f"{found.mean:+.1f} [{found.low:+.1f}, {found.high:+.1f}]"


def _paired(one: Cell, other: Cell) -> PairedDifference | None:
    """Return the difference over the runs that both have; None of fewer than two."""
    runs = sorted(one.values.keys() & other.values.keys())
    if len(runs) < 2:
        return None
    return paired_difference([one.values[r] for r in runs], [other.values[r] for r in runs])
