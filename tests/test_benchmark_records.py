"""Runs of the accuracy benchmark are taken for runs of the table only where they are the same."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.records import taken
from cogsl.experiments.specs import expand, narrow, read_spec
from cogsl.experiments.tasks import Task, key_of


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """The runs of two methods on Wine, three each."""
    spec = narrow(
        read_spec("table-classification"), only_datasets=["wine"], only_methods=["gcn", "mlp"]
    )
    return expand(spec, lambda _: 3)


def row(**changes: Any) -> dict[str, Any]:
    """A run as the benchmark sums it up."""
    run = {"dataset": "wine", "method": "gcn", "preset": "paper", "seed": 1, "split_seed": 1}
    return run | {"overrides": [], "macro_f1": 0.9, "micro_f1": 0.8, "commit": "abc"} | changes


def test_a_run_is_taken_with_its_figures(tasks: list[Task]) -> None:
    found = taken([row()], tasks)
    wanted = next(task for task in tasks if task.method == "gcn" and task.seed == 1)
    assert list(found) == [key_of(wanted)]
    record = found[key_of(wanted)]
    assert (record["macro_f1"], record["commit"], record["attack"]) == (0.9, "abc", None)
    assert record["accuracy"] == record["micro_f1"] == 0.8
    assert "preset" not in record


@pytest.mark.parametrize(
    "changes",
    [
        {"preset": "default"},  # its preset differs from the defaults
        {"overrides": [["hidden", "8"]]},
        {"seed": 5, "split_seed": 5},
        {"split_seed": 0},
        {"dataset": "digits"},
    ],
)
def test_another_run_is_not(tasks: list[Task], changes: dict[str, Any]) -> None:
    assert taken([row(**changes)], tasks) == {}
