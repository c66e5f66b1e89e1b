"""What ``cogsl reproduce`` does for one table or figure, and for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogsl.cli.formatting import format_seconds
from cogsl.cli.grid_progress import GridProgress
from cogsl.cli.printing import print_error, print_line, print_note
from cogsl.errors import CogslError, InputError
from cogsl.experiments import specs
from cogsl.experiments.executors import Executor, Nowhere
from cogsl.experiments.grid import GridOutcome, count_records, run_grid
from cogsl.experiments.records import check_folder
from cogsl.experiments.reproduction import (
    MOST_RUNS,
    at_hand,
    expected_seconds,
    is_here,
    usual_runs,
)
from cogsl.experiments.specs import Spec, expand
from cogsl.experiments.store import Store, read_compact, write_compact
from cogsl.experiments.tasks import Task, key_of
from cogsl.report.outputs import check_drawable, write_outputs


@dataclass(frozen=True)
class Request:
    """What was asked for, whatever the table or figure.

    Parameters
    ----------
    seeds : runs of each task; None for as many as its time allows.
    datasets, methods : only these; none means all.
    longest : hours from which on a run is left out; None does all.
    output : folder of the documents.
    store, records : where records are, and a file to which those that are found are added.
    executor : where runs are done.
    root : of the data sets.
    recorded : hashes of data sets that are not at hand.
    """

    seeds: int | None
    datasets: Sequence[str]
    methods: Sequence[str]
    longest: float | None
    output: Path
    store: Store
    records: Path | None
    executor: Executor
    root: Path | None
    recorded: Mapping[str, str]

    @property
    def runs_nothing(self) -> bool:
        """Records are only read."""
        return isinstance(self.executor, Nowhere)


def make_one(name: str, asked: Request) -> None:
    """Make one table or figure; a name that it does not have is an error."""
    whole = specs.read_spec(name)
    part = specs.narrow(whole, only_datasets=asked.datasets, only_methods=asked.methods)
    spec = _here(part, asked)
    if spec is None:
        raise InputError(f"No data set of '{name}' is at hand.")
    _make(spec, asked)


def make_all(asked: Request) -> None:
    """Make all tables and figures, one after the other; what fails stops no other."""
    all_ = [specs.read_spec(name) for name in specs.spec_names()]
    specs.check_known(all_, only_datasets=asked.datasets, only_methods=asked.methods)
    failed = []
    for number, whole in enumerate(all_, start=1):
        print_note(f"{whole.name}, {number} of {len(all_)}:")
        try:
            _make_part(whole, asked)
        except CogslError as error:
            print_error(error)
            failed.append(whole.name)
    if failed:
        raise CogslError(f"{len(failed)} of {len(all_)} could not be made: {', '.join(failed)}.")


def _make_part(whole: Spec, asked: Request) -> None:
    """Make what there is of a spec; one without any of it gets a line."""
    part = specs.overlap(whole, only_datasets=asked.datasets, only_methods=asked.methods)
    spec = None if part is None else _here(part, asked)
    if part is None:
        print_note(f"Left out {whole.name}: it has no such data set and method.")
    elif spec is None:
        print_note(f"Left out {whole.name}: none of its data sets is at hand.")
    else:
        _make(spec, asked)


def _here(spec: Spec, asked: Request) -> Spec | None:
    """Return what can be made here of a spec; data sets that are not at hand get a line."""
    here, missing = at_hand(spec, asked.root, asked.recorded)
    for each in missing:
        print_note(f"Left out {each}: its file is not at hand; see 'cogsl datasets'.")
    return here


def _make(spec: Spec, asked: Request) -> None:
    """Do what is missing, and write tables and figures."""
    check_folder(asked.output)
    check_drawable(spec)
    outcome = _read(spec, asked) if asked.runs_nothing else _run(spec, asked)
    n_read = len(outcome.stored) - outcome.n_done
    print_note(f"{outcome.n_done} runs were done, {n_read} were there already.")
    for path in write_outputs(spec, outcome.records, asked.output):
        print_line(str(path))
    if asked.records is not None and not asked.runs_nothing:
        print_note(f"{_add(asked.records, outcome)} records are in {asked.records} now.")


def _run(spec: Spec, asked: Request) -> GridOutcome:
    """Do what is missing; what fails gets a line."""
    tasks = expand(spec, lambda task: asked.seeds or usual_runs(task, asked.root))
    if asked.longest is not None:
        tasks = _short_enough(tasks, 3600 * asked.longest, asked)
    with GridProgress(asked.executor, asked.root) as progress:
        outcome = run_grid(
            tasks, asked.store, asked.executor, data_root=asked.root, observer=progress
        )
    for task, error in outcome.failures:
        print_note(f"Left out {task.name} on {task.dataset}, seed {task.seed}: {error}")
    return outcome


def _short_enough(tasks: Sequence[Task], most: float, asked: Request) -> list[Task]:
    """Return the tasks without those that take too long here and are not done; these get a line."""
    kept, long = [], Counter[str]()
    for task, seconds in zip(tasks, expected_seconds(tasks, asked.root), strict=True):
        if seconds <= most or key_of(task, asked.root) in asked.store:
            kept.append(task)
        else:
            long[f"{task.name} on {task.dataset}, about {format_seconds(seconds)} a run"] += 1
    for words, count in long.items():
        print_note(f"Left out, as longer than asked for: {words} ({count}).")
    return kept


def _read(spec: Spec, asked: Request) -> GridOutcome:
    """Return all records that there are; each data set gets a line about those that are wanted."""
    store, root, recorded = asked.store, asked.root, asked.recorded
    wanted = expand(spec, lambda task: asked.seeds or _wanted(task, root))
    counts = count_records(wanted, store, data_root=root, recorded=recorded)
    for dataset, (n_there, n_wanted) in counts.items():
        known = asked.seeds is not None or is_here(dataset, root)
        print_note(format_count(dataset, n_there, n_wanted, exact=known))
    tasks = expand(spec, lambda _: asked.seeds or MOST_RUNS)
    return run_grid(tasks, store, asked.executor, data_root=root, recorded=recorded)


def format_count(dataset: str, n_there: int, n_wanted: int, *, exact: bool) -> str:
    """Return how many runs of a data set have records; it may be that fewer are wanted."""
    return f"{dataset}: {n_there} of {'' if exact else 'at most '}{n_wanted} runs are there."


def _wanted(task: Task, root: Path | None) -> int:
    """Return how many runs a task gets, the most where its data is not at hand to tell."""
    return usual_runs(task, root) if is_here(task.dataset, root) else MOST_RUNS


def _add(path: Path, outcome: GridOutcome) -> int:
    """Add records to a file, which may not be there yet; return how many it holds."""
    known = read_compact(path) if path.exists() else {}
    write_compact(path, {**outcome.stored, **known})
    return len(known.keys() | outcome.stored.keys())
