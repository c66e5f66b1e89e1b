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
    return f"{words}, not told apart from {_listed(tied)}" if tied else words


def _agreement(column: dict[str, Cell]) -> str:
    """Return what the paper says of the methods that were run, "" if it says nothing."""
    printed = {n: c.printed for n, c in column.items() if c.printed is not None and c.values}
    if not printed:
        return ""
    theirs = max(printed, key=printed.__getitem__)
    words = f"; in the paper {theirs} does, with {printed[theirs]:.1f}"
    if column[theirs].rank == 1:
        return f"{words}: we agree"
    if column[theirs].tied:
        return f"{words}: our runs allow it"
    return f"{words}: our runs do not show it"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
