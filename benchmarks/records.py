"""Runs of ``benchmarks.accuracy`` as records of ``cogsl reproduce table-classification``.

    python -m benchmarks.records docs/results/accuracy.json --records docs/results/records.jsonl

Both run the same methods on the same splits, so that what one has done the other need not do again.
A run is taken if its data set, its seeds and all its settings are those of a run of the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from cogsl.evaluation import Record
    from cogsl.experiments.tasks import Task

TABLE = "table-classification"
NOT_A_FIGURE = ("preset", "overrides")


def taken(rows: Iterable[Mapping[str, Any]], tasks: Iterable[Task]) -> dict[str, Record]:
    """Return the records of those tasks that a row is a run of, by their keys."""
    from cogsl.experiments.presets import find_method, parse_assignments, resolve
    from cogsl.experiments.tasks import data_hash, key_of

    known: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        overrides = parse_assignments([f"{name}={value}" for name, value in row["overrides"]])
        settings = resolve(row["method"], row["dataset"], row["preset"], {**overrides})
        known[_identity(row, find_method(row["method"])(**settings).get_params())] = row
    found = {}
    for task in tasks:
        row = known.get(_identity(vars(task), task.new_method().get_params()), {})
        if row:
            figures = {name: value for name, value in row.items() if name not in NOT_A_FIGURE}
            figures["accuracy"] = row["micro_f1"]  # the same where a node has one class
            figures["data_hash"] = data_hash(task.dataset)
            found[key_of(task)] = figures | {"dataset_settings": {}, "attack": None}
    return found


def _identity(run: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return all that decides a run, given the data."""
    parts = {name: run[name] for name in ("dataset", "method", "seed", "split_seed")}
    return json.dumps(parts | {"settings": settings}, sort_keys=True, default=str)


def main(
    accuracy: Annotated[Path, typer.Argument(help="what benchmarks.accuracy has summed up")],
    records: Annotated[Path, typer.Option(help="file that the records are added to")],
) -> None:
    """Add the runs to a file of records."""
    from cogsl.cli.printing import print_line
    from cogsl.experiments.reproduction import MOST_RUNS, at_hand
    from cogsl.experiments.specs import expand, read_spec
    from cogsl.experiments.store import read_compact, write_compact

    spec, _ = at_hand(read_spec(TABLE))
    assert spec is not None  # some of its data sets are embedded
    found = taken(json.loads(accuracy.read_text()), expand(spec, lambda _: MOST_RUNS))
    known = read_compact(records) if records.exists() else {}
    write_compact(records, {**found, **known})
    print_line(f"{len(found.keys() - known.keys())} records are new in {records}.")


if __name__ == "__main__":
    typer.run(main)
