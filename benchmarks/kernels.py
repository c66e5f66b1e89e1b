"""Our kernels beside what they replace: ``python -m benchmarks.kernels``.

Every row times our way and its alternative in turn, in the same run; the ratio is what counts.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from benchmarks.claims import REFERENCE
from benchmarks.kernel_cases import ENTRIES, NODES, Case, cases, random_problem, reference_problem
from benchmarks.timing import compare, machine, print_machine
from cogsl.cli.printing import print_error, print_result
from cogsl.datasets import DATASETS
from cogsl.errors import CogslError
from cogsl.experiments.records import write_record


@dataclass(frozen=True)
class Row:
    """A measured case; ``ratio`` is the alternative's time over ours."""

    operation: str
    our_way: str
    ms: float
    other_way: str
    other_ms: float
    ratio: float


def measure(case: Case, *, seconds: float) -> Row:
    """Time both ways of a case."""
    ours, other = compare(case.ours, case.other, seconds=seconds)
    return Row(case.operation, case.our_way, ours, case.other_way, other, other / ours)


def dense_gflops(size: int, *, seconds: float) -> float:
    """Return the speed of a dense product, size x size x size."""
    left, right = torch.ones(size, size), torch.ones(size, size)
    (ms,) = compare(lambda: left @ right, seconds=seconds)
    return 2.0 * size**3 / (ms / 1000.0) / 1e9


def format_rows(rows: list[Row], title: str, gflops: float) -> Table:
    """Return the table; the ratio says how many times longer the alternative takes."""
    caption = f"Medians. Dense matrix product: {gflops:.0f} GFLOP/s."
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, show_edge=False)
    for heading in ("Operation", "Ours", "ms", "Instead", "ms", "Ratio"):
        is_number = heading in ("ms", "Ratio")
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=True)
    for row in rows:
        ms, other_ms, ratio = f"{row.ms:.3g}", f"{row.other_ms:.3g}", f"{row.ratio:.2f}"
        cells = row.operation, row.our_way, ms, row.other_way, other_ms, ratio
        table.add_row(*map(Text, cells))
    return table


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernels",
        description=f"Our kernels beside what they replace, on a view of {REFERENCE} if that is "
        f"at hand, else on a random pattern of {NODES:,} nodes and {ENTRIES:,} entries.",
    )
    parser.add_argument("--nodes", type=int, help="a random pattern with this many nodes")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each row (1)")
    parser.add_argument("--output", type=Path, help="JSON file of the record")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> None:
    """Measure, print and write."""
    found = machine()
    print_machine(found)
    is_real = arguments.nodes is None and DATASETS[REFERENCE].is_at_hand()
    problem = reference_problem() if is_real else random_problem(arguments.nodes or NODES)
    size = f"{problem.n_nodes:,} nodes, {problem.view.pattern.nnz:,} entries"
    rows = [measure(case, seconds=arguments.seconds) for case in cases(problem)]
    gflops = dense_gflops(min(2048, problem.n_nodes), seconds=arguments.seconds)
    print_result(format_rows(rows, f"{problem.name}: {size}", gflops))
    if arguments.output is not None:
        record = {
            "benchmark": "kernels",
            "machine": found,
            "problem": {
                "name": problem.name,
                "nodes": problem.n_nodes,
                "entries": problem.view.pattern.nnz,
                "feature_entries": problem.features.pattern.nnz,
            },
            "rows": [asdict(row) for row in rows],
            "dense_gflops": gflops,
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
