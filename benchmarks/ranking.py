"""Where CoGSL stands among all methods, by a paired test over seeds and splits.

    python -m benchmarks.ranking docs/results/accuracy.json [--page docs/results/README.md]

With ``--page`` the table and the words are written into that page, between its marks.

A baseline is taken with the settings that were searched for it (its ``paper`` preset) where there
are any; CoGSL with its ``default`` ones, the same for every data set. Methods are ranked by their
mean macro-F1; where one has fewer runs, as long ones have, by how far it is from CoGSL on the runs
that both have, as some splits are harder than others. The test compares CoGSL with each on these
runs, too, and is corrected for the number of methods (Holm).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.accuracy import METRICS, OURS, group, paired, printed, shortfall
from benchmarks.grid import format_difference, format_figure

Records = list[dict[str, Any]]
LEVEL = 0.05


@dataclass(frozen=True)
class Standing:
    """A method on one data set, beside CoGSL.

    Parameters
    ----------
    name : with its preset, if that is not the default.
    mean : macro-F1 in percent, of all its runs.
    level : what it is ranked by: CoGSL's mean less CoGSL's lead over it on the runs that both have.
    runs : how many.
    lead : of CoGSL over it, in words; "" where there is nothing to compare.
    p_value : of the paired test, corrected; None where there is none.
    """

    name: str
    mean: float
    level: float
    runs: int
    lead: str = ""
    p_value: float | None = None

    @property
    def verdict(self) -> str:
        """What the test says of CoGSL against it."""
        if self.p_value is None:
            return ""
        if self.p_value >= LEVEL:
            return "not told apart"
        return "CoGSL better" if self.lead.startswith("+") else "CoGSL worse"


def chosen(records: Iterable[dict[str, Any]], ours: str = "default") -> dict[str, Records]:
    """Return the runs of each method, with the preset by which it is compared."""
    groups = group(record for record in records if "failure" not in record)
    found: dict[str, Records] = {}
    for (method, preset), rows in groups.items():
        wanted = ours if method == OURS else "paper"
        if preset == wanted or (method not in found and (method, wanted) not in groups):
            found[method] = rows
    return found


def standings(records: Sequence[dict[str, Any]], ours: str = "default") -> list[Standing]:
    """Return the methods of one data set, the best first."""
    from cogsl.evaluation.statistics import holm, paired_p_value

    by_method = chosen(records, ours)
    own = by_method.get(OURS, [])
    pairs = {name: paired(own, rows) for name, rows in by_method.items() if name != OURS}
    tested = [name for name, (mine, _) in pairs.items() if len(mine) > 1]
    p_values = holm([paired_p_value(*pairs[name]) for name in tested])
    corrected = dict(zip(tested, p_values, strict=True))
    means = {name: fmean(100 * row["macro_f1"] for row in rows) for name, rows in by_method.items()}
    found = []
    for method, rows in by_method.items():
        mine, theirs = pairs.get(method, ([], []))
        level = means[OURS] - fmean(mine) + fmean(theirs) if mine else means[method]
        lead = format_difference(*pairs[method]) if method in tested else ""
        preset = rows[0]["preset"]
        name = method if preset == "default" else f"{method} ({preset})"
        found.append(Standing(name, means[method], level, len(rows), lead, corrected.get(method)))
    return sorted(found, key=lambda standing: -standing.level)


def rank_of_ours(found: Sequence[Standing]) -> int:
    """Return CoGSL's rank, from 1; 0 if it was not run."""
    names = [standing.name.split()[0] for standing in found]
    return names.index(OURS) + 1 if OURS in names else 0


def in_words(dataset: str, found: Sequence[Standing]) -> str:
    """Say plainly where CoGSL stands on a data set."""
    rank = rank_of_ours(found)
    if not rank:
        return f"{dataset}: CoGSL was not run."
    worse = [s.name for s in found if s.verdict == "CoGSL worse"]
    better = [s.name for s in found if s.verdict == "CoGSL better"]
    above = [s.name for s in found[: rank - 1]]
    parts = [f"{dataset}: CoGSL is number {rank} of {len(found)} by the mean"]
    parts.append(f"above it {', '.join(above)}" if above else "none above it")
    parts.append(f"beyond chance better than {', '.join(better) or 'none'}")
    parts.append(f"worse than {', '.join(worse) or 'none'}")
    return "; ".join(parts) + "."


def format_standings(dataset: str, found: Sequence[Standing]) -> Table:
    """Return a row a method."""
    table = Table(title=dataset)
    for head in ("", "method", "macro-F1", "runs", "CoGSL's lead (95 %)", "p (Holm)", "the test"):
        table.add_column(head)
    for rank, s in enumerate(found, start=1):
        p_value = "" if s.p_value is None else f"{s.p_value:.3f}"
        cells = (f"{s.mean:.1f}", str(s.runs), s.lead, p_value, s.verdict)
        table.add_row(str(rank), s.name, *cells)
    return table


def to_markdown(by_dataset: Mapping[str, Records]) -> str:
    """Return one row a method and one column a data set: the three metrics, beside the paper's.

    What a baseline lacks to its printed mean less two deviations or 1.5 points stands in bold; the
    number of runs stands in brackets where it is not ten.
    """
    from cogsl import datasets
    from cogsl.methods import METHODS

    picked = {name: chosen(rows) for name, rows in by_dataset.items()}
    titles = [datasets.DATASETS[name].title for name in picked]
    lines = ["| | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for method, kind in METHODS.items():
        cells = [_cell(name, method, its.get(method, [])) for name, its in picked.items()]
        lines.append(f"| {kind.about.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(dataset: str, method: str, rows: Records) -> str:
    from cogsl.evaluation.statistics import mean_and_deviation

    if not rows:
        return "-"
    figures = [mean_and_deviation([100 * r[metric] for r in rows]) for metric in METRICS]
    means = [mean for mean, _ in figures]
    parts = [format_figure(*figures[0]), *(f"{mean:.1f}" for mean in means[1:])]
    words = ["/".join(parts)]
    if method in printed(dataset):
        words.append(f"({printed(dataset)[method][0][0]:.1f})")
    if method != OURS and (lacking := shortfall(dataset, method, means)):
        words.append(f"**{lacking}**")
    if len(rows) != _USUAL_RUNS:
        words.append(f"[{len(rows)}]")
    return " ".join(words)


def in_page(page: str, name: str, text: str) -> str:
    """Return the page with the text between the marks of that name."""
    first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, start, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not start or not end:
        raise SystemExit(f"The page must have the marks {first} and {last}.")
    return f"{before}{start}\n{text}\n{end}{after}"


def put_into_page(page: Path, name: str, text: str) -> None:
    """Write the text into a page, between the marks of that name."""
    from cogsl.files import write_text

    write_text(page, in_page(page.read_text(encoding="utf-8"), name, text))


_USUAL_RUNS = 10
_SEVERAL = 3  # methods that make a ranking


def main(
    records: Annotated[Path, typer.Argument(help="file of benchmarks.accuracy")],
    preset: Annotated[str, typer.Option(help="CoGSL's: default or paper")] = "default",
    page: Annotated[Path | None, typer.Option(help="write table and words into this page")] = None,
) -> None:
    """Print one table a data set, then the ranks in words."""
    from cogsl.evaluation.statistics import average_ranks

    by_dataset: dict[str, Records] = {}
    for row in json.loads(records.read_text(encoding="utf-8")):
        by_dataset.setdefault(row["dataset"], []).append(row)
    by_dataset = {name: rows for name, rows in by_dataset.items() if len(chosen(rows)) >= _SEVERAL}
    found = {name: standings(its, preset) for name, its in by_dataset.items()}
    console = Console(width=150)
    for name, its in found.items():
        console.print(format_standings(name, its))
    columns = ({s.name.split()[0]: s.level for s in its} for its in found.values())
    means = ", ".join(f"{name} {rank:.1f}" for name, rank in average_ranks(columns).items())
    words = [f"- {in_words(name, its)}" for name, its in found.items()]
    words.append(f"- Mean rank over {len(found)} data sets: {means}.")
    console.print("\n".join(words))
    if page is not None:
        put_into_page(page, "methods", to_markdown(by_dataset) + "\n\n" + "\n".join(words))


if __name__ == "__main__":
    typer.run(main)
