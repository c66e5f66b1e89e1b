"""Accuracy of CoGSL, beside GCN on the same graphs and splits and beside the paper's row.

    python -m benchmarks.accuracy --dataset wine --dataset citeseer --jobs 2

Data sets with a public split are run with ten seeds on it. The authors' splits of the others are
not public, so these are run on ten splits (three for the largest), run seed k on split k. Runs
whose record is there already are not run again. Every figure is a mean over all runs: no split and
no seed is picked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, run_grid

METRICS = ("macro_f1", "micro_f1", "auc")


@dataclass(frozen=True)
class Protocol:
    """How a data set is run: its ``n`` runs differ by seed, and by split where none is public."""

    paper: tuple[float, float, float]
    n: int = 10
    varies_split: bool = True


PROTOCOLS = {
    "wine": Protocol((97.9, 97.8, 99.7)),
    "breast_cancer": Protocol((94.6, 95.0, 98.5)),
    "digits": Protocol((93.3, 93.3, 99.6)),
    "polblogs": Protocol((95.5, 95.5, 98.3), varies_split=False),
    "citeseer": Protocol((70.2, 73.4, 91.4), varies_split=False),
    "ms_academic": Protocol((90.5, 92.4, 99.4), n=3),
}


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
    """Run one job, or read its record if it is there; return the compact record."""
    import torch

    from cogsl.evaluation.provenance import content_hash
    from cogsl.experiments import runner

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
    graph = runner.load_graph(plan)
    path = plan.output / runner.record_name(plan, content_hash(graph), job.seed)
    if not path.exists():
        runner.run(plan, graph)
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    kept = ("val_accuracy", "seconds", "peak_memory", "best_iter", "n_iter", "commit", *METRICS)
    origin = {key: value for key, value in asdict(job).items() if key not in ("output", "threads")}
    return origin | {key: record[key] for key in kept}


def jobs_of(
    dataset: str,
    variants: Iterable[str],
    overrides: Mapping[str, str],
    *,
    runs: int | None,
    output: Path,
    threads: int,
) -> list[Job]:
    """Return all runs of a data set; a variant is "gcn", "paper" or "default"."""
    protocol = PROTOCOLS[dataset]
    return [
        Job(
            dataset,
            "gcn" if variant == "gcn" else "cogsl",
            "default" if variant == "gcn" else variant,
            seed=k,
            split_seed=k if protocol.varies_split else 0,
            overrides=() if variant == "gcn" else tuple(overrides.items()),
            output=str(output),
            threads=threads,
        )
        for variant in variants
        for k in range(runs or protocol.n)
    ]


def name_of(record: dict[str, Any]) -> str:
    """Return "GCN" or "CoGSL (paper)" and the like."""
    return "GCN" if record["method"] == "gcn" else f"CoGSL ({record['preset']})"


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return means and deviations, the paired difference to GCN, and the paper's row."""
    from cogsl.evaluation.statistics import mean_and_deviation

    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(name_of(record), []).append(record)
    table = Table(title=f"{dataset}: {len(next(iter(groups.values())))} runs")
    for head in ("", "macro-F1", "micro-F1", "AUC", "macro-F1 over GCN (95 %)", "s/run", "MiB"):
        table.add_column(head)
    for name, group in groups.items():
        cells = []
        for metric in METRICS:
            mean, deviation = mean_and_deviation([100 * r[metric] for r in group])
            cells.append(f"{mean:.1f}±{deviation:.1f}")
        difference = ""
        if name != "GCN" and "GCN" in groups:
            ours, theirs = ([100 * r["macro_f1"] for r in g] for g in (group, groups["GCN"]))
            difference = format_difference(ours, theirs)
        seconds, _ = mean_and_deviation([r["seconds"] for r in group])
        peak = max(r["peak_memory"] for r in group) / 2**20
        table.add_row(name, *cells, difference, f"{seconds:.1f}", f"{peak:.0f}")
    table.add_row("the paper's CoGSL", *(f"{x:.1f}" for x in PROTOCOLS[dataset].paper), "", "", "")
    return table


def main(
    dataset: Annotated[list[str] | None, typer.Option(help="data sets; all if none")] = None,
    variant: Annotated[list[str] | None, typer.Option(help="gcn, paper, default")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value for CoGSL")] = None,
    output: Annotated[Path, typer.Option(help="folder of the full records")] = Path(
        "runs/accuracy"
    ),
    summary: Annotated[Path | None, typer.Option(help="file of the compact records")] = None,
    runs: Annotated[int | None, typer.Option(help="seeds or splits, if not the usual")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
    threads: Annotated[int, typer.Option(help="threads of each process")] = 1,
) -> None:
    """Run what is missing and print one table a data set."""
    from cogsl.experiments.presets import parse_assignments

    variants, overrides = variant or ["gcn", "paper", "default"], parse_assignments(set_ or [])
    todo = {
        name: jobs_of(name, variants, overrides, runs=runs, output=output, threads=threads)
        for name in dataset or PROTOCOLS
    }
    run_grid(run_job, todo, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
