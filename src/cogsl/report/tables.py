"""Records as tables of figures over runs, ranked and tested column by column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cogsl import datasets
from cogsl.errors import InputError
from cogsl.evaluation.statistics import holm, mean_and_deviation, paired_p_value
from cogsl.experiments.specs import Panel, Spec

TITLES = {
    "macro_f1": "macro-F1",
    "micro_f1": "micro-F1",
    "auc": "AUC",
    "accuracy": "accuracy",
    "mi": "MI",
}
SHARES = ("macro_f1", "micro_f1", "auc", "accuracy")
LEVEL = 0.05

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """A figure over runs, and how it stands in its column.

    Parameters
    ----------
    values : one a run, by seed and split seed, in percent where the metric is a share.
    rank : 1 is the best; 0 if there is nothing to rank.
    p_value : of the paired test against the best, corrected; None if there was no test.
    printed : the paper's own number.
    digits : how many are shown after the point.
    """

    values: Mapping[tuple[int, int], float] = field(default_factory=dict)
    rank: int = 0
    p_value: float | None = None
    printed: float | None = None
    digits: int = 1

    @property
    def mean(self) -> float:
        """The mean over runs; NaN without any."""
        return mean_and_deviation(list(self.values.values()))[0] if self.values else math.nan

    @property
    def deviation(self) -> float:
        """The standard deviation; NaN of one run."""
        return mean_and_deviation(list(self.values.values()))[1] if self.values else math.nan

    @property
    def tied(self) -> bool:
        """Whether the test does not tell it apart from the best."""
        return self.p_value is not None and self.p_value >= LEVEL

    @property
    def untested(self) -> bool:
        """Whether it is below the best, and there were too few runs for a test."""
        return self.rank > 1 and self.p_value is None


Column = Mapping[str, Cell]
"""Cells by row."""


@dataclass(frozen=True)
class Said:
    """What the paper says of a table's rows, beside its numbers.

    Parameters
    ----------
    rows : those that it has, too.
    own : the one that is its own method.
    leaders : those of which one leads.
    above : pairs of rows, the first above the second.
    """

    rows: tuple[str, ...] = ()
    own: str = ""
    leaders: tuple[str, ...] = ()
    above: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads, one table a data set.

    Parameters
    ----------
    title : of the data set.
    heads : one a column of cells.
    metrics : what stands in a column, one each.
    names : one a row.
    rows : the cells.
    about : what stands in the cells and what in the heads, if these are but numbers.
    said : by the paper.
    """

    title: str
    heads: tuple[str, ...]
    metrics: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: str = ""
    said: Said = Said()

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title}: {self.about}" if self.about else self.title

    @property
    def columns(self) -> Iterator[tuple[str, Column]]:
        """Each column's head, and its cells by row."""
        for place, head in enumerate(self.heads):
            yield head, dict(zip(self.names, (row[place] for row in self.rows), strict=True))

    @property
    def usual_runs(self) -> tuple[int, ...]:
        """How many runs most cells of a column have, one number each; the larger of two."""
        counts = [Counter(len(c.values) for c in column.values()) for _, column in self.columns]
        return tuple(max(((k, n) for n, k in c.items() if n), default=(0, 0))[1] for c in counts)


def make_tables(spec: Spec, records: Sequence[Record]) -> list[Table]:
    """Return one table for each panel of a spec: a row a series, a column a point and metric.

    Where there is one series the points are compared: a row a point, a column a metric.
    """
    return [_of_panel(spec, panel, records) for panel in spec.panels]


def _of_panel(spec: Spec, panel: Panel, records: Sequence[Record]) -> Table:
    title = datasets.DATASETS[panel.dataset].title
    metrics = tuple(TITLES.get(metric, metric) for metric in spec.metrics)
    names = tuple(series.name for series in spec.series)
    numbers = tuple("" if p.x is None else f"{p.x:g}" for p in panel.points)
    points, about = tuple(f"{panel.axis} {x}" if x else "" for x in numbers), ""
    cells = [
        [_cells_of(spec, panel, number, name, records) for number in range(len(points))]
        for name in names
    ]  # series x points x metrics
    if len(names) == 1 and len(points) > 1:
        heads, names, rows = metrics, points, cells[0]
    elif len(metrics) == 1 and all(numbers):
        heads, about = numbers, f"{metrics[0]} by {panel.axis}"
        rows = [[cell for (cell,) in row] for row in cells]
    else:
        heads = tuple(f"{p}, {metric}" if p else metric for p in points for metric in metrics)
        rows = [[cell for at_point in row for cell in at_point] for row in cells]
    columns = [
        ranked(column) if spec.metrics[k % len(metrics)] in SHARES else column
        for k, column in enumerate(zip(*rows, strict=True))
    ]
    ranked_rows, said = tuple(zip(*columns, strict=True)), _said(spec, panel, names)
    repeated = tuple(metrics[k % len(metrics)] for k in range(len(heads)))
    return Table(title, heads, repeated, names, ranked_rows, about, said)


def _said(spec: Spec, panel: Panel, names: Sequence[str]) -> Said:
    beyond = {series.name for series in spec.series if not series.in_paper}
    leaders = spec.leaders.get(panel.dataset, ())
    rows = tuple(name for name in names if name not in beyond)
    above = tuple((one, other) for one, other in spec.above if {one, other} <= set(rows))
    return Said(rows, spec.own, tuple(name for name in leaders if name in rows), above)


def _cells_of(
    spec: Spec, panel: Panel, number: int, name: str, records: Sequence[Record]
) -> list[Cell]:
    """Return the cells of a series at one point of a panel, one a metric."""
    x, first = panel.points[number].x, number * len(spec.metrics)
    return [
        Cell(
            values_of(records, panel, name, x, metric),
            printed=_printed(spec, panel.dataset, name, first + place),
            digits=1 if metric in SHARES else 2,
        )
        for place, metric in enumerate(spec.metrics)
    ]


def values_of(
    records: Sequence[Record], panel: Panel, name: str, x: float | None, metric: str
) -> dict[tuple[int, int], float]:
    """Return the figures of one cell by seed and split seed; shares in percent."""
    factor = 100.0 if metric in SHARES else 1.0
    return {
        (r["seed"], r["split_seed"]): factor * _figure(r, metric)
        for r in records
        if (r["dataset"], r["axis"], r["name"], r["point"]) == (panel.dataset, panel.axis, name, x)
    }


def _figure(record: Record, metric: str) -> float:
    """Return a figure of a record; one that lacks it would leave a gap that nobody sees."""
    if metric not in record:
        raise InputError(
            f"The record of {record['name']} on {record['dataset']}, seed {record['seed']}, has no "
            f"'{metric}'. Take it out of the store, and the run is done again."
        )
    return float(record[metric])


def _printed(spec: Spec, dataset: str, series: str, at: int) -> float | None:
    numbers = spec.printed.get(dataset, {}).get(series, ())
    return numbers[at] if at < len(numbers) else None


def ranked(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with their ranks by mean, and the p-values of the test against the best.

    Equal means share a rank, as those of one method under an attack that does nothing. The test is
    paired over the runs that both have, if there are two, and corrected for the number of tests
    (Holm).
    """
    means = {k: round(cell.mean, 9) for k, cell in enumerate(cells) if cell.values}
    if not means:
        return list(cells)
    levels = sorted(set(means.values()), reverse=True)
    ranks = {k: 1 + levels.index(mean) for k, mean in means.items()}
    best = max((cells[k] for k, rank in ranks.items() if rank == 1), key=lambda c: len(c.values))
    common = {
        k: sorted(best.values.keys() & cells[k].values.keys()) for k, r in ranks.items() if r > 1
    }
    tested = [k for k, runs in common.items() if len(runs) > 1]
    corrected = holm([_p_value(best, cells[k], common[k]) for k in tested])
    p_values = dict(zip(tested, corrected, strict=True))
    return [
        replace(cell, rank=ranks.get(k, 0), p_value=p_values.get(k)) for k, cell in enumerate(cells)
    ]


def _p_value(one: Cell, other: Cell, runs: Sequence[tuple[int, int]]) -> float:
    return paired_p_value([one.values[r] for r in runs], [other.values[r] for r in runs])
