"""What a table says, in words: who leads, and whether that agrees with the paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from cogsl.report.tables import Cell, Table, number

Column = dict[str, Cell]


def in_words(table: Table) -> str:
    """Say of each column who is first, who is tied with it, and what the paper says.

    A column that is not ranked is told through.
    """
    lines = []
    for head, column in _columns(table):
        run = {name: cell for name, cell in column.items() if cell.values}
        if run:
            lines.append(f"- {table.title}, {head}: {_found(column, run)}.")
    return "\n".join(lines) or f"- {table.title}: nothing was run."


def margins_in_words(table: Table, ours: Sequence[str], rivals: Collection[str]) -> str:
    """Say how far the best of our rows is above the best of the rivals', from column to column."""
    margins = []
    for head, column in _columns(table):
        means = {name: cell.mean for name, cell in column.items() if cell.values}
        sides = [[mean for name, mean in means.items() if name in side] for side in (ours, rivals)]
        if all(sides):
            margins.append(f"{max(sides[0]) - max(sides[1]):+.1f} ({head})")
    if len(margins) < 2:
        return ""
    who = ours[0] if len(ours) == 1 else f"the best of {_listed(ours)}"
    return f"- {table.title}: {who} over the best other method: {', '.join(margins)}."


def _columns(table: Table) -> Iterator[tuple[str, Column]]:
    """Yield each column's head, and its cells by row."""
    for place, head in enumerate(table.heads):
        yield (
            head,
            {name: row[place] for name, row in zip(table.names, table.rows, strict=True)},
        )


def _found(column: Column, run: Column) -> str:
    if not any(cell.rank for cell in run.values()):
        return ", ".join(f"{number(cell)} ({name})" for name, cell in run.items())
    if len(run) == 1 < len(column):
        ((only, cell),) = run.items()
        return f"only {only} was run, {cell.mean:.1f}"
    return _leader(column) + _agreement(column)


def _leader(column: Column) -> str:
    first = [name for name, cell in column.items() if cell.rank == 1]
    tied = [name for name, cell in column.items() if cell.tied]
    best = column[first[0]]
    words = f"{_listed(first)} {'leads' if len(first) == 1 else 'lead'} with {best.mean:.1f}"
    if len(best.values) == 1:
        return f"{words}, in a single run, which tells it apart from no other"
    return f"{words}, not told apart from {_listed(tied)}" if tied else words


def _agreement(column: Column) -> str:
    """Return who leads in the paper and whether our runs say so, "" if the paper says nothing."""
    printed = {name: cell.printed for name, cell in column.items() if cell.printed is not None}
    if not printed:
        return ""
    theirs = max(printed, key=printed.__getitem__)
    ours = next(cell for cell in column.values() if cell.rank == 1)
    return (
        f"; in the paper {theirs} does, with {printed[theirs]:.1f}: {_said(column[theirs], ours)}"
    )


def _said(theirs: Cell, ours: Cell) -> str:
    """Say what our runs make of the paper's leader, beside our own."""
    if not theirs.values:
        return "it was not run here"
    if theirs.rank == 1:
        return "we agree"
    if len(theirs.values.keys() & ours.values.keys()) < 2:
        return "our runs are too few to tell"
    return "our runs allow it" if theirs.tied else "our runs do not show it"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
