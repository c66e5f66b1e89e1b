"""How time and memory grow with the graph: ``python -m benchmarks.scaling``.

Synthetic graphs of mean degree 10 with 64 features and 10 classes, both pairs of views that large
graphs use. Each case runs in a process of its own, whose peak of memory is thus its own. The
exponent of N is the slope of a straight line through the logarithms from 30,000 nodes up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.grid import write_records

if TYPE_CHECKING:
    from cogsl.methods.cogsl import CoGSL

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
FITTED_FROM = 30_000
PAIRS: dict[str, dict[str, Any]] = {
    "diffusion": {"views": ("adjacency", "diffusion"), "scope": (1, 32), "teleport": 0.2},
    "subgraph": {"views": ("adjacency", "subgraph"), "scope": (1, 1)},
}
LIMITS = {"exponent": 1.15, "gibibytes": 16.0, "error": 0.25}
Record = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One measurement; a case in batches cuts the graph into clusters."""

    pair: str
    nodes: int
    iterations: int = 3
    clusters: int = 1

    def method(self) -> CoGSL:
        """Return the method, unfitted."""
        from cogsl.methods.cogsl import CoGSL

        return CoGSL(**PAIRS[self.pair], iterations=self.iterations, clusters=self.clusters)


def measure(case: Case) -> Record:
    """Draw the graph, estimate, fit, and return what it took. The peak counts from the estimate."""
    import numpy as np
    import torch

    from cogsl import datasets
    from cogsl.cost import GraphSize
    from cogsl.evaluation import memory, provenance
    from cogsl.experiments.forecast import forecast

    graph = datasets.load("synthetic", settings={"nodes": case.nodes})
    method = case.method()
    expected = forecast(method, GraphSize.of(graph), graph_is_loaded=True)
    memory.reset_peak()
    watch = _Watch()
    method.fit(graph, seed=0, listener=watch)
    seconds = [
        sum(value for name, value in record.items() if name.startswith("seconds_"))
        for record in method.history_
    ]
    return {
        "pair": case.pair,
        "nodes": case.nodes,
        "clusters": case.clusters,
        "threads": torch.get_num_threads(),
        "views_seconds": watch.views_seconds,
        "iteration_seconds": float(np.median(seconds[1:] or seconds)),
        "peak_bytes": memory.peak_bytes(),
        "estimated_bytes": expected.peak_bytes,
        "estimated_views_seconds": expected.estimate.views.seconds,
        "estimated_iteration_seconds": expected.estimate.iteration.seconds,
        "entries": int(method.final_view_.nnz),
        "commit": provenance.commit(),
    }


class _Watch:
    """Notes how long the basic views took."""

    def __init__(self) -> None:
        self.views_seconds = float("nan")
        self._start = 0.0

    def on_phase(self, phase: str) -> None:
        import time

        if phase == "basic views":
            self._start = time.perf_counter()
        elif self.views_seconds != self.views_seconds:
            self.views_seconds = time.perf_counter() - self._start

    def on_iteration(self, record: Any) -> None:
        """Ignore the iteration."""


def measure_alone(case: Case) -> Record:
    """Measure in a fresh process."""
    arguments = [case.pair, case.nodes, case.iterations, case.clusters]
    command = [sys.executable, "-m", "benchmarks.scaling", "--case", json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{case} failed:\n{done.stderr[-2000:]}")
    record: Record = json.loads(done.stdout.splitlines()[-1])
    return record


def exponent(records: Sequence[Record], figure: str) -> float:
    """Return the slope of log(figure) over log(N) from 30,000 nodes up; NaN below two sizes."""
    import numpy as np

    used = [r for r in records if r["nodes"] >= FITTED_FROM]
    if len(used) < 2:
        return float("nan")
    x = np.log([r["nodes"] for r in used])
    y = np.log([r[figure] for r in used])
    return float(np.polyfit(x, y, 1)[0])


def format_table(title: str, records: list[Record]) -> Table:
    """Return a row a size, and the exponents below."""
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False)
    for head in ("Nodes", "Views s", "Iteration s", "Peak GiB", "Estimate GiB", "Error"):
        table.add_column(head, justify="right")
    for r in records:
        error = r["estimated_bytes"] / r["peak_bytes"] - 1
        table.add_row(
            f"{r['nodes']:,}",
            f"{r['views_seconds']:.2f}",
            f"{r['iteration_seconds']:.2f}",
            f"{r['peak_bytes'] / 2**30:.2f}",
            f"{r['estimated_bytes'] / 2**30:.2f}",
            f"{100 * error:+.0f} %",
        )
    slopes = (exponent(records, f"{f}_{u}") for f, u in FIGURES)
    table.add_row("exponent", *(f"{slope:.2f}" for slope in slopes), "", "")
    return table


FIGURES = (("views", "seconds"), ("iteration", "seconds"), ("peak", "bytes"))


def verdicts(title: str, records: list[Record]) -> list[tuple[bool, str]]:
    """Hold the figures against the limits."""
    found = []
    for figure, unit in FIGURES:
        slope = exponent(records, f"{figure}_{unit}")
        kept = slope <= LIMITS["exponent"]
        found.append((kept, f"{title}: exponent of {figure} {slope:.2f} (at most 1.15)"))
    for r in records:
        gibibytes = r["peak_bytes"] / 2**30
        error = abs(r["estimated_bytes"] / r["peak_bytes"] - 1)
        name = f"{title}, {r['nodes']:,} nodes"
        found.append((gibibytes <= LIMITS["gibibytes"], f"{name}: {gibibytes:.1f} GiB (16)"))
        found.append(
            (error <= LIMITS["error"], f"{name}: estimate off by {100 * error:.0f} % (25)")
        )
    return found


def draw(groups: dict[str, list[Record]], path: Path) -> None:
    """Draw time and memory over N, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    titles = ("Making the views, s", "One iteration, s", "Peak memory, GiB")
    for axis, (name, unit), title in zip(axes, FIGURES, titles, strict=True):
        scale = 2**30 if unit == "bytes" else 1
        for (group, records), colour in zip(groups.items(), ("#1f6f8b", "#d1603d"), strict=False):
            x = [r["nodes"] for r in records]
            y = [r[f"{name}_{unit}"] / scale for r in records]
            slope = exponent(records, f"{name}_{unit}")
            axis.plot(x, y, "o-", color=colour, label=f"{group}: N^{slope:.2f}")
            if unit == "bytes":
                y = [r["estimated_bytes"] / scale for r in records]
                axis.plot(x, y, ":", color=colour, label=f"{group}, estimate")
        axis.set(xscale="log", yscale="log", title=title, xlabel="nodes")
        axis.grid(alpha=0.3)
        axis.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main(
    nodes: Annotated[list[int] | None, typer.Option(help="sizes; all if none")] = None,
    pair: Annotated[list[str] | None, typer.Option(help="pairs of views; both if none")] = None,
    iterations: Annotated[int, typer.Option(help="of each case; the first does not count")] = 3,
    clusters: Annotated[int, typer.Option(help="more than 4: in mini-batches")] = 1,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
    figure: Annotated[Path | None, typer.Option(help="file of the plot, PNG")] = None,
    case: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Measure every case, print a table a pair, and hold it against the limits."""
    if case is not None:
        print(json.dumps(measure(Case(*json.loads(case)))))
        return
    console = Console(width=110)
    groups: dict[str, list[Record]] = {}
    for name in pair or PAIRS:
        cases = [Case(name, size, iterations, clusters) for size in nodes or SIZES]
        groups[name] = [measure_alone(each) for each in track(cases, description=name)]
        console.print(format_table(f"adjacency + {name}", groups[name]))
        if summary is not None:
            write_records(summary, [record for records in groups.values() for record in records])
    if figure is not None:
        draw(groups, figure)
    judged = [v for name, records in groups.items() for v in verdicts(name, records)]
    for kept, text in judged:
        console.print(f"{'pass' if kept else 'FAIL'}: {text}", highlight=False)
    raise typer.Exit(0 if all(kept for kept, _ in judged) else 1)


if __name__ == "__main__":
    typer.run(main)
