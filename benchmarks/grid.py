"""Many runs on several data sets: processes side by side, a table each, compact records."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

Task = TypeVar("Task")
Record = dict[str, Any]


def run_grid(
    run: Callable[[Task], Record],
    tasks: Mapping[str, Sequence[Task]],
    format_table: Callable[[str, list[Record]], Table],
    *,
    jobs: int,
    summary: Path | None,
    more: Callable[[Task, Record], Sequence[Task]] | None = None,
    group: Sequence[str] = (),
) -> None:
    """Run the tasks of every data set and print its table; keep all records in one file.

    The file grows with each run that has ended. ``more`` says which runs a finished one calls for.
    ``group`` names the fields by which records belong together: those of other groups that the
    file has stay in it. Without any the file is written anew.
    """
    done: list[Record] = []
    earlier = read_records(summary) if group and summary is not None else []
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:

        def run_all(name: str, todo: Sequence[Task]) -> list[Record]:
            start = len(done)
            for record in track(pool.map(run, todo), total=len(todo), description=name):
                done.append(record)
                if summary is not None:
                    write_records(summary, [*others(earlier, done, group), *done])
            return done[start:]

        for name, todo in tasks.items():
            records = run_all(name, todo)
            if more is not None:
                pairs = zip(todo, records, strict=True)
                records += run_all(name, [task for pair in pairs for task in more(*pair)])
            print_table(format_table(name, records))


def print_table(table: Table) -> None:
    """Print a table at a fixed width."""
    Console(width=150).print(table)


def others(earlier: Sequence[Record], done: Sequence[Record], group: Sequence[str]) -> list[Record]:
    """Return the earlier records that belong to none of the groups of those that are done."""

    def key(record: Record) -> str:
        return json.dumps([record.get(name) or None for name in group])

    groups = set(map(key, done))
    return [record for record in earlier if key(record) not in groups]


def read_records(path: Path) -> list[Record]:
    """Return the records of a file; none if it is not there."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write records as JSON, one a line."""
    from cogsl.files import write_text

    write_text(path, "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n")


def format_figure(mean: float, deviation: float) -> str:
    """Return a mean with its deviation, which a single run does not have (NaN)."""
    return f"{mean:.1f}" if math.isnan(deviation) else f"{mean:.1f}±{deviation:.1f}"


def format_difference(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Return the mean paired difference with its 95 % interval; a single pair has none."""
    from cogsl.evaluation.statistics import paired_difference

    if len(ours) < 2:
        return ""
    d = paired_difference(ours, theirs)
    return f"{d.mean:+.2f} [{d.low:+.2f}, {d.high:+.2f}]"
