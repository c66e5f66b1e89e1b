"""One grid in process, in two processes, on Ray, and killed in the middle.

    python -m benchmarks.executors [NAME] [--datasets wine] [--methods gcn] [--seeds 2]

Each time ``cogsl reproduce`` begins with an empty store. The records (but for seconds and memory)
and all files that it writes must be the same to the last bit; wall times include the start of the
command. The killed one is ended by SIGKILL once a third of the records is there, and begun again.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from benchmarks.grid import print_table

EXECUTORS = {
    "in process": ("in-process",),
    "two processes": ("processes", "--jobs", "2"),
    "Ray, here": ("ray",),
}
KILLED = "in process, killed and begun again"
DIFFERS = ("seconds", "peak_memory")  # from run to run
SECONDS = 3600.0


@dataclass(frozen=True)
class Place:
    """Where one grid leaves its records and documents."""

    folder: Path

    def command(self, grid: Sequence[str], executor: Sequence[str]) -> list[str]:
        """Return the command that does the grid here."""
        cogsl = [sys.executable, "-c", "from cogsl.cli import main; main()", "reproduce", *grid]
        places = ["--store", str(self.folder / "store"), "--output", str(self.folder / "out")]
        return [*cogsl, *places, "--executor", *executor]

    @property
    def paths(self) -> list[Path]:
        """The files of all records."""
        return sorted((self.folder / "store").glob("*.json"))

    def records(self) -> dict[str, object]:
        """Return the records without what differs from run to run."""
        found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in self.paths}
        return {
            key: {name: value for name, value in record.items() if name not in DIFFERS}
            for key, record in found.items()
        }

    def documents(self) -> dict[str, bytes]:
        """Return the tables and figures."""
        files = (path for path in (self.folder / "out").rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}


def do(place: Place, grid: Sequence[str], executor: Sequence[str]) -> float:
    """Do the grid; return the wall time in seconds."""
    start = time.perf_counter()
    subprocess.run(place.command(grid, executor), check=True, capture_output=True, timeout=SECONDS)
    return time.perf_counter() - start


def do_killed(place: Place, grid: Sequence[str], n_runs: int) -> tuple[float, int, int]:
    """Do the grid, killed on the way; return the wall time, and how many runs each start did.

    A record that is there is never written again, which its time shows.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        place.command(grid, EXECUTORS["in process"]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(place.paths) < max(1, n_runs // 3) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path: path.stat().st_mtime_ns for path in place.paths}
    do(place, grid, EXECUTORS["in process"])
    again = [path for path, when in before.items() if path.stat().st_mtime_ns != when]
    return time.perf_counter() - start, len(before), len(place.paths) - len(before) + len(again)


def main(
    name: Annotated[str, typer.Argument(help="a table or figure")] = "fig-deletion",
    datasets: Annotated[str, typer.Option(help="a data set of it")] = "breast_cancer",
    methods: Annotated[str, typer.Option(help="a method of it")] = "gen",
    seeds: Annotated[int, typer.Option(help="runs at each point")] = 2,
) -> None:
    """Do the grid in every way, and print wall times and whether the results are the same."""
    grid = [name, "--datasets", datasets, "--methods", methods, "--seeds", str(seeds)]
    table = Table(title=f"cogsl reproduce {' '.join(grid)}")
    for head in ("", "wall time, s", "runs", "records", "documents"):
        table.add_column(head)
    with TemporaryDirectory() as folder:
        reference = Place(Path(folder) / "0")
        for number, (title, executor) in enumerate(EXECUTORS.items()):
            place = Place(Path(folder) / str(number))
            seconds = do(place, grid, executor)
            table.add_row(title, f"{seconds:.1f}", str(len(place.paths)), *_alike(place, reference))
        place = Place(Path(folder) / "killed")
        seconds, first, second = do_killed(place, grid, len(reference.paths))
        runs = f"{first} + {second}"
        table.add_row(KILLED, f"{seconds:.1f}", runs, *_alike(place, reference))
    print_table(table)


def _alike(place: Place, reference: Place) -> tuple[str, str]:
    """Say whether records and documents are those of the first grid."""
    if place == reference:
        return "", ""
    pairs = ((place.records(), reference.records()), (place.documents(), reference.documents()))
    records, documents = ("the same" if one == other else "DIFFER" for one, other in pairs)
    return records, documents


if __name__ == "__main__":
    typer.run(main)
