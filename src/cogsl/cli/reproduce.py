"""``cogsl reproduce``: a table or figure of the paper, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogsl.cli import source
from cogsl.cli.formatting import format_specs
from cogsl.cli.printing import clean_exit, new_console, print_line, print_note, print_result
from cogsl.errors import InputError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from cogsl.errors import CogslError
    from cogsl.evaluation import Record
    from cogsl.experiments.executors import Executor
    from cogsl.experiments.specs import Spec
    from cogsl.experiments.store import Store
    from cogsl.experiments.tasks import Task

EXECUTORS = ("in-process", "processes", "ray")


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A table or figure; --list shows them.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List tables and figures, and the time they take.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, show_default="10 under a minute, 3 under ten, else 1", help="Runs."),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option("--datasets", help="Only these data sets.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--methods", help="Only these methods.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder of tables and figures.")] = Path("results"),
    store: Annotated[Path, typer.Option(help="Folder of the runs' records.")] = Path("runs/store"),
    records: Annotated[
        Path | None,
        typer.Option(help="A file of records: what is in it is done, and what is done is added."),
    ] = None,
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Run nothing: show what records there are.")
    ] = False,
    executor: Annotated[
        str, typer.Option(metavar="|".join(EXECUTORS), help="Where runs are done.")
    ] = "in-process",
    jobs: Annotated[int, typer.Option(min=1, help="Processes side by side.")] = 2,
    address: Annotated[
        str | None, typer.Option(help="Of a Ray cluster; without it one is started here.")
    ] = None,
    data_root: source.DataRootOption = None,
) -> None:
    """Make a table or figure of the paper again, from runs on this machine or a cluster.

    cogsl reproduce table-fusion --datasets digits --seeds 3

    Runs that the store has are not done again, so a grid that was ended goes on where it was.
    """
    with clean_exit():
        if list_:
            _list(data_root)
            return
        if name is None:
            raise InputError("Say which table or figure; 'cogsl reproduce --list' shows them all.")
        work = _executor("none" if no_run else executor, jobs, address)
        known = _store(store, records, must_be_there=no_run)
        recorded = _recorded(records, data_root) if no_run else {}
        spec = _spec(name, dataset or [], method or [], data_root, recorded)
        seeds = seeds or (_most_runs() if no_run else None)
        found = _reproduce(spec, seeds, work, output, known, data_root, recorded)
        if records is not None and not no_run:
            print_note(f"{_add(records, found)} records are in {records} now.")


def _store(folder: Path, records: Path | None, *, must_be_there: bool) -> Store:
    """Return the store, with the records of a file if there is one."""
    from cogsl.experiments.records import check_folder
    from cogsl.experiments.store import Store

    store = Store(folder)
    if records is not None:
        check_folder(records.parent)
        if must_be_there or records.exists():
            print_note(f"{store.take_in(records)} records are in {records}.")
    return store


def _recorded(records: Path | None, root: Path | None) -> dict[str, str]:
    """Return the hashes of data sets that are not at hand, but that a file has records of."""
    from cogsl.experiments.reproduction import recorded_hashes
    from cogsl.experiments.store import read_compact

    return {} if records is None else recorded_hashes(read_compact(records), root)


def _add(path: Path, found: Mapping[str, Record]) -> int:
    """Add records to a file, which may not be there yet; return how many it holds."""
    from cogsl.experiments.store import read_compact, write_compact

    known = read_compact(path) if path.exists() else {}
    write_compact(path, {**found, **known})
    return len(known.keys() | found.keys())


def _most_runs() -> int:
    from cogsl.experiments.reproduction import MOST_RUNS

    return MOST_RUNS


def _executor(name: str, jobs: int, address: str | None) -> Executor:
    from cogsl.experiments.executors import InProcess, Nowhere, Processes, RayCluster

    if name == "none":
        return Nowhere()
    if name not in EXECUTORS:
        raise UnknownNameError(f"Unknown executor '{name}'{did_you_mean(name, EXECUTORS)}")
    if name == "in-process":
        return InProcess()
    return Processes(jobs) if name == "processes" else RayCluster(address)


def _spec(
    name: str,
    only_datasets: list[str],
    only_methods: list[str],
    root: Path | None,
    recorded: Collection[str],
) -> Spec:
    """Return what can be made here of a spec; data sets that are not at hand get a line."""
    from cogsl.experiments.reproduction import at_hand
    from cogsl.experiments.specs import narrow, read_spec

    asked = narrow(read_spec(name), only_datasets=only_datasets, only_methods=only_methods)
    spec, missing = at_hand(asked, root, recorded)
    for each in missing:
        print_note(f"Left out {each}: its file is not at hand; see 'cogsl datasets'.")
    if spec is None:
        raise InputError(f"No data set of '{name}' is at hand.")
    return spec


def _reproduce(
    spec: Spec,
    seeds: int | None,
    work: Executor,
    output: Path,
    store: Store,
    root: Path | None,
    recorded: Mapping[str, str],
) -> dict[str, Record]:
    """Do what is missing, write tables and figures, and return all records by their keys."""
    from cogsl.experiments.executors import Nowhere
    from cogsl.experiments.grid import run_grid
    from cogsl.experiments.records import check_folder
    from cogsl.experiments.reproduction import total_seconds, usual_runs
    from cogsl.experiments.specs import expand
    from cogsl.report.outputs import check_drawable, write_outputs

    check_folder(output)
    check_drawable(spec)
    tasks = expand(spec, lambda task: seeds or usual_runs(task, root))
    if not isinstance(work, Nowhere):
        minutes = total_seconds(tasks, root) / 60
        print_note(f"{len(tasks)} runs, about {minutes:,.0f} minutes of one processor in all.")
    with _Progress(len(tasks)) as progress:
        outcome = run_grid(
            tasks, store, work, data_root=root, recorded=recorded, on_done=progress.on_done
        )
    for task, error in outcome.failures:
        print_note(f"Left out {task.name} on {task.dataset}, seed {task.seed}: {error}")
    n_read = len(outcome.records) - outcome.n_done
    print_note(f"{outcome.n_done} runs were done, {n_read} were there already.")
    for path in write_outputs(spec, outcome.records, output):
        print_line(str(path))
    return outcome.stored


class _Progress:
    """A bar over all runs with the time that is left; plain lines where there is no terminal."""

    def __init__(self, total: int) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._console = new_console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("Runs", total=total)

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def on_done(self, task: Task, result: Record | CogslError) -> None:
        """Move the bar, or print a line."""
        self._bar.advance(self._task)
        if not self._console.is_terminal:
            ended = f"{result['seconds']:.1f} s" if isinstance(result, dict) else "failed"
            print_note(f"{task.name} on {task.dataset}, seed {task.seed}: {ended}")


def _list(root: Path | None) -> None:
    from cogsl.experiments.reproduction import at_hand, total_seconds, usual_runs
    from cogsl.experiments.specs import expand, read_spec, spec_names

    rows = []
    for name in spec_names():
        spec, missing = at_hand(read_spec(name), root)
        tasks = [] if spec is None else expand(spec, lambda task: usual_runs(task, root))
        rows.append((read_spec(name), len(tasks), total_seconds(tasks, root), missing))
    print_result(format_specs(rows))
