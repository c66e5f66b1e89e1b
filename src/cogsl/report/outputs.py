"""Everything that a reproduction leaves: tables, figures, and a page that holds them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cogsl.errors import import_extra
from cogsl.experiments.specs import Spec, spec_names
from cogsl.files import write_text
from cogsl.report.summary import in_words, margins_in_words
from cogsl.report.tables import Table, make_tables, to_csv, to_latex, to_markdown

SUMMARY = "summary.md"
_FOUND, _TABLES = "## What was found", "## Tables"

Record = Mapping[str, Any]


def check_drawable(spec: Spec) -> None:
    """Raise an error, before any run, if a figure could not be drawn after them."""
    if spec.kind == "figure":
        import_extra("matplotlib", extra="figures", purpose="Drawing figures")


def write_outputs(spec: Spec, records: Sequence[Record], folder: Path) -> list[Path]:
    """Write a spec's tables and figure, and ``<name>.md`` in words; return the files."""
    if spec.measure == "views":
        spec, records = unfold(spec, records)
    tables, paths = make_tables(spec, records), []
    latex = "\n".join(to_latex(table) for table in tables)
    texts = {"md": page(spec, tables, records), "csv": to_csv(tables), "tex": latex}
    for suffix, text in texts.items():
        path = folder / f"{spec.name}.{suffix}"
        write_text(path, text)
        paths.append(path)
    if spec.kind == "figure":
        from cogsl.report.figures import draw, save

        paths += save(draw(spec, records), folder, spec.name)
    write_text(folder / SUMMARY, summary(folder))
    return [*paths, folder / SUMMARY]


def page(spec: Spec, tables: Sequence[Table], records: Sequence[Record]) -> str:
    """Return the page of a spec: what it shows, what was found, and the tables."""
    parts = [f"# {spec.title}", f"The paper: {spec.paper}. {_runs(records)}"]
    if spec.note:
        parts.append(spec.note)
    if spec.kind == "figure":
        parts.append(f"![{spec.title}]({spec.name}.png)")
        parts.append("Bands and bars are 95 % intervals of the mean over runs (bootstrap).")
    parts.append(_FOUND)
    for table in tables:
        words = [in_words(table), *(_margins(spec, table) if spec.attack else [])]
        parts.append("\n".join(filter(None, words)))
    parts += [_TABLES]
    parts.append(
        "Mean ± standard deviation in percent. Best bold, runner-up underlined; a star marks what "
        "the paired test, corrected for the number of rows, does not tell apart from the best. The "
        "paper's own numbers stand in brackets."
    )
    parts += [to_markdown(table).rstrip() for table in tables]
    return "\n\n".join(parts) + "\n"


def _margins(spec: Spec, table: Table) -> list[str]:
    """Say how far CoGSL is above the other methods, with the paper's settings and with ours."""
    rivals = [series.name for series in spec.series if series.method != "cogsl"]
    by_preset: dict[str, list[str]] = {}
    for series in spec.series:
        if series.method == "cogsl":
            by_preset.setdefault(series.preset, []).append(series.name)
    return [margins_in_words(table, ours, rivals) for ours in by_preset.values()]


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
