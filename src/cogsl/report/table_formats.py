"""Tables as text: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from cogsl.evaluation.statistics import mean_interval
from cogsl.report.tables import Cell, Table


@dataclass(frozen=True)
class Marks:
    """How a language writes what a cell is: around the number, or behind it."""

    sign: str
    best: str
    second: str
    tied: str
    untested: str


_MARKDOWN = Marks("±", "**{}**", "<u>{}</u>", "\\*", "†")
_LATEX = Marks("$\\pm$", "\\textbf{{{}}}", "\\underline{{{}}}", "$^*$", "$^\\dagger$")


def number(cell: Cell, sign: str = "±") -> str:
    """Return mean and deviation as the paper prints them; "-" where nothing was run."""
    if not cell.values:
        return "-"
    digits = cell.digits
    spread = "" if math.isnan(cell.deviation) else f"{sign}{cell.deviation:.{digits}f}"
    return f"{cell.mean:.{digits}f}{spread}"


def to_markdown(table: Table) -> str:
    """Return the table in Markdown, with the marks that ``captions`` explains."""
    lines = [
        f"### {table.heading}",
        "",
        "| | " + " | ".join(table.heads) + " |",
        "|---" * (len(table.heads) + 1) + "|",
    ]
    for name, row in _marked(table, _MARKDOWN):
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """Return the table as LaTeX's tabular, with the same marks."""
    lines = [
        f"% {table.heading}",
        "\\begin{tabular}{l" + "c" * len(table.heads) + "}",
        "\\hline",
        " & " + " & ".join(map(_escaped, table.heads)) + " \\\\",
        "\\hline",
    ]
    for name, row in _marked(table, _LATEX):
        lines.append(_escaped(name) + " & " + " & ".join(row) + " \\\\")
    return "\n".join([*lines, "\\hline", "\\end{tabular}"]) + "\n"


def _marked(table: Table, marks: Marks) -> list[tuple[str, list[str]]]:
    """Return each row's name and its cells as text."""
    usual = table.usual_runs
    return [
        (name, [_text(cell, n, marks) for cell, n in zip(row, usual, strict=True)])
        for name, row in zip(table.names, table.rows, strict=True)
    ]


def _text(cell: Cell, usual_runs: int, marks: Marks) -> str:
    """Return a cell with its marks, the paper's number and the number of runs if it is not usual.

    A first and a second row are set off, a tie and a missing test have signs of their own.
    """
    text = {1: marks.best, 2: marks.second}.get(cell.rank, "{}").format(number(cell, marks.sign))
    text += marks.tied * cell.tied + marks.untested * cell.untested
    if cell.printed is not None:
        text += f" ({cell.printed:.1f})"
    return f"{text} [{len(cell.values)}]" if len(cell.values) not in (0, usual_runs) else text


def _escaped(text: str) -> str:
    for sign in ("\\", "_", "%", "&", "#", "$", "{", "}"):
        text = text.replace(sign, f"\\{sign}" if sign != "\\" else "\\textbackslash ")
    return text


_FIGURES = ("mean", "deviation", "low", "high", "runs", "rank", "tied", "p_value", "paper")


def to_csv(tables: Sequence[Table]) -> str:
    """Return all tables as one list: a row a cell, with the mean's interval and the test."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["table", "row", "column", *_FIGURES])
    for table in tables:
        for name, row in zip(table.names, table.rows, strict=True):
            for head, cell in zip(table.heads, row, strict=True):
                if cell.values or cell.printed is not None:
                    writer.writerow([table.heading, name, head, *_figures(cell)])
    return file.getvalue()


def _figures(cell: Cell) -> list[str]:
    """Return what a row of the list holds; what is not known is empty."""
    ends = mean_interval(list(cell.values.values()))
    return [
        *("" if math.isnan(v) else f"{v:.4f}" for v in (cell.mean, cell.deviation, *ends)),
        str(len(cell.values)),
        str(cell.rank or ""),
        _tie(cell),
        "" if cell.p_value is None else f"{cell.p_value:.3g}",
        "" if cell.printed is None else str(cell.printed),
    ]


def _tie(cell: Cell) -> str:
    """Say whether the test ties a cell to the best; the best itself is tied to nothing."""
    if cell.p_value is None:
        return "not tested" if cell.untested else ""
    return "yes" if cell.tied else "no"
