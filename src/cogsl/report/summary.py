"""What a table says, in words: who leads, and whether that agrees with the paper."""

from __future__ import annotations

from collections.abc import Sequence

from cogsl.report.tables import Cell, Table


def in_words(table: Table) -> str:
    """Say of each column who is first, who is tied with it, and what the paper says."""
    lines = []
    for place, head in enumerate(table.heads):
        column = {name: row[place] for name, row in zip(table.names, table.rows, strict=True)}
        if any(cell.values for cell in column.values()):
            lines.append(f"- {table.title}, {head}: {_leader(column)}{_agreement(column)}.")
    return "\n".join(lines) or f"- {table.title}: nothing was run."


def _leader(column: dict[str, Cell]) -> str:
    first = next(name for name, cell in column.items() if cell.rank == 1)
    tied = [name for name, cell in column.items() if cell.tied]
    words = f"{first} leads with {column[first].mean:.1f}"
    if len(column[first].values) == 1:
        return f"{words}, in a single run, which tells it apart from no other"
    return f"{words}, not told apart from {_listed(tied)}" if tied else words


def _agreement(column: dict[str, Cell]) -> str:
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
