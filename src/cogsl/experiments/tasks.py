"""One run of a grid: everything that determines its result, and how it is done."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scipy.sparse import csr_array

import cogsl
from cogsl import datasets
from cogsl.attacks import ATTACKS, EdgeAttack
from cogsl.cost import GraphSize
from cogsl.errors import InputError, UnknownNameError, did_you_mean
from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.provenance import content_hash
from cogsl.experiments.forecast import forecast
from cogsl.experiments.measures import MEASURES
from cogsl.experiments.presets import find_method

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier

GRAPH = "graph"
NOTHING: Mapping[str, str] = MappingProxyType({})
PLACE = ("name", "axis", "point")
"""Parts of a task that say where its record stands, and decide nothing."""


@dataclass(frozen=True, kw_only=True)
class AttackOn:
    """An attack, and what it acts on.

    Parameters
    ----------
    kind : its name in ``ATTACKS``.
    ratio : how strong it is.
    target : the graph, or numbers of views of the method, from 0.
    seed : of the attack.
    """

    kind: str
    ratio: float
    target: str | tuple[int, ...] = GRAPH
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in ATTACKS:
            raise UnknownNameError(
                f"Unknown attack '{self.kind}'{did_you_mean(self.kind, ATTACKS)}"
            )
        if self.target != GRAPH and not issubclass(ATTACKS[self.kind], EdgeAttack):
            raise InputError(f"The attack '{self.kind}' acts on the graph, not on single views.")


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run. Two tasks with the same ``key`` have the same result.

    Parameters
    ----------
    dataset, dataset_settings : what is loaded.
    split_seed : of the split, where that is drawn.
    method, settings : what is trained, with all settings that are not its defaults.
    seed : of the run.
    attack : what is done to the graph before; None for nothing.
    measure : what is measured beside the predictions, ``MEASURES``.
    name, axis, point : where the run stands in a table or figure; they decide nothing.
    """

    dataset: str
    method: str
    name: str
    seed: int
    split_seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    dataset_settings: Mapping[str, Any] = field(default_factory=dict)
    attack: AttackOn | None = None
    measure: str = "classification"
    axis: str = ""
    point: float | None = None

    def key(self, data_hash: str) -> str:
        """Return the hash of all that determines the result.

        ``data_hash`` is that of the data set's content. A method's settings count as they are
        resolved, so that a changed default is another run.
        """
        parts = dataclasses.asdict(self) | {
            "settings": self.new_method().get_params(),
            "data": data_hash,
            "version": cogsl.__version__,
        }
        for place in PLACE:
            del parts[place]
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def new_method(self) -> NodeClassifier:
        """Return the method, unfitted."""
        return find_method(self.method)(**self.settings)


@dataclass
class ViewAttack:
    """Attacks a view, and keeps how strong it was: a dense view may have no room for all of it.

    Parameters
    ----------
    attack, seed : what is done.
    ratio : how strong it was at last; None before.
    """

    attack: EdgeAttack
    seed: int
    ratio: float | None = None

    def __call__(self, matrix: csr_array) -> csr_array:
        """Return the attacked view."""
        self.ratio = self.attack.ratio_on(matrix)
        return self.attack.apply_to_matrix(matrix, seed=self.seed)


def run_task(task: Task, data_root: Path | None = None) -> Record:
    """Do one run and return its flat record.

    Where views were attacked, ``attack_ratios`` says how strongly each of them was in the end.
    """
    graph = load(task.dataset, task.split_seed, frozen(task.dataset_settings), data_root)
    options: dict[str, Any] = {}
    if task.attack is not None:
        graph, options = attacked(task, graph)
    context = {
        "dataset": task.dataset,
        "data_hash": data_hash(task.dataset, frozen(task.dataset_settings), data_root),
        "dataset_settings": dict(task.dataset_settings),
        "method": task.method,
        "split_seed": task.split_seed,
        "attack": None if task.attack is None else dataclasses.asdict(task.attack),
    }
    method = task.new_method()
    forecast(method, GraphSize.of(graph), graph_is_loaded=True).check()
    record = evaluate(method, graph, seed=task.seed, context=context, fit_options=options)
    changes = [change for change in options.get("view_changes", ()) if change is not None]
    if changes:
        record["attack_ratios"] = [change.ratio for change in changes]
    return record | MEASURES[task.measure](method, graph, task.seed)


def attacked(task: Task, graph: Graph) -> tuple[Graph, dict[str, Any]]:
    """Return the graph that the method is given, and what else ``fit`` is given."""
    on = task.attack
    assert on is not None
    attack = ATTACKS[on.kind](ratio=on.ratio)
    if isinstance(on.target, str):
        return attack.apply(graph, seed=on.seed), {}
    assert isinstance(attack, EdgeAttack)
    views = getattr(task.new_method(), "views", ())
    if not views or max(on.target) >= len(views):
        raise InputError(
            f"The attack is on view {max(on.target)}, and the method '{task.method}' has "
            f"{len(views)} views, counted from 0."
        )
    changes = [ViewAttack(attack, on.seed) if k in on.target else None for k in range(len(views))]
    return graph, {"view_changes": changes}


@functools.lru_cache(maxsize=4)
def load(
    dataset: str,
    split_seed: int,
    settings: tuple[tuple[str, Any], ...] = (),
    root: Path | None = None,
) -> Graph:
    """Return a data set's graph; the last few are kept."""
    return datasets.load(dataset, root=root, split_seed=split_seed, settings=dict(settings))


@functools.cache
def data_hash(
    dataset: str, settings: tuple[tuple[str, Any], ...] = (), root: Path | None = None
) -> str:
    """Return the hash of a data set's content, whatever its split."""
    return content_hash(load(dataset, 0, settings, root).with_split((), ()))


def key_of(task: Task, data_root: Path | None = None, recorded: Mapping[str, str] = NOTHING) -> str:
    """Return a task's key; its data set is read once a process.

    ``recorded`` has the hash of data that is not at hand, as ``recorded_hashes`` returns them.
    """
    if task.dataset in recorded:
        return task.key(recorded[task.dataset])
    return task.key(data_hash(task.dataset, frozen(task.dataset_settings), data_root))


def frozen(settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return settings in a form that a cache can take for a key."""
    return tuple(sorted(settings.items()))
