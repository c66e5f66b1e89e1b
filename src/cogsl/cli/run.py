"""``cogsl run``: a method on a data set, for several seeds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogsl.cli import source
from cogsl.cli.formatting import format_forecast, format_results, format_settings
from cogsl.cli.printing import INTERRUPTED, clean_exit, new_console, print_note, print_result
from cogsl.cli.progress import show_progress
from cogsl.errors import CogslError, InputError
from cogsl.machine import idle_threads, parse_bytes

if TYPE_CHECKING:
    from cogsl.experiments.runner import Outcome, Plan
    from cogsl.graph import Graph

ALL = "all"


def run(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(metavar="DATASET", help="Its name; 'cogsl datasets' lists them."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Its name, or 'all'; 'cogsl methods' lists them.")
    ] = "cogsl",
    seeds: Annotated[int, typer.Option(min=1, help="How many runs, one a seed.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The first run's seed.")] = 0,
    split_seed: Annotated[
        int, typer.Option(min=0, help="Seed of the split, where none is official.")
    ] = 0,
    preset: Annotated[
        str, typer.Option(metavar="paper|default", help="The paper's settings, or ours.")
    ] = "default",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE ...", help="Change settings; wins over --config."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of settings; wins over --preset.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder of the records.")] = Path("runs"),
    threads: source.ThreadsOption = None,
    memory_limit: source.MemoryOption = None,
    data_root: source.DataRootOption = None,
    help_settings: Annotated[
        bool, typer.Option("--help-settings", help="List the settings and exit.")
    ] = False,
) -> None:
    """Run a method on a data set and print a table of its figures.

    Each run ends in a JSON record in the output folder. The defaults of the method come first,
    then the preset, then --config, then --set.
    """
    with clean_exit():
        if help_settings:
            print_settings(method, dataset)
            return
        limit = None if memory_limit is None else parse_bytes(memory_limit)
        plans = make_plans(
            dataset,
            method=method,
            seeds=tuple(range(seed, seed + seeds)),
            split_seed=split_seed,
            preset=preset,
            assignments=[*(set_ or []), *context.args],
            config=config,
            output=output,
            data_root=data_root,
        )
        set_threads(threads)
        print_outcome(plans, _execute(plans, limit))


def make_plans(
    dataset: str | None,
    *,
    method: str,
    seeds: tuple[int, ...],
    split_seed: int,
    preset: str,
    assignments: list[str],
    config: Path | None,
    output: Path,
    data_root: Path | None,
) -> list[Plan]:
    """Check the arguments and return what to run, a plan for each method."""
    from cogsl.experiments.presets import parse_assignments, read_settings
    from cogsl.experiments.runner import prepare, prepare_all

    if dataset is None:
        raise InputError("The data set is missing: cogsl run DATASET. 'cogsl datasets' lists them.")
    if method == ALL and config:
        raise InputError(
            "The settings of --config are those of one method; use --set with --method all."
        )
    from_file = read_settings(config, method, dataset) if config else {}
    common: dict[str, Any] = {
        "seeds": seeds,
        "split_seed": split_seed,
        "preset": preset,
        "overrides": {**from_file, **parse_assignments(assignments)},
        "output": output,
        "data_root": data_root,
    }
    if method == ALL:
        return prepare_all(dataset, **common)
    return [prepare(dataset, method=method, **common)]


def print_settings(method: str, dataset: str | None) -> None:
    """Print the settings of a method, and those of the data set if it has any."""
    from cogsl.datasets import settings_class
    from cogsl.experiments.presets import find_method

    for component in (find_method(method), settings_class(dataset or "")):
        if component is not None:
            print_result(format_settings(component, width=new_console().width))


def print_outcome(plans: list[Plan], outcome: Outcome) -> None:
    """Print the table of the finished runs and where their records are; exit 130 after Ctrl-C."""
    if outcome.records:
        print_result(format_results(outcome.records))
    n_done, n_all = len(outcome.records), sum(len(plan.seeds) for plan in plans)
    if outcome.interrupted:
        print_note(f"Interrupted: {n_done} of {n_all} runs are finished.")
    where = plans[0].output.resolve()
    print_note(f"Records of {n_done} {'run' if n_done == 1 else 'runs'} in {where}")
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED)


def _execute(plans: list[Plan], limit: int | None) -> Outcome:
    """Say what the runs will need, then run; or refuse, if possible before the graph is made.

    Of several methods, those that would not fit or that fail are left out, with a line that says
    why.
    """
    from cogsl.experiments import runner
    from cogsl.experiments.forecast import forecast

    first, several = plans[0], len(plans) > 1
    size = runner.known_size(first)
    if size is not None and not several:
        forecast(first.new_method(), size).check(limit)
    graph, total = runner.load_graph(first), runner.Outcome()
    with show_progress(sum(len(p.seeds) for p in plans), several_methods=several) as observer:
        for plan in plans:
            try:
                print_note(_check_memory(plan, graph, limit, named=several))
                total.add(runner.run(plan, graph, observer))
            except CogslError as error:
                if not several:
                    raise
                print_note(f"{plan.method} is left out: {error}")
            if total.interrupted:
                break
    return total


def _check_memory(plan: Plan, graph: Graph, limit: int | None, *, named: bool) -> str:
    """Return a line on what the plan's runs will need; refuse if that is too much."""
    from cogsl.cost import GraphSize
    from cogsl.experiments.forecast import forecast

    needed = forecast(plan.new_method(), GraphSize.of(graph), graph_is_loaded=True)
    needed.check(limit)
    line = format_forecast(needed, len(plan.seeds))
    return f"{plan.method}: {line}" if named else line


def set_threads(threads: int | None) -> None:
    """Set PyTorch's number of threads; by default one for each processor that is idle.

    Whoever has set OMP_NUM_THREADS has decided already.
    """
    import torch

    if threads is None and not os.environ.get("OMP_NUM_THREADS"):
        threads = idle_threads()
    if threads is not None:
        torch.set_num_threads(threads)
