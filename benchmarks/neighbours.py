"""Approximate nearest neighbours beside exact ones: ``python -m benchmarks.neighbours``.

Where there are many nodes, the exact search is made for a sample of them, and its time is scaled to
all (it grows by the row); recall is the share of the sample's exact neighbours that were found, a
node itself not counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text
from scipy.sparse import csr_array, issparse

from benchmarks.timing import costs, machine, print_machine
from cogsl import datasets
from cogsl.cli.printing import print_error, print_result
from cogsl.errors import CogslError
from cogsl.experiments.records import write_record
from cogsl.sparse.approximate_neighbours import RECALL, approximate_cosine_neighbours
from cogsl.sparse.neighbours import nearest_columns, similarities_of

Features = npt.NDArray[np.float32] | csr_array

DATASETS = ["pubmed", "ms_academic"]
NODES = [10_000, 30_000, 100_000]
WIDTH, CENTRES, SPREAD = 64, 100, 0.5  # of the mixture


@dataclass(frozen=True)
class Row:
    """Both ways on the same features; ``sampled`` rows were searched exactly."""

    name: str
    nodes: int
    features: int
    sparse: bool
    recall: float
    seconds: float
    growth: int | None
    exact_seconds: float
    sampled: int


def mixture(n: int, *, spread: float = SPREAD, seed: int = 0) -> npt.NDArray[np.float32]:
    """Return n points around 100 centres in 64 dimensions, N x 64."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((CENTRES, WIDTH), dtype=np.float32)
    noise = rng.standard_normal((n, WIDTH), dtype=np.float32)
    return centres[rng.integers(CENTRES, size=n)] + np.float32(spread) * noise


def problems(arguments: argparse.Namespace) -> Iterator[tuple[str, Features]]:
    """Yield the features, each made when its turn comes."""
    for name in arguments.dataset:
        yield name, datasets.load(name).features
    for n in arguments.nodes:
        yield "mixture", mixture(n, spread=arguments.spread)


def measure(name: str, features: Features, *, k: int, recall: float, n_sampled: int) -> Row:
    """Search both ways."""
    n, width = features.shape
    with costs() as cost:
        found = approximate_cosine_neighbours(features, k, recall=recall)
    n_sampled = min(n, n_sampled)
    sample = np.sort(np.random.default_rng(0).choice(n, n_sampled, replace=False))
    start = time.perf_counter()
    exact = nearest_columns(similarities_of(features), sample, k)
    exact_seconds = (time.perf_counter() - start) * n / n_sampled
    share = share_found(found, sample, exact)
    sparse = bool(issparse(features))
    return Row(name, n, width, sparse, share, cost.seconds, cost.growth, exact_seconds, n_sampled)


def share_found(
    found: csr_array, nodes: npt.NDArray[np.int64], exact: npt.NDArray[np.int32]
) -> float:
    """Return how many of some nodes' exact neighbours were found; 1 if they have none."""
    pairs = zip(nodes, exact, strict=True)
    both = sum(int(np.isin(row, found[[i]].indices).sum()) for i, row in pairs)
    others = exact.size - len(nodes)
    return float((both - len(nodes)) / others) if others else 1.0


def format_rows(rows: list[Row], k: int) -> Table:
    """Return the table; a time that was scaled from a sample has a "~"."""
    caption = f"k = {k}. Exact times with ~ are scaled from a sample of the rows."
    table = Table(title="Nearest neighbours", caption=caption, box=SIMPLE_HEAD, show_edge=False)
    headings = ("Features", "Nodes", "Width", "Recall", "Approximate s", "MiB", "Exact s", "Ratio")
    for heading in headings:
        is_name = heading == "Features"
        table.add_column(heading, justify="left" if is_name else "right", no_wrap=True)
    for row in rows:
        mark = "~" if row.sampled < row.nodes else ""
        cells = (
            f"{row.name}, {'sparse' if row.sparse else 'dense'}",
            *(f"{row.nodes:,}", f"{row.features:,}", f"{row.recall:.3f}", f"{row.seconds:.2f}"),
            "" if row.growth is None else f"{row.growth / 2**20:.0f}",
            f"{mark}{row.exact_seconds:.2f}",
            f"{row.exact_seconds / row.seconds:.1f}",
        )
        table.add_row(*map(Text, cells))
    return table


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.neighbours",
        description="Approximate nearest neighbours beside exact ones, of data sets and of "
        f"Gaussian mixtures with {WIDTH} features and {CENTRES} centres.",
    )
    parser.add_argument("--dataset", nargs="*", default=DATASETS, help="data sets")
    parser.add_argument("--nodes", nargs="*", type=int, default=NODES, help="sizes of mixtures")
    parser.add_argument("--spread", type=float, default=SPREAD, help="width of a mixture's parts")
    parser.add_argument("--neighbours", type=int, default=20, help="k, the node itself included")
    parser.add_argument("--recall", type=float, default=RECALL, help="share to be found")
    parser.add_argument("--sample", type=int, default=2_000, help="rows searched exactly (2,000)")
    parser.add_argument("--output", type=Path, help="JSON file of the record")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> None:
    """Measure, print and write."""
    found = machine()
    print_machine(found)
    k, recall, n_sampled = arguments.neighbours, arguments.recall, arguments.sample
    # What is loaded once a process, and is part of no figure.
    approximate_cosine_neighbours(mixture(1000), 2)
    rows = [
        measure(name, features, k=k, recall=recall, n_sampled=n_sampled)
        for name, features in problems(arguments)
    ]
    print_result(format_rows(rows, k))
    if arguments.output is not None:
        record = {
            "benchmark": "neighbours",
            "machine": found,
            "settings": {"neighbours": k, "recall": recall, "spread": arguments.spread},
            "rows": [asdict(row) for row in rows],
        }
        write_record(arguments.output, record)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        run(parse(arguments))
    except CogslError as error:
        print_error(error)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
