"""How much of a graph's damage is undone: ``python -m benchmarks.denoising``.

A synthetic graph of which a share of the edges is wrong, so that the truth is known: CoGSL on the
given graph, all nodes at once and in mini-batches, beside GCN on the given and on the true graph.
A seed decides graph, split and run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, format_figure, run_grid

if TYPE_CHECKING:
    from cogsl.methods.base import NodeClassifier

GIVEN, TRUE, FULL, BATCHES = "GCN", "GCN, true graph", "CoGSL", "CoGSL, mini-batches"
VARIANTS = (GIVEN, TRUE, FULL, BATCHES)


@dataclass(frozen=True)
class Run:
    """One run: a variant on the graph of a seed."""

    variant: str
    nodes: int
    wrong_edges: float
    seed: int
    clusters: int
    overrides: tuple[tuple[str, str], ...] = ()


def method_of(run: Run) -> NodeClassifier:
    """Return the variant's method, unfitted."""
    from cogsl.experiments.presets import find_method, resolve

    name = "gcn" if run.variant in (GIVEN, TRUE) else "cogsl"
    settings: dict[str, Any] = dict(run.overrides) if name == "cogsl" else {}
    if run.variant == BATCHES:
        settings["clusters"] = run.clusters
    return find_method(name)(**resolve(name, "", "default", settings))


def run_one(run: Run) -> dict[str, Any]:
    """Draw the graph, fit and evaluate."""
    import torch

    from cogsl.datasets.synthetic import Synthetic, generate
    from cogsl.evaluation import evaluate

    torch.set_num_threads(1)
    settings = Synthetic(nodes=run.nodes, wrong_edges=run.wrong_edges, graph_seed=run.seed)
    truth = generate(settings, split_seed=run.seed)
    graph = truth.true_graph if run.variant == TRUE else truth.graph
    record = evaluate(method_of(run), graph, seed=run.seed)
    kept = ("accuracy", "macro_f1", "val_accuracy", "seconds", "peak_memory", "best_iter")
    return asdict(run) | {key: record[key] for key in (*kept, "commit")}


def format_table(title: str, records: list[dict[str, Any]]) -> Table:
    """Return accuracies, the difference to GCN, and which share of the distance is closed."""
    from cogsl.evaluation.statistics import mean_and_deviation

    groups = {v: [r for r in records if r["variant"] == v] for v in VARIANTS}
    accuracy = {v: [100 * r["accuracy"] for r in rows] for v, rows in groups.items() if rows}
    table = Table(title=title)
    for head in ("", "accuracy", "over GCN (95 %)", "closed", "s/run", "peak MiB"):
        table.add_column(head)
    for variant, values in accuracy.items():
        mean, deviation = mean_and_deviation(values)
        difference = format_difference(values, accuracy[GIVEN]) if variant != GIVEN else ""
        rows = groups[variant]
        table.add_row(
            variant,
            format_figure(mean, deviation),
            difference,
            f"{100 * closed_share(accuracy, variant):.0f} %",
            f"{mean_and_deviation([r['seconds'] for r in rows])[0]:.0f}",
            f"{max(r['peak_memory'] for r in rows) / 2**20:.0f}",
        )
    return table


def closed_share(accuracy: dict[str, list[float]], variant: str) -> float:
    """Return which share of the way from GCN on the given to GCN on the true graph is gone."""
    from cogsl.evaluation.statistics import mean_and_deviation

    low, high, reached = (
        mean_and_deviation(accuracy[name])[0] if name in accuracy else float("nan")
        for name in (GIVEN, TRUE, variant)
    )
    return (reached - low) / (high - low)


def main(
    nodes: Annotated[int, typer.Option(help="nodes of each graph")] = 100_000,
    wrong_edges: Annotated[float, typer.Option(help="share of the edges that are wrong")] = 0.3,
    seeds: Annotated[int, typer.Option(help="graphs, splits and runs")] = 5,
    clusters: Annotated[int, typer.Option(help="clusters for the mini-batches")] = 40,
    variant: Annotated[list[str] | None, typer.Option(help="all if none")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value for CoGSL")] = None,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
) -> None:
    """Run every variant on every seed's graph and print one table."""
    from cogsl.experiments.presets import parse_assignments

    overrides = tuple(parse_assignments(set_ or []).items())
    runs = [
        Run(name, nodes, wrong_edges, seed, clusters, overrides)
        for name in variant or VARIANTS
        for seed in range(seeds)
    ]
    title = f"{nodes:,} nodes, {100 * wrong_edges:g} % of the edges wrong: test nodes"
    run_grid(run_one, {title: runs}, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
