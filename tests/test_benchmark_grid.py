"""The file of records that several calls of a benchmark fill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.table import Table

from benchmarks.grid import others, read_records, run_grid, write_records

GROUP = ("method", "overrides")


def row(method: str, seed: int, **more: Any) -> dict[str, Any]:
    return {"method": method, "seed": seed} | more


def test_only_records_of_other_groups_stay() -> None:
    earlier = [row("gcn", 0), row("gcn", 1), row("mlp", 0), row("gcn", 0, overrides=[["lr", "1"]])]
    kept = others(earlier, [row("gcn", 0, overrides=())], GROUP)
    assert kept == earlier[2:]


def run_one(seed: int) -> dict[str, Any]:
    return row("gcn", seed)


@pytest.mark.parametrize(("group", "methods"), [(GROUP, ["mlp", "gcn"]), ((), ["gcn"])])
def test_a_grid_adds_to_the_file_or_writes_it_anew(
    tmp_path: Path, group: tuple[str, ...], methods: list[str]
) -> None:
    path = tmp_path / "records.json"
    assert read_records(path) == []
    write_records(path, [row("gcn", 7), row("mlp", 7)])
    tasks = {"wine": [3]}
    run_grid(run_one, tasks, lambda *_: Table(), jobs=1, summary=path, group=group)
    assert [record["method"] for record in read_records(path)] == methods
    assert row("gcn", 3) in read_records(path)
