"""What tables say, in words: who leads, what the paper says, which rows are alike, mean ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from cogsl.evaluation.statistics import average_ranks
from cogsl.report.agreement import agreement_in_words, distance_in_words
from cogsl.report.margins import orders_in_words
from cogsl.report.phrases import listed
from cogsl.report.table_formats import number
from cogsl.report.tables import Cell, Column, Said, Table


def in_words(table: Table) -> str:
    """Say of each column who is first, who is tied with it, and what the paper says.

    A column that is not ranked is told through. Then come pairs of rows of which the paper says
    that one is above the other, and rows that are mostly the same.
    """
    lines = []
    for head, column in table.columns:
        run = {name: cell for name, cell in column.items() if cell.values}
        if run:
            lines.append(f"- {table.title}, {head}: {_found(column, run, table.said)}.")
    if not lines:
        return f"- {table.title}: nothing was run."
    return "\n".join([*lines, *orders_in_words(table), *_alike(table)])


def _found(column: Column, run: Column, said: Said) -> str:
    if not any(cell.rank for cell in run.values()):
        return ", ".join(f"{number(cell)} ({name})" for name, cell in run.items())
    distance = distance_in_words(column, said.own)
    if len(run) == 1 < len(column):
        ((only, cell),) = run.items()
        found = f"only {only} was run, {cell.mean:.1f}"
    else:
        found = "; ".join(filter(None, (_leader(run), agreement_in_words(column, said))))
    return ". ".join(filter(None, (found, distance)))


def _leader(run: Column) -> str:
    first = [name for name, cell in run.items() if cell.rank == 1]
    best = max((run[name] for name in first), key=lambda cell: len(cell.values))
    words = f"{listed(first)} {'leads' if len(first) == 1 else 'lead'} with {best.mean:.1f}"
    if len(best.values) == 1 and len(run) > 1:
        return f"{words}, in a single run, which tells it apart from no other"
    return ", ".join(filter(None, (words, _tested(run))))


def _tested(run: Column) -> str:
    """Say what the test tells apart from the leaders: what it does not, or does if that is less."""
    tied = [name for name, cell in run.items() if cell.tied]
    untested = [name for name, cell in run.items() if cell.untested]
    apart = [n for n, cell in run.items() if cell.rank > 1 and not (cell.tied or cell.untested)]
    if not (tied or apart):
        words = ""
    elif not tied:
        are_all = len(apart) > 1 and not untested
        words = f"told apart from {'all others' if are_all else listed(apart)}"
    elif len(tied) > 1 and not (apart or untested):
        words = "not told apart from any other"
    elif apart and len(apart) < len(tied):
        words = f"told apart only from {listed(apart)}"
    else:
        words = f"not told apart from {listed(tied)}"
    lacks = f"not tested against {listed(untested)}" if untested else ""
    return ", and ".join(filter(None, (words, lacks)))


def _alike(table: Table) -> Iterator[str]:
    """Name rows that have the same figures in at least half of the runs that they share."""
    found: dict[str, dict[tuple[int, int], list[str]]] = {}
    for head, column in table.columns:
        for names, n_same, n_shared in _same(column):
            found.setdefault(names, {}).setdefault((n_same, n_shared), []).append(head)
    for names, shares in found.items():
        told = (f"{k} of {n} runs ({', '.join(heads)})" for (k, n), heads in shares.items())
        yield f"- {table.title}: {names} are the same in {', '.join(told)}."


def _same(column: Column) -> Iterator[tuple[str, int, int]]:
    """Yield rows that are the same in all runs, then pairs in half of them, with both numbers.

    Of rows that are the same in all runs only the first is paired with others.
    """
    groups: list[list[str]] = []
    for name in (name for name, cell in column.items() if len(cell.values) > 1):
        group = next((g for g in groups if column[g[0]].values == column[name].values), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    for group in groups:
        n_runs = len(column[group[0]].values)
        if len(group) > 1:
            yield listed(group), n_runs, n_runs
    for one, other in combinations([group[0] for group in groups], 2):
        n_same, n_shared = _n_same(column[one], column[other])
        if n_shared > 1 and 2 * n_same >= n_shared:
            yield listed([one, other]), n_same, n_shared


def _n_same(one: Cell, other: Cell) -> tuple[int, int]:
    """Return in how many runs two cells have the same figure, and how many they share."""
    shared = one.values.keys() & other.values.keys()
    return sum(one.values[run] == other.values[run] for run in shared), len(shared)


def ranks_in_words(tables: Sequence[Table]) -> str:
    """Say each row's mean rank over the columns of a metric, where there are several data sets.

    Columns in which fewer than half of the rows were run are no measure and do not count. Only rows
    that stand in all others are ranked; the rest is named.
    """
    metrics = dict.fromkeys(metric for table in tables for metric in table.metrics)
    return "\n".join(filter(None, (_mean_ranks(tables, metric) for metric in metrics)))


def _mean_ranks(tables: Sequence[Table], metric: str) -> str:
    columns = [
        (table.title, {name: cell.mean for name, cell in column.items() if cell.rank})
        for table in tables
        for its, (_, column) in zip(table.metrics, table.columns, strict=True)
        if its == metric
    ]
    names = dict.fromkeys(name for _, means in columns for name in means)
    columns = [(title, means) for title, means in columns if 2 * len(means) >= len(names)]
    n_datasets = len({title for title, _ in columns})
    ranks = average_ranks(means for _, means in columns)
    if n_datasets < 2 or len(ranks) < 2:
        return ""
    words = ", ".join(f"{name} {rank:.1f}" for name, rank in ranks.items())
    others = ", ".join(name for name in names if name not in ranks)
    lacks = f"; not run in all of them: {others}" if others else ""
    many = f" ({len(columns)} columns)" if len(columns) > n_datasets else ""
    return f"- Mean rank by {metric} over {n_datasets} data sets{many}: {words}{lacks}."
