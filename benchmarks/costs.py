"""Time and memory of every method on the same graph: ``python -m benchmarks.costs``.

One run each with the default preset, alone on the machine, in a process of its own that has loaded
nothing else. Records that the file holds already are not measured again. A method that
would need more memory than is free, or longer than ``--hours``, is not run; its estimate is shown.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import Record, print_table, write_records
from benchmarks.timing import load_optimisers

BASE = "gcn"  # what the others are compared with
FIGURES = ("val_accuracy", "macro_f1", "micro_f1", "auc")


def measure(dataset: str, method: str, threads: int, hours: float) -> Record:
    """Run a method once, or say why not."""
    import torch

    from cogsl import datasets
    from cogsl.cost import GraphSize
    from cogsl.errors import CogslError
    from cogsl.evaluation import evaluate
    from cogsl.experiments.forecast import forecast
    from cogsl.experiments.presets import find_method, resolve

    torch.set_num_threads(threads)
    load_optimisers()  # two seconds, once a process
    origin: Record = {"dataset": dataset, "method": method, "threads": threads}
    graph = datasets.load(dataset)
    chosen = find_method(method)(**resolve(method, dataset))
    needed = forecast(chosen, GraphSize.of(graph), graph_is_loaded=True)
    if needed.estimate.seconds > 3600 * hours:
        return origin | {"failure": f"not run: about {needed.estimate.seconds / 3600:.0f} h"}
    try:
        needed.check()
    except CogslError as error:
        return origin | {"failure": str(error)}
    before = needed.held
    record = evaluate(chosen, graph, seed=0)
    kept = ("seconds", "peak_memory", "n_iter", "best_iter", *FIGURES, "commit")
    return origin | {"held_before": before} | {key: record[key] for key in kept}


def format_table(dataset: str, records: list[Record]) -> Table:
    """Return a row a method: seconds and memory, and both over GCN's."""
    base = next((r for r in records if r["method"] == BASE and "failure" not in r), None)
    threads = records[0]["threads"]
    table = Table(title=f"{dataset}: one run, {threads} threads, alone on the machine")
    for head in ("", "s/run", "x GCN", "peak MiB", "x GCN", "of it new", "iterations", "s each"):
        table.add_column(head)
    for r in records:
        if "failure" in r:
            table.add_row(r["method"], r["failure"])
            continue
        new = r["peak_memory"] - r["held_before"]
        table.add_row(
            r["method"],
            f"{r['seconds']:.1f}",
            f"{r['seconds'] / base['seconds']:.1f}" if base else "",
            f"{r['peak_memory'] / 2**20:.0f}",
            f"{r['peak_memory'] / base['peak_memory']:.1f}" if base else "",
            f"{new / 2**20:.0f}",
            str(r["n_iter"]),
            f"{r['seconds'] / max(1, r['n_iter']):.2f}",
        )
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    method: Annotated[list[str] | None, typer.Option(help="methods; all if none")] = None,
    threads: Annotated[int, typer.Option(help="threads of PyTorch")] = 2,
    hours: Annotated[float, typer.Option(help="the longest estimate of what is run")] = 2.0,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
) -> None:
    """Measure what is missing and print a table a data set."""
    from cogsl.methods import METHODS

    done: list[Any] = []
    if summary is not None and summary.exists():
        done = json.loads(summary.read_text(encoding="utf-8"))
    for name in dataset:
        for each in method or METHODS:
            if any((r["dataset"], r["method"]) == (name, each) for r in done):
                continue
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                done.append(pool.submit(measure, name, each, threads, hours).result())
            if summary is not None:
                write_records(summary, done)
        print_table(format_table(name, [r for r in done if r["dataset"] == name]))


if __name__ == "__main__":
    typer.run(main)
