"""Everything that a reproduction leaves: tables, figures, and a page that holds them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cogsl.datasets import DATASETS
from cogsl.errors import import_extra
from cogsl.experiments.specs import Spec, spec_names
from cogsl.files import write_text
from cogsl.report import captions
from cogsl.report.margins import margins_in_words
from cogsl.report.summary import in_words, ranks_in_words
from cogsl.report.table_formats import to_csv, to_latex, to_markdown
from cogsl.report.tables import Table, make_tables

SUMMARY = "summary.md"
_FOUND, _TABLES = "## What was found", "## Tables"

Record = Mapping[str, Any]


def check_drawable(spec: Spec) -> None:
    """Raise an error, before any run, if a figure could not be drawn after them."""
    if spec.kind == "figure":
        import_extra("matplotlib", extra="figures", purpose="Drawing figures")


def write_outputs(spec: Spec, records: Sequence[Record], folder: Path) -> list[Path]:
    """Write a spec's tables and figure, and ``<name>.md`` in words; return the files."""
    shown, rows = unfold(spec, records) if spec.measure == "views" else (spec, records)
    tables, paths = make_tables(shown, rows), []
    texts = {"md": page(spec, tables, records), "csv": to_csv(tables), "tex": _latex(tables)}
    for suffix, text in texts.items():
        path = folder / f"{spec.name}.{suffix}"
        write_text(path, text)
        paths.append(path)
    if spec.kind == "figure":
        from cogsl.report.figures import draw, save

        paths += save(draw(shown, rows), folder, spec.name)
    write_text(folder / SUMMARY, summary(folder))
    return [*paths, folder / SUMMARY]


def page(spec: Spec, tables: Sequence[Table], records: Sequence[Record]) -> str:
    """Return the page of a spec: what it shows, what was found, and the tables.

    Parameters
    ----------
    records : one a run, as they are counted.
    """
    parts = [f"# {spec.title}", f"In the paper: {spec.paper}. {_runs(records)}", spec.note]
    if spec.kind == "figure":
        parts += [f"![{spec.title}]({spec.name}.png)", captions.FIGURE]
    parts += [_FOUND, *_found(spec, tables, records), _TABLES, *captions.TABLES]
    parts += [to_markdown(table).rstrip() for table in tables]
    return "\n\n".join(filter(None, parts)) + "\n"


def _found(spec: Spec, tables: Sequence[Table], records: Sequence[Record]) -> list[str]:
    """Return the paper's claim, what our runs say to it, and what is not here."""
    margins = [_margins(spec, table) for table in tables]
    words = [f"{in_words(t)}\n{m}".rstrip() for t, m in zip(tables, margins, strict=True)]
    return [
        f"The paper: {spec.claim}" if spec.claim else "",
        *words,
        ranks_in_words(tables),
        captions.DIFFERENCES if spec.above or any(margins) else "",
        captions.BEST_OTHER if any(margins) else "",
        _not_here(spec, records),
    ]


def _not_here(spec: Spec, records: Sequence[Record]) -> str:
    """Name the data sets of a spec that nothing is shown of, and say why."""
    has_runs = {record["dataset"] for record in records}
    reasons = {**spec.left_out, **{d: "no runs" for d in spec.datasets if d not in has_runs}}
    if not reasons:
        return ""
    return f"Not here: {', '.join(f'{DATASETS[d].title} ({why})' for d, why in reasons.items())}."


def _margins(spec: Spec, table: Table) -> str:
    """Say under an attack how far each row of CoGSL is above the other methods, its own first."""
    if not spec.attack:
        return ""
    rivals = [series.name for series in spec.series if series.method != "cogsl"]
    ours = [series.name for series in spec.series if series.method == "cogsl"]
    ours.sort(key=lambda name: name != spec.own)
    return "\n".join(filter(None, (margins_in_words(table, name, rivals) for name in ours)))


def _latex(tables: Sequence[Table]) -> str:
    """Return all tables in LaTeX, under a comment that explains the marks."""
    return "\n".join([*(f"% {line}" for line in captions.TABLES), "", *map(to_latex, tables)])


def summary(folder: Path) -> str:
    """Return what was found in all tables and figures of a folder, as their pages say it."""
    parts = ["# Where we agree with the paper, and where we do not"]
    for name in spec_names():
        path = folder / f"{name}.md"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            title, found = text.splitlines()[0], text.partition(_FOUND)[2].partition(_TABLES)[0]
            parts.append(f"#{title} ([{name}]({name}.md))")
            parts.append(found.strip())
    return "\n\n".join(parts) + "\n"


def unfold(spec: Spec, records: Sequence[Record]) -> tuple[Spec, list[Record]]:
    """Return a spec and records in which each judged view stands as a method of its own."""
    rows: list[Record] = [
        {**record, **figures, "name": name}
        for record in records
        for name, figures in record["views"].items()
    ]
    names = dict.fromkeys(row["name"] for row in rows)
    series = tuple(replace(spec.series[0], name=name) for name in names)
    return replace(spec, series=series), rows


def _runs(records: Sequence[Record]) -> str:
    """Say how many runs there are, and how many stand behind a figure."""
    behind = Counter((r["dataset"], r["name"], r["point"], r["axis"]) for r in records)
    if not behind:
        return "Nothing was run."
    least, most = min(behind.values()), max(behind.values())
    spread = f"{least}" if least == most else f"{least} to {most}"
    return f"{len(records)} runs, {spread} for each figure."
