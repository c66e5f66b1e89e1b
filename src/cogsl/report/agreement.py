"""What a column says beside the paper: who leads there and here, and how far the numbers are."""

from __future__ import annotations

from collections.abc import Collection

from cogsl.report.phrases import listed
from cogsl.report.tables import Column, Said, ranked


def agreement_in_words(column: Column, said: Said) -> str:
    """Say who leads in the paper and whether our runs say so; "" if the paper says nothing.

    Only the rows that the paper has, too, are compared: what it says is said of these.
    """
    printed = {n: cell.printed for n, cell in column.items() if cell.printed is not None}
    rows = [name for name in column if name in (printed or said.rows)]
    theirs = dict(zip(rows, ranked([column[name] for name in rows]), strict=True))
    if printed:
        best = max(printed.values())
        leaders = [name for name, value in printed.items() if value == best]
        who = f"{listed(leaders)} {'does' if len(leaders) == 1 else 'do'}, with {best:.1f}"
    else:
        leaders = [name for name in said.leaders if name in column]
        who = f"one of {listed(leaders)}" if len(leaders) > 1 else "".join(leaders)
        who += " does"
    if not leaders:
        return ""
    if not any(column[name].values for name in leaders):
        return f"in the paper {who}: {'it was not' if len(leaders) == 1 else 'none was'} run here"
    return f"in the paper {who}: {_here(column, theirs)}{_verdict(theirs, leaders)}"


def _here(column: Column, theirs: Column) -> str:
    """Name our leader among the paper's rows, where another row that it has not is above it."""
    ours = [name for name, cell in theirs.items() if cell.rank == 1]
    if any(column[name].rank == 1 for name in ours):
        return ""
    return f"of its rows {listed(ours)} {'does' if len(ours) == 1 else 'do'} here, and "


def _verdict(column: Column, leaders: Collection[str]) -> str:
    """Say what our runs make of the paper's leaders; we agree only where the test tells them apart.

    The ranks and p-values of the column are those among the paper's rows.
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
        below = [cell for cell in run.values() if cell.rank > 1]
        return "our runs allow it" + ", as they tell none of its rows apart" * all(
            c.tied for c in below
        )
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
