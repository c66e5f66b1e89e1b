"""Diffusion by local push beside the whole series and the dense inverse.

    python -m benchmarks.diffusion --dataset citeseer --dataset pubmed --output diffusion.json

Every pushed row is held against the row of the series, whose error is 1e-9: is each entry as near
as was proven, how many of the true h largest were found, and how much of their mass the found ones
have. Quadratic in the number of nodes, as the series is: some minutes for 20,000 of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from cogsl.sparse.blocks import Float64Array, Int64Array

DATASETS = ["citeseer", "pubmed"]
TELEPORTS = [0.05, 0.2]
EFFORTS = [10.0, 30.0, 100.0, 300.0]
INVERSE_NODES = 5_000  # beyond, an inverse needs gigabytes
TRUTH = 1e-9  # error of what is taken for the truth


@dataclass(frozen=True)
class Quality:
    """How near pushed rows are to the truth; shares are means over the nodes, in [0, 1].

    largest_error : of an entry that was kept, and largest_bound what was proven of them.
    largest_share_of_bound : of any entry; above 1 the proof is wrong.
    recall : share of the true h largest that was found.
    mass : share of their sum that the found entries have in truth; least_mass of the worst node.
    """

    largest_error: float
    largest_bound: float
    largest_share_of_bound: float
    recall: float
    mass: float
    least_mass: float


@dataclass(frozen=True)
class Row:
    """One way to compute the diffusion of one graph; epsilon = 1 / (effort h)."""

    dataset: str
    nodes: int
    teleport: float
    top: int
    way: str
    seconds: float
    effort: float | None = None
    epsilon: float | None = None
    quality: Quality | None = None


def timed(work: Callable[[], csr_array]) -> tuple[csr_array, float]:
    """Return what the work returns and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def compile_push() -> float:
    """Push on two nodes and return the seconds: what a process pays once."""
    from scipy.sparse import csr_array

    from cogsl.views.diffusion import push_personalised_pagerank

    pair = csr_array([[0.0, 1.0], [1.0, 0.0]])
    return timed(lambda: push_personalised_pagerank(pair, teleport=0.2, top=2))[1]


class Judge:
    """Holds pushed rows against the true ones, block by block, from several threads at once."""

    def __init__(
        self, found: csr_array, degrees: Float64Array, *, top: int, epsilon: float
    ) -> None:
        import numpy as np

        self.found, self.roots, self.top, self.epsilon = found, np.sqrt(degrees), top, epsilon
        self.figures = np.empty((len(degrees), 5))  # error, bound, share of it, recall, mass

    def visit(self, rows: Int64Array, block: Float64Array) -> None:
        """Judge some rows, b, by the whole true ones, b x N."""
        from cogsl.sparse.blocks import top_of_rows

        best = top_of_rows(block, self.top, always=rows)
        for i, truth, wanted in zip(rows, block, best, strict=True):
            self.figures[i] = self._judge(int(i), truth, wanted[truth[wanted] > TRUTH])

    def _judge(self, i: int, truth: Float64Array, wanted: Int64Array) -> tuple[float, ...]:
        import numpy as np

        entries = slice(*self.found.indptr[i : i + 2])
        columns = self.found.indices[entries]
        error = np.abs(truth[columns] - self.found.data[entries])
        bound = self.epsilon * self.roots[i] * self.roots[columns]
        share = np.maximum(error - TRUTH, 0) / bound
        recall = np.isin(wanted, columns).mean()
        mass = truth[columns].sum() / truth[wanted].sum()
        return error.max(), bound.max(), share.max(), recall, mass

    def quality(self) -> Quality:
        """Return the figures of all rows together."""
        error, bound, share = self.figures[:, :3].max(axis=0).tolist()
        recall, mass = self.figures[:, 3:].mean(axis=0).tolist()
        return Quality(error, bound, share, recall, mass, float(self.figures[:, 4].min()))


def measure(dataset: str, teleport: float, *, top: int, efforts: list[float]) -> list[Row]:
    """Compute the diffusion of a data set in every way."""
    from cogsl import datasets
    from cogsl.sparse.resolvent import visit_resolvent
    from cogsl.views.base import normalise, with_self_loops
    from cogsl.views.diffusion import (
        exact_personalised_pagerank,
        personalised_pagerank,
        push_personalised_pagerank,
        scaled_degrees,
    )

    A = datasets.load(dataset).adjacency
    degrees = scaled_degrees(A)
    n = len(degrees)
    pushes: list[tuple[float, float, Judge]] = []
    for effort in efforts:
        epsilon = 1 / (effort * top)
        push = partial(push_personalised_pagerank, teleport=teleport, top=top, epsilon=epsilon)
        found, seconds = timed(partial(push, A))
        pushes.append((effort, seconds, Judge(found, degrees, top=top, epsilon=epsilon)))

    def judge(rows: Int64Array, block: Float64Array) -> None:
        for _, _, each in pushes:
            each.visit(rows, block)

    G = normalise(with_self_loops(A))
    visit_resolvent(G, judge, damping=1 - teleport, tolerance=TRUTH)
    rows = [
        Row(dataset, n, teleport, top, "push", seconds, effort, each.epsilon, each.quality())
        for effort, seconds, each in pushes
    ]
    _, seconds = timed(lambda: personalised_pagerank(A, teleport=teleport, top=top))
    rows.append(Row(dataset, n, teleport, top, "series", seconds))
    if n <= INVERSE_NODES:
        _, seconds = timed(lambda: exact_personalised_pagerank(A, teleport=teleport, top=top))
        rows.append(Row(dataset, n, teleport, top, "inverse", seconds))
    return rows


def format_rows(rows: list[Row]) -> Table:
    """Return the table of one graph and teleport."""
    first = rows[0]
    title = f"{first.dataset}: {first.nodes:,} nodes, alpha = {first.teleport}, h = {first.top}"
    caption = "epsilon = 1 / (c h). Of the h largest entries a row: how many found, their mass."
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, show_edge=False)
    table.add_column("", no_wrap=True)
    heads = ("c", "epsilon", "s", "error", "bound", "of bound", "recall", "mass", "worst row")
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row.way, *_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    seconds = f"{row.seconds:.2f}"
    if row.effort is None or row.epsilon is None or row.quality is None:
        return ["", "", seconds]
    q = row.quality
    shares = (q.largest_share_of_bound, q.recall, q.mass, q.least_mass)
    errors = [f"{value:.1e}" for value in (q.largest_error, q.largest_bound)]
    return [
        f"{row.effort:g}",
        f"{row.epsilon:.1e}",
        seconds,
        *errors,
        *(f"{share:.4f}" for share in shares),
    ]


def main(
    dataset: Annotated[list[str] | None, typer.Option(help="data sets; two if none")] = None,
    teleport: Annotated[list[float] | None, typer.Option(help="alpha; 0.05 and 0.2")] = None,
    effort: Annotated[list[float] | None, typer.Option(help="c; 10, 30, 100, 300")] = None,
    top: Annotated[int, typer.Option(help="entries a row that are kept, h", min=1)] = 32,
    threads: Annotated[int | None, typer.Option(help="PyTorch's by default", min=1)] = None,
    output: Annotated[Path | None, typer.Option(help="JSON file of the record")] = None,
) -> None:
    """Push, judge and time; print one table a graph and teleport."""
    import torch

    from benchmarks.timing import machine, print_machine
    from cogsl.cli.printing import clean_exit, print_line, print_result
    from cogsl.experiments.records import write_record

    if threads is not None:
        torch.set_num_threads(threads)
    with clean_exit():
        found = machine()
        print_machine(found)
        seconds = compile_push()
        print_line(f"Compiled in {seconds:.1f} s, once a process; in no figure below.")
        rows: list[Row] = []
        for name in dataset or DATASETS:
            for alpha in teleport or TELEPORTS:
                rows += measure(name, alpha, top=top, efforts=effort or EFFORTS)
                print_result(
                    format_rows([r for r in rows if (r.dataset, r.teleport) == (name, alpha)])
                )
        if output is not None:
            record = {"benchmark": "diffusion", "machine": found, "compile_seconds": seconds}
            write_record(output, record | {"rows": [asdict(row) for row in rows]})


if __name__ == "__main__":
    typer.run(main)
