"""Accuracy of every method on the same graphs and splits, beside what the paper prints.

    python -m benchmarks.accuracy --dataset wine --dataset citeseer --method gcn --jobs 2

Data sets with a public split are run with several seeds on it. The authors' splits of the others
are not public, so these are run on several splits, run seed k on split k. A method whose first run
takes less than a minute runs ten times, less than ten minutes three times, else once. Runs whose
record is there already are not run again. Every figure is a mean over all runs: no split and no
seed is picked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, format_figure, print_table, run_grid

METRICS = ("macro_f1", "micro_f1", "auc")
KEPT = ("val_accuracy", "seconds", "peak_memory", "best_iter", "n_iter", "commit", *METRICS)
"""What a compact record has of a run."""
PAPER = Path(__file__).with_name("paper_table.toml")
BASE = "gcn"  # what times are compared with
OURS = "cogsl"


DATASETS = (
    "wine",
    "breast_cancer",
    "digits",
    "polblogs",
    "citeseer",
    "ms_academic",
    "cora",
    "pubmed",
)


@dataclass(frozen=True)
class Job:
    """One run."""

    dataset: str
    method: str
    preset: str
    seed: int
    split_seed: int
    overrides: tuple[tuple[str, str], ...]
    output: str
    threads: int


def run_job(job: Job) -> dict[str, Any]:
    """Run one job, or read its record if it is there; return the compact record.

    A run that would not fit in memory, or fails, is a record with the reason and no figures.
    """
    import torch

    from cogsl.cost import GraphSize
    from cogsl.errors import CogslError
    from cogsl.evaluation.provenance import content_hash
    from cogsl.experiments import runner
    from cogsl.experiments.forecast import forecast

    torch.set_num_threads(job.threads)
    plan = runner.prepare(
        job.dataset,
        output=Path(job.output),
        method=job.method,
        preset=job.preset,
        overrides=dict(job.overrides),
        seeds=(job.seed,),
        split_seed=job.split_seed,
    )
    origin = {key: value for key, value in asdict(job).items() if key not in ("output", "threads")}
    graph = runner.load_graph(plan)
    path = plan.output / runner.record_name(plan, content_hash(graph), job.seed)
    if not path.exists():
        try:
            forecast(plan.new_method(), GraphSize.of(graph), graph_is_loaded=True).check()
            runner.run(plan, graph)
        except CogslError as error:
            return origin | {"failure": str(error)}
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return origin | {key: record[key] for key in KEPT}


def first_jobs(
    dataset: str,
    methods: Iterable[str],
    presets: Iterable[str],
    overrides: Mapping[str, str],
    *,
    output: Path,
    threads: int,
) -> list[Job]:
    """Return the first run of every method with every preset that it has for the data set."""
    from cogsl.experiments.presets import has_preset

    return [
        Job(dataset, method, preset, 0, 0, tuple(overrides.items()), str(output), threads)
        for method in methods
        for preset in presets
        if has_preset(method, dataset, preset)
    ]


def more_jobs(job: Job, record: Mapping[str, Any], runs: int | None) -> list[Job]:
    """Return the further runs of a job whose first one has ended."""
    from cogsl.datasets import DATASETS as KNOWN
    from cogsl.experiments.reproduction import runs_by_time

    if "failure" in record:
        return []
    drawn = KNOWN[job.dataset].draws_splits
    total = runs or runs_by_time(record["seconds"])
    return [replace(job, seed=k, split_seed=k if drawn else 0) for k in range(1, total)]


@cache
def printed(dataset: str) -> dict[str, list[list[float]]]:
    """Return the paper's mean and deviation of each metric by method; nothing for some data."""
    import tomllib

    table: dict[str, Any] = tomllib.loads(PAPER.read_text(encoding="utf-8"))
    found: dict[str, list[list[float]]] = table.get(dataset, {})
    return found


def least(mean: float, deviation: float) -> float:
    """Return what a method must reach not to be too weak beside the paper's figure."""
    return mean - max(2 * deviation, 1.5)


def shortfall(dataset: str, method: str, means: list[float]) -> str:
    """Say by how much each metric falls short of what it must reach; "" if none does."""
    if method not in printed(dataset):
        return ""
    found = zip(METRICS, means, printed(dataset)[method], strict=True)
    limits = [(metric, mean, least(*figures)) for metric, mean, figures in found]
    return ", ".join(f"{name} {limit - mean:.1f}" for name, mean, limit in limits if mean < limit)


def group(records: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the records of each method and preset."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault((record["method"], record["preset"]), []).append(record)
    return groups


def paired(
    ours: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> tuple[list[float], list[float]]:
    """Return the macro-F1 in percent, ours and theirs, of the runs that both have."""
    mine = {(r["seed"], r["split_seed"]): 100 * r["macro_f1"] for r in ours}
    both = [r for r in theirs if (r["seed"], r["split_seed"]) in mine]
    figures = [mine[r["seed"], r["split_seed"]] for r in both]
    return figures, [100 * r["macro_f1"] for r in both]


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return a row a method: figures, the paper's, CoGSL's lead over it, time and memory."""
    from cogsl.evaluation.statistics import mean_and_deviation

    groups = group(records)
    done = {key: rows for key, rows in groups.items() if "failure" not in rows[0]}
    base, ours = (done.get((name, "default"), []) for name in (BASE, OURS))
    table = Table(title=f"{dataset}: test nodes")
    heads = ("", "runs", "macro-F1", "micro-F1", "AUC", "the paper's", "too weak by")
    for head in (*heads, "CoGSL's lead, macro-F1 (95 %)", "s/run", "x GCN", "MiB"):
        table.add_column(head)
    for (method, preset), rows in groups.items():
        name = f"{method} ({preset})" if preset != "default" else method
        if (method, preset) not in done:
            table.add_row(name, "0", rows[0]["failure"])
            continue
        figures = [mean_and_deviation([100 * r[m] for r in rows]) for m in METRICS]
        seconds, _ = mean_and_deviation([r["seconds"] for r in rows])
        usual = mean_and_deviation([r["seconds"] for r in base])[0] if base else float("nan")
        table.add_row(
            name,
            str(len(rows)),
            *starmap(format_figure, figures),
            "/".join(f"{mean:.1f}" for mean, _ in printed(dataset).get(method, [])),
            shortfall(dataset, method, [mean for mean, _ in figures]),
            format_difference(*paired(ours, rows)) if rows is not ours else "",
            f"{seconds:.1f}",
            f"{seconds / usual:.1f}",
            f"{max(r['peak_memory'] for r in rows) / 2**20:.0f}",
        )
    return table


def show(records: list[dict[str, Any]], datasets: list[str] | None = None) -> None:
    """Print the tables of records that are there already."""
    for name in DATASETS:
        rows = [record for record in records if record["dataset"] == name]
        if rows and (datasets is None or name in datasets):
            print_table(format_table(name, rows))


def main(
    dataset: Annotated[list[str] | None, typer.Option(help="data sets; all if none")] = None,
    method: Annotated[list[str] | None, typer.Option(help="methods; all if none")] = None,
    preset: Annotated[list[str] | None, typer.Option(help="default, paper; both if none")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value, all methods")] = None,
    output: Annotated[Path, typer.Option(help="folder of the full records")] = Path(
        "runs/accuracy"
    ),
    summary: Annotated[
        Path | None, typer.Option(help="file that the compact records are put into")
    ] = None,
    read: Annotated[
        Path | None, typer.Option(help="run nothing: show the compact records of this file")
    ] = None,
    runs: Annotated[int | None, typer.Option(help="seeds or splits, if not the usual")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
    threads: Annotated[int, typer.Option(help="threads of each process")] = 1,
) -> None:
    """Run what is missing and print one table a data set."""
    from cogsl.experiments.presets import PRESETS, parse_assignments
    from cogsl.methods import METHODS

    if read is not None:
        show(json.loads(read.read_text(encoding="utf-8")), dataset)
        return
    overrides = parse_assignments(set_ or [])
    todo = {
        name: first_jobs(
            name, method or METHODS, preset or PRESETS, overrides, output=output, threads=threads
        )
        for name in dataset or DATASETS
    }
    run_grid(
        run_job,
        todo,
        format_table,
        jobs=jobs,
        summary=summary,
        more=lambda job, record: more_jobs(job, record, runs),
        group=("dataset", "method", "preset", "overrides"),
    )


if __name__ == "__main__":
    typer.run(main)
