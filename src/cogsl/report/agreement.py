"""What a column says beside the paper: who leads there and here, and how far the numbers are."""

from __future__ import annotations

from collections.abc import Collection

from cogsl.report.phrases import listed
from cogsl.report.tables import Column, Said, ranked


def agreement_in_words(column: Column, said: Said) -> str:
    """Say who leads in the paper and whether our runs say so; "" if the paper says nothing.

    Only the rows that the paper has, too, are compared: what it says is said of these. If another
    row is the best of the column, they are ranked and tested anew.
    """
    leaders, who = _leaders(column, said)
    if not leaders:
        return ""
    if not any(column[name].values for name in leaders):
        return f"in the paper {who}: {'it was not' if len(leaders) == 1 else 'none was'} run here"
    theirs = _rows_of_paper(column, said)
    if any(cell.rank == 1 for cell in theirs.values()):
        return f"in the paper {who}: {_verdict(theirs, leaders)}"
    theirs = dict(zip(theirs, ranked(list(theirs.values())), strict=True))
    ours = [name for name, cell in theirs.items() if cell.rank == 1]
    here = f"of its rows {listed(ours)} {_do(ours)} here"
    return f"in the paper {who}: {here}, and {_verdict(theirs, leaders)}"


def _rows_of_paper(column: Column, said: Said) -> Column:
    """Return the rows that have printed numbers, or where there are none those that it shows."""
    printed = {name: cell for name, cell in column.items() if cell.printed is not None}
    return printed or {name: cell for name, cell in column.items() if name in said.rows}


def _leaders(column: Column, said: Said) -> tuple[list[str], str]:
    """Return the rows that lead in the paper, by its numbers or else its claim, and the words."""
    printed = {n: cell.printed for n, cell in column.items() if cell.printed is not None}
    if printed:
        best = max(printed.values())
        leaders = [name for name, value in printed.items() if value == best]
        return leaders, f"{listed(leaders)} {_do(leaders)}, with {best:.1f}"
    leaders = list(said.leaders)
    if len(leaders) < 2:
        return leaders, " ".join([*leaders, "does"])
    return leaders, f"one of {listed(leaders)} does"


def _do(names: Collection[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _verdict(column: Column, leaders: Collection[str]) -> str:
    """Say what our runs make of the paper's leaders; we agree only where the test tells them apart.

    The best of the column, against which all were tested, is one of the paper's rows.
    """
    run = {name: cell for name, cell in column.items() if cell.values}
    first = [name for name, cell in run.items() if cell.rank == 1]
    theirs = [cell for name, cell in run.items() if name in leaders]
    others = [cell for name, cell in run.items() if name not in leaders]
    if not others:
        return "nothing else was run here"
    leads = any(name in leaders for name in first)
    open_ones = others if leads else theirs  # those that would have to be told apart from the best
    if any(cell.tied or cell.rank == 1 for cell in open_ones):
        none_apart = all(cell.tied for cell in run.values() if cell.rank > 1)
        return "our runs allow it" + (", as they tell none of its rows apart" if none_apart else "")
    if any(cell.untested for cell in open_ones):
        return "our runs are too few to tell"
    return "we agree" if leads else "our runs do not show it"


def distance_in_words(column: Column, own: str) -> str:
    """Say how far the paper's own method and the furthest row are from their printed numbers."""
    gaps = {
        name: (cell.mean - cell.printed, cell.printed)
        for name, cell in column.items()
        if cell.values and cell.printed is not None
    }
    if not gaps:
        return ""
    furthest = max(gaps, key=lambda name: abs(gaps[name][0]))
    if own not in gaps:
        return f"{furthest} is {_far(*gaps[furthest])}{_most(gaps)}"
    words = f"{own} is {_far(*gaps[own])}"
    if furthest == own:
        return words + _most(gaps)
    return f"{words}; furthest is {furthest}, {_far(*gaps[furthest])}"


def _most(gaps: Collection[str]) -> str:
    return ", further than any other row" if len(gaps) > 1 else ""


def _far(gap: float, printed: float) -> str:
    if abs(gap) < 0.05:  # what one digit shows as none
        return f"at the printed {printed:.1f}"
    return f"{abs(gap):.1f} {'above' if gap > 0 else 'below'} the printed {printed:.1f}"
