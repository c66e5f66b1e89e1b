"""Records as tables: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cogsl import datasets
from cogsl.errors import InputError
from cogsl.evaluation.statistics import bootstrap_interval, holm, mean_and_deviation, paired_p_value
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
    tied : not told apart from the best by the paired test.
    printed : the paper's own number.
    digits : how many are shown after the point.
    """

    values: Mapping[tuple[int, int], float] = field(default_factory=dict)
    rank: int = 0
    tied: bool = False
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


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads, one table a data set.

    Parameters
    ----------
    title : of the data set.
    heads : one a column of cells.
    names : one a row.
    rows : the cells.
    about : what stands in the cells and what in the heads, if these are but numbers.
    """

    title: str
    heads: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: str = ""

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title}: {self.about}" if self.about else self.title


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
    return Table(title, heads, names, tuple(zip(*columns, strict=True)), about)


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
    """Return the cells with their ranks by mean, and those marked that the test ties to the best.

    Equal means share a rank, as those of one method under an attack that does nothing. The test is
    paired over the runs that both have, and corrected for the number of cells (Holm).
    """
    means = {k: round(cell.mean, 9) for k, cell in enumerate(cells) if cell.values}
    if not means:
        return list(cells)
    levels = sorted(set(means.values()), reverse=True)
    ranks = {k: 1 + levels.index(mean) for k, mean in means.items()}
    best = next(cells[k] for k, rank in ranks.items() if rank == 1)
    common = {
        k: sorted(best.values.keys() & cells[k].values.keys()) for k, r in ranks.items() if r > 1
    }
    tested = [k for k, runs in common.items() if len(runs) > 1]
    p_values = holm([_p_value(best, cells[k], common[k]) for k in tested])
    tied = {k for k, p in zip(tested, p_values, strict=True) if p >= LEVEL}
    return [replace(cell, rank=ranks.get(k, 0), tied=k in tied) for k, cell in enumerate(cells)]


def _p_value(one: Cell, other: Cell, runs: Sequence[tuple[int, int]]) -> float:
    return paired_p_value([one.values[r] for r in runs], [other.values[r] for r in runs])


def number(cell: Cell, sign: str = "±") -> str:
    """Return mean and deviation as the paper prints them; "-" where nothing was run."""
    if not cell.values:
        return "-"
    digits = cell.digits
    spread = "" if math.isnan(cell.deviation) else f"{sign}{cell.deviation:.{digits}f}"
    return f"{cell.mean:.{digits}f}{spread}"


def to_markdown(table: Table) -> str:
    """Return the table in Markdown: best bold, runner-up underlined, ties with a star.

    The paper's own number stands in brackets.
    """
    lines = [
        f"### {table.heading}",
        "",
        "| | " + " | ".join(table.heads) + " |",
        "|---" * (len(table.heads) + 1) + "|",
    ]
    for name, row in zip(table.names, table.rows, strict=True):
        lines.append(f"| {name} | " + " | ".join(map(_markdown, row)) + " |")
    return "\n".join(lines) + "\n"


def _markdown(cell: Cell) -> str:
    text = number(cell)
    if cell.rank == 1:
        text = f"**{text}**"
    elif cell.rank == 2:
        text = f"<u>{text}</u>"
    text += "\\*" if cell.tied else ""
    return text if cell.printed is None else f"{text} ({cell.printed:.1f})"


def to_latex(table: Table) -> str:
    """Return the table as LaTeX's tabular, with the same marks."""
    lines = [
        f"% {table.heading}",
        "\\begin{tabular}{l" + "c" * len(table.heads) + "}",
        "\\hline",
        " & " + " & ".join(map(_escaped, table.heads)) + " \\\\",
        "\\hline",
    ]
    for name, row in zip(table.names, table.rows, strict=True):
        lines.append(_escaped(name) + " & " + " & ".join(map(_latex, row)) + " \\\\")
    return "\n".join([*lines, "\\hline", "\\end{tabular}"]) + "\n"


def _latex(cell: Cell) -> str:
    text = number(cell, "$\\pm$")
    if cell.rank == 1:
        text = f"\\textbf{{{text}}}"
    elif cell.rank == 2:
        text = f"\\underline{{{text}}}"
    return text + ("$^*$" if cell.tied else "")


def _escaped(text: str) -> str:
    for sign in ("\\", "_", "%", "&", "#", "$", "{", "}"):
        text = text.replace(sign, f"\\{sign}" if sign != "\\" else "\\textbackslash ")
    return text


def to_csv(tables: Sequence[Table]) -> str:
    """Return all tables as one list: a row a cell, with the mean's bootstrap interval."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    heads = ("mean", "deviation", "low", "high", "runs", "rank", "paper")
    writer.writerow(["table", "row", "column", *heads])
    for table in tables:
        for name, row in zip(table.names, table.rows, strict=True):
            for head, cell in zip(table.heads, row, strict=True):
                if cell.values or cell.printed is not None:
                    ends = bootstrap_interval(list(cell.values.values()))
                    figures = map(_plain, (cell.mean, cell.deviation, *ends))
                    paper = "" if cell.printed is None else cell.printed
                    place = (len(cell.values), cell.rank or "", paper)
                    writer.writerow([table.heading, name, head, *figures, *place])
    return file.getvalue()


def _plain(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}"
