"""A table or figure of the paper, made again: which runs it takes, and what comes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cogsl import datasets
from cogsl.cost import GraphSize
from cogsl.experiments.specs import Spec, narrow
from cogsl.experiments.tasks import Task, frozen, load

if TYPE_CHECKING:
    from cogsl.cost import Estimate

RUNS_UNDER = {60.0: 10, 600.0: 3, float("inf"): 1}
"""Seconds that a run takes: how many there are."""

MOST_RUNS = max(RUNS_UNDER.values())


def at_hand(spec: Spec, root: Path | None = None) -> tuple[Spec | None, list[str]]:
    """Return the part of a spec whose data is here, None if none is, and the data sets left out."""
    here = [name for name in spec.datasets if datasets.DATASETS[name].is_at_hand(root)]
    missing = [name for name in spec.datasets if name not in here]
    return (narrow(spec, only_datasets=here) if here else None), missing


def estimated(task: Task, root: Path | None = None) -> Estimate:
    """Return what a task needs, as its method says; the data set is read for it."""
    graph = load(task.dataset, 0, frozen(task.dataset_settings), root)
    return task.new_method().estimate(GraphSize.of(graph))


def usual_runs(task: Task, root: Path | None = None) -> int:
    """Return how many runs a task gets by the time that one takes."""
    return runs_by_time(estimated(task, root).seconds)


def runs_by_time(seconds: float) -> int:
    """Return how many runs there are if one takes so long."""
    return next(runs for limit, runs in RUNS_UNDER.items() if seconds < limit)


def total_seconds(tasks: Sequence[Task], root: Path | None = None) -> float:
    """Return about how long tasks take, one after the other."""
    kinds: dict[tuple[str, str, str], float] = {}
    total = 0.0
    for task in tasks:
        kind = (task.dataset, task.method, repr(sorted(task.settings.items())))
        if kind not in kinds:
            kinds[kind] = estimated(task, root).seconds
        total += kinds[kind]
    return total
