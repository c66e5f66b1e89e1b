"""What every search chose, and what it took: one table of a file of ``benchmarks.search``.

    python -m benchmarks.search_table docs/results/search-methods.json [--page PAGE.md]

With ``--page`` the table is written into that page, between its marks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.console import Console

from benchmarks.ranking import put_into_page
from benchmarks.search import accuracies, best_of

Records = list[dict[str, Any]]
FIRST = "default"


def searches(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], Records]:
    """Return the runs of each method on each data set."""
    found: dict[tuple[str, str], Records] = {}
    for record in records:
        found.setdefault((record["method"], record["dataset"]), []).append(record)
    return found


def in_words(records: Records) -> str:
    """Return the candidate that was chosen, and its accuracy beside that of the defaults."""
    means = {name: fmean(figures) for name, figures in accuracies(records).items()}
    best = best_of(records)
    beside = "" if best == FIRST else f" to {means[FIRST]:.1f}"
    return f"{best} ({means[best]:.1f}{beside}; {len(means)} candidates, {len(records)} runs)"


def to_markdown(found: Mapping[tuple[str, str], Records]) -> str:
    """Return one row a method and one column a data set, in the order of the product's lists."""
    from cogsl.datasets import DATASETS
    from cogsl.methods import METHODS

    columns = [name for name in DATASETS if any(dataset == name for _, dataset in found)]
    rows = [name for name in METHODS if any(method == name for method, _ in found)]
    lines = ["| | " + " | ".join(DATASETS[name].title for name in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for method in rows:
        runs = [found.get((method, dataset)) for dataset in columns]
        cells = ["" if its is None else in_words(its) for its in runs]
        lines.append(f"| {METHODS[method].about.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(
    records: Annotated[Path, typer.Argument(help="file of benchmarks.search")],
    page: Annotated[Path | None, typer.Option(help="write the table into this page")] = None,
) -> None:
    """Print the table, with the number of runs and the processor time of all."""
    rows: Records = json.loads(records.read_text(encoding="utf-8"))
    hours = sum(row["seconds"] for row in rows) / 3600
    words = f"{len(rows):,} runs of one thread, {hours:.1f} processor hours."
    text = f"{to_markdown(searches(rows))}\n\n{words}"
    Console(width=250).print(text, markup=False)
    if page is not None:
        put_into_page(page, "searches", text)


if __name__ == "__main__":
    typer.run(main)
