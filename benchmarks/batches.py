"""Mini-batches beside the whole graph: ``python -m benchmarks.batches --dataset pubmed``.

CoGSL on adjacency and diffusion with the default preset, all nodes at once and in mini-batches of
clusters, on the same splits and seeds. (A seed is also the split's, where no split is official.)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, format_figure, run_grid

FULL, BATCHES = "all nodes at once", "mini-batches"


@dataclass(frozen=True)
class Run:
    """One run; a single cluster is the whole graph."""

    dataset: str
    seed: int
    clusters: int
    overrides: tuple[tuple[str, str], ...] = ()

    @property
    def variant(self) -> str:
        """What the table calls it."""
        return FULL if self.clusters == 1 else BATCHES


def run_one(run: Run) -> dict[str, Any]:
    """Load, fit and evaluate."""
    import torch

    from cogsl import datasets
    from cogsl.evaluation import evaluate
    from cogsl.experiments.presets import resolve
    from cogsl.methods.cogsl import CoGSL

    torch.set_num_threads(1)
    settings = {**dict(run.overrides), "clusters": run.clusters}
    method = CoGSL(**resolve("cogsl", run.dataset, "default", settings))
    graph = datasets.load(run.dataset, split_seed=run.seed)
    record = evaluate(method, graph, seed=run.seed)
    kept = ("macro_f1", "micro_f1", "auc", "seconds", "peak_memory", "best_iter", "commit")
    return asdict(run) | {"variant": run.variant} | {key: record[key] for key in kept}


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return accuracy, time and memory of both, and whether they are a deviation apart."""
    from cogsl.evaluation.statistics import mean_and_deviation

    table = Table(title=f"{dataset}: test nodes, {len(records) // 2} seeds")
    for head in ("", "macro-F1", "micro-F1", "AUC", "micro-F1 over the first", "s/run", "MiB"):
        table.add_column(head)
    groups = {v: [r for r in records if r["variant"] == v] for v in (FULL, BATCHES)}
    micro = {v: [100 * r["micro_f1"] for r in rows] for v, rows in groups.items()}
    for variant, rows in groups.items():
        cells = []
        for metric in ("macro_f1", "micro_f1", "auc"):
            mean, deviation = mean_and_deviation([100 * r[metric] for r in rows])
            cells.append(format_figure(mean, deviation))
        difference = format_difference(micro[variant], micro[FULL]) if variant != FULL else ""
        seconds = mean_and_deviation([r["seconds"] for r in rows])[0]
        peak = max(r["peak_memory"] for r in rows) / 2**20
        table.add_row(variant, *cells, difference, f"{seconds:.0f}", f"{peak:.0f}")
    means, deviations = zip(*(mean_and_deviation(values) for values in micro.values()), strict=True)
    apart = abs(means[0] - means[1])
    word = "pass" if apart <= max(deviations) else "FAIL"
    table.caption = f"{word}: {apart:.2f} apart, one standard deviation is {max(deviations):.2f}"
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    seeds: Annotated[int, typer.Option(help="runs of each")] = 3,
    clusters: Annotated[int, typer.Option(help="clusters for the mini-batches")] = 16,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value for CoGSL")] = None,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
) -> None:
    """Run both variants on every seed and print one table a data set."""
    from cogsl.experiments.presets import parse_assignments

    overrides = tuple(parse_assignments(set_ or []).items())
    runs = {
        name: [Run(name, seed, n, overrides) for n in (1, clusters) for seed in range(seeds)]
        for name in dataset
    }
    run_grid(run_one, runs, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
