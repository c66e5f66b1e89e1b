"""``cogsl reproduce``: a table or figure of the paper, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogsl.cli import source
from cogsl.cli.formatting import format_specs
from cogsl.cli.printing import clean_exit, print_note, print_result
from cogsl.errors import InputError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from cogsl.experiments.executors import Executor
    from cogsl.experiments.store import Store

ALL = "all"
EXECUTORS = ("in-process", "processes", "ray")


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A table or figure, or 'all'; --list shows them."),
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
    longest: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="HOURS", help="Leave out runs that take longer here."),
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

    cogsl reproduce table-fusion --datasets digits --seeds 3; or 'cogsl reproduce all'.

    Runs that the store has are not done again, so a grid that was ended goes on where it was.
    """
    with clean_exit():
        if list_:
            _list(data_root)
            return
        if name is None:
            raise InputError("Say which table or figure; 'cogsl reproduce --list' shows them all.")
        from cogsl.cli.reproducing import Request, make_all, make_one

        asked = Request(
            seeds=seeds,
            datasets=dataset or [],
            methods=method or [],
            longest=longest,
            output=output,
            executor=_executor("none" if no_run else executor, jobs, address),
            store=_store(store, records, must_be_there=no_run),
            records=records,
            root=data_root,
            recorded=_recorded(records, data_root) if no_run else {},
        )
        if name == ALL:
            make_all(asked)
        else:
            make_one(name, asked)


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


def _executor(name: str, jobs: int, address: str | None) -> Executor:
    from cogsl.experiments.executors import InProcess, Nowhere, Processes, RayCluster

    if name == "none":
        return Nowhere()
    if name not in EXECUTORS:
        raise UnknownNameError(f"Unknown executor '{name}'{did_you_mean(name, EXECUTORS)}")
    if name == "in-process":
        return InProcess()
    return Processes(jobs) if name == "processes" else RayCluster(address)


def _list(root: Path | None) -> None:
    from cogsl.experiments.reproduction import at_hand, total_seconds, usual_runs
    from cogsl.experiments.specs import expand, read_spec, spec_names

    rows = []
    for name in spec_names():
        spec, missing = at_hand(read_spec(name), root)
        tasks = [] if spec is None else expand(spec, lambda task: usual_runs(task, root))
        rows.append((read_spec(name), len(tasks), total_seconds(tasks, root), missing))
    print_result(format_specs(rows))
