"""Where a run's time and memory go, and what others need: ``python -m benchmarks.iteration``.

CoGSL first, while nothing else has been loaded that could count as memory of its own; then the
dense oracle of the tests; then PyTorch Geometric's GCN example; all in one process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import dense_oracle, iteration_tables, ours, pyg_example
from benchmarks.claims import REFERENCE, SMALL, Verdict, claim_for, judge
from benchmarks.timing import GIB, load_optimisers, machine, print_machine
from cogsl import datasets
from cogsl.cli.printing import print_error, print_line, print_result
from cogsl.errors import CogslError
from cogsl.experiments.presets import parse_assignments, resolve
from cogsl.experiments.records import check_folder, write_record
from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL

PRESET = "paper"
EPOCHS = 200  # of PyTorch Geometric's example
SHORT = 10  # iterations of ours beside the oracle, where the data set is not the one measured


@dataclass(frozen=True)
class Beside:
    """An outer iteration of ours beside the dense oracle's, on the same views."""

    dataset: str
    ours: ours.Run
    dense: dense_oracle.DenseTimes


@dataclass
class Report:
    """Everything that was measured."""

    dataset: str
    settings: dict[str, Any]
    machine: dict[str, Any]
    run: ours.Run
    operators: list[ours.Operator] = field(default_factory=list)
    oracle: list[Beside] = field(default_factory=list)
    example: pyg_example.Example | None = None
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def times_example(self) -> float | None:
        """The run's time over that of PyTorch Geometric's example."""
        return self.run.cost.seconds / self.example.cost.seconds if self.example else None

    def as_record(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"benchmark": "iteration", **asdict(self), "times_example": self.times_example}


def settings_for(dataset: str, overrides: Mapping[str, object]) -> dict[str, Any]:
    """Return the paper's settings with those of our claim, and then ``overrides``, on top."""
    return resolve("cogsl", dataset, PRESET, {**claim_for(dataset).settings, **overrides})


def measure_beside(
    dataset: str, settings: Mapping[str, Any], graph: Graph, run: ours.Run, *, whole: bool
) -> list[Beside]:
    """Measure the dense oracle on the data set, or on small ones where it would not fit."""
    method = CoGSL(**settings)
    if dense_oracle.fits(method, graph.n_nodes):
        dense = dense_oracle.measure_iteration(method, graph, whole=whole)
        return [Beside(dataset, run, dense)]
    found = []
    for name in SMALL:
        small, short = datasets.load(name), settings_for(name, {"iterations": SHORT})
        ours_there = ours.measure_run(short, small)
        dense = dense_oracle.measure_iteration(CoGSL(**short), small, whole=whole)
        found.append(Beside(name, ours_there, dense))
    return found


def verdicts_on(report: Report) -> list[Verdict]:
    """Hold the report against what we claim for the data set."""
    claimed, given = settings_for(report.dataset, {}), report.settings
    defaults = CoGSL().get_params()
    doubts = [
        f"{name} is {given.get(name, default)}"
        for name, default in defaults.items()
        if given.get(name, default) != claimed.get(name, default)
    ]
    peak, example = report.run.cost.peak, report.example
    is_whole = example is not None and example.n_epochs == EPOCHS
    figures = {
        "seconds": report.run.cost.seconds,
        "times_example": report.times_example if is_whole else None,
        "gibibytes": None if peak is None else peak / GIB,
    }
    return judge(claim_for(report.dataset), figures, doubts)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.iteration",
        description="Time and memory of CoGSL with the paper's settings, beside the dense oracle "
        "and PyTorch Geometric's GCN example.",
    )
    add = parser.add_argument
    add("--dataset", default=REFERENCE, help=f"its name ({REFERENCE})")
    add("--iterations", type=int, help="outer iterations (those of the preset)")
    add("--set", nargs="+", default=[], action="extend", metavar="KEY=VALUE", dest="settings")
    add("--epochs", type=int, default=EPOCHS, help=f"epochs of the GCN example ({EPOCHS})")
    add("--whole-oracle", action="store_true", help="the oracle takes every step of an iteration")
    add("--skip-profile", action="store_true", help="do not profile kernel by kernel")
    add("--skip-oracle", action="store_true", help="leave the dense oracle out")
    add("--skip-pyg", action="store_true", help="leave PyTorch Geometric's example out")
    add("--output", type=Path, help="JSON file of the record")
    return parser.parse_args(arguments)


def measure(arguments: argparse.Namespace) -> Report:
    """Measure everything that the arguments ask for, ours first."""
    dataset = arguments.dataset
    overrides: dict[str, object] = {**parse_assignments(arguments.settings)}
    if arguments.iterations is not None:
        overrides["iterations"] = arguments.iterations
    settings = settings_for(dataset, overrides)
    CoGSL(**settings).validate()
    found = machine()
    print_machine(found)
    found["seconds_loading_optimisers"] = loading = load_optimisers()
    print_line(
        f"PyTorch's optimisers loaded in {loading:.1f} s, once a process; part of no figure."
    )
    graph = datasets.load(dataset)
    report = Report(dataset, settings, found, ours.measure_run(settings, graph))
    if not arguments.skip_profile:
        report.operators = ours.profile_run(settings, graph)
    if not arguments.skip_oracle:
        whole = arguments.whole_oracle
        report.oracle = measure_beside(dataset, settings, graph, report.run, whole=whole)
    if not arguments.skip_pyg:
        report.example = pyg_example.measure_example(graph, n_epochs=arguments.epochs)
    report.verdicts = verdicts_on(report)
    return report


def show(report: Report) -> None:
    """Print the tables and the verdicts."""
    print_result(iteration_tables.format_phases(report.dataset, report.run))
    if report.operators:
        print_result(iteration_tables.format_operators(report.operators))
    rows = iteration_tables.rows_of_run(report.dataset, report.run, report.example)
    for beside in report.oracle:
        rows += iteration_tables.rows_of_oracle(beside.dataset, beside.ours, beside.dense)
    print_result(iteration_tables.format_rows(rows))
    if report.oracle and report.oracle[0].dataset != report.dataset:
        print_line(f"The dense oracle's N x N x 2d tensors do not fit for {report.dataset}.")
    for verdict in report.verdicts:
        print_line(f"{report.dataset}: {verdict}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if a limit is missed, 2 for a mistake in the arguments."""
    given = parse(arguments)
    try:
        if given.output is not None:
            check_folder(given.output.parent)
        report = measure(given)
        show(report)
        if given.output is not None:
            write_record(given.output, report.as_record())
    except CogslError as error:
        print_error(error)
        return 2
    return int(any(verdict.kept is False for verdict in report.verdicts))


if __name__ == "__main__":
    sys.exit(main())
