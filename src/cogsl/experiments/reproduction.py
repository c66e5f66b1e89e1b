"""A table or figure of the paper, made again: which runs it takes, and what comes out of them."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogsl import datasets
from cogsl.attacks import ATTACKS
from cogsl.cost import Cost, GraphSize, on_usual_machine
from cogsl.experiments.measures import cost_of
from cogsl.experiments.specs import Spec, narrow
from cogsl.experiments.tasks import GRAPH, Task, frozen, load
from cogsl.machine import one_thread

if TYPE_CHECKING:
    from cogsl.cost import Estimate
    from cogsl.evaluation.protocol import Record

RUNS_UNDER = {60.0: 10, 600.0: 3, float("inf"): 1}
"""Seconds that a run takes: how many there are."""

MOST_RUNS = max(RUNS_UNDER.values())


def at_hand(
    spec: Spec, root: Path | None = None, recorded: Collection[str] = ()
) -> tuple[Spec | None, list[str]]:
    """Return the part of a spec whose data is here, None if none is, and the data sets left out.

    Data sets that are ``recorded`` count as if they were here.
    """
    here = [name for name in spec.datasets if name in recorded or is_here(name, root)]
    missing = [name for name in spec.datasets if name not in here]
    part = narrow(spec, only_datasets=here, why="no file at hand") if here else None
    return part, missing


def is_here(dataset: str, root: Path | None = None) -> bool:
    """Tell whether a data set can be loaded without a network."""
    return datasets.DATASETS[dataset].is_at_hand(root)


def recorded_hashes(records: Mapping[str, Record], root: Path | None = None) -> dict[str, str]:
    """Return the hashes of those data sets that records are of, and that are not at hand.

    They stand in the keys of the records, so that without the data these can still be found.
    """
    hashes = {
        record["dataset"]: record["data_hash"]
        for record in records.values()
        if "data_hash" in record and not record["dataset_settings"]
    }
    return {name: text for name, text in hashes.items() if not is_here(name, root)}


def estimated(task: Task, root: Path | None = None) -> Estimate:
    """Return what a task needs, as its method says of the graph that it is given.

    The data set is read for it, and attacked: sparse features, for one, are dense under noise.
    What is measured after the run counts with the result.
    """
    on, attack = task.attack, None
    if on is not None and on.target == GRAPH:
        attack = (on.kind, on.ratio)
    size = _size(task.dataset, frozen(task.dataset_settings), attack, root)
    method = task.new_method()
    run, after = method.estimate(size), cost_of(task.measure, method, size)
    seconds = run.result.seconds + after.seconds
    return replace(run, result=Cost(seconds, run.result.peak_bytes + after.peak_bytes))


@functools.lru_cache(maxsize=128)
def _size(
    dataset: str,
    settings: tuple[tuple[str, Any], ...],
    attack: tuple[str, float] | None,
    root: Path | None,
) -> GraphSize:
    """Return the size of a data set's graph, after an attack if there is one."""
    graph = load(dataset, 0, settings, root)
    if attack is not None:
        kind, ratio = attack
        graph = ATTACKS[kind](ratio=ratio).apply(graph, seed=0)
    return GraphSize.of(graph)


def usual_runs(task: Task, root: Path | None = None) -> int:
    """Return how many runs a task gets by the time that one takes on the usual machine.

    So a grid has the same runs everywhere, and on a busy machine too.
    """
    with on_usual_machine():
        return runs_by_time(estimated(task, root).seconds)


def runs_by_time(seconds: float) -> int:
    """Return how many runs there are if one takes so long."""
    return next(runs for limit, runs in RUNS_UNDER.items() if seconds < limit)


def total_seconds(tasks: Sequence[Task], root: Path | None = None) -> float:
    """Return about how long tasks take, one after the other, on one thread as executors do them."""
    return sum(expected_seconds(tasks, root))


def expected_seconds(tasks: Sequence[Task], root: Path | None = None) -> list[float]:
    """Return about how long each task takes on one thread."""
    kinds: dict[tuple[str, ...], float] = {}
    expected = []
    with one_thread():
        for task in tasks:
            attack = "" if task.attack is None else f"{task.attack.kind} {task.attack.ratio}"
            settings = repr(sorted(task.settings.items()))
            kind = (task.dataset, task.method, settings, attack, task.measure)
            if kind not in kinds:
                kinds[kind] = estimated(task, root).seconds
            expected.append(kinds[kind])
    return expected
