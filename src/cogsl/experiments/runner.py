"""Run a method on a data set for several seeds, one JSON record a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cogsl import datasets
from cogsl.errors import InputError, UnknownNameError, UnknownSettingError, did_you_mean
from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.provenance import content_hash
from cogsl.experiments.presets import divide, find_method, has_preset, resolve
from cogsl.experiments.records import check_folder, write_record
from cogsl.methods import METHODS
from cogsl.settings import settings_of
from cogsl.training.listener import Listener, SilentListener

if TYPE_CHECKING:
    from cogsl.cost import GraphSize
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier


class Observer(Protocol):
    """Told when a run starts and ends; a progress display is one."""

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        """A run starts; the listener that is returned hears how its training goes on."""

    def on_run_end(self, record: Record) -> None:
        """A run ended and its record is on disk."""


class SilentObserver:
    """Sees everything and says nothing."""

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        """Return a listener that says nothing either."""
        return SilentListener()

    def on_run_end(self, record: Record) -> None:
        """Ignore the record."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run: names, settings that differ from the method's defaults, seeds, folder.

    ``seeds`` are those of the runs; ``split_seed`` is that of the split, the same for all runs.
    ``dataset_settings`` are all settings of the data set, which are none for most.
    """

    dataset: str
    method: str
    preset: str
    settings: Mapping[str, Any]
    seeds: tuple[int, ...]
    split_seed: int
    output: Path
    data_root: Path | None = None
    dataset_settings: Mapping[str, Any] = field(default_factory=dict)

    def new_method(self) -> NodeClassifier:
        """Return an unfitted method with the plan's settings."""
        return find_method(self.method)(**self.settings)


@dataclass
class Outcome:
    """The finished runs' records and files, and whether Ctrl-C ended the others."""

    records: list[Record] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    interrupted: bool = False

    def add(self, other: Outcome) -> None:
        """Take over the runs of another plan."""
        self.records += other.records
        self.paths += other.paths
        self.interrupted |= other.interrupted


def prepare(
    dataset: str,
    *,
    output: Path,
    method: str = "cogsl",
    preset: str = "default",
    overrides: Mapping[str, object] | None = None,
    seeds: tuple[int, ...] = (0,),
    split_seed: int = 0,
    data_root: Path | None = None,
) -> Plan:
    """Check everything that can be checked without reading data, and return the plan.

    ``overrides`` are settings of the method or of the data set; no name is in both.
    """
    if not seeds or min(*seeds, split_seed, 0) < 0:
        raise InputError(f"Seeds must be whole numbers from 0. Got {seeds} and {split_seed}.")
    of_method, of_dataset = choose(dataset, method=method, preset=preset, overrides=overrides)
    plan = Plan(
        dataset=dataset,
        method=method,
        preset=preset,
        settings=of_method,
        seeds=seeds,
        split_seed=split_seed,
        output=output,
        data_root=data_root,
        dataset_settings=of_dataset,
    )
    check_folder(output)
    return plan


def prepare_all(
    dataset: str,
    *,
    output: Path,
    preset: str = "default",
    overrides: Mapping[str, object] | None = None,
    seeds: tuple[int, ...] = (0,),
    split_seed: int = 0,
    data_root: Path | None = None,
) -> list[Plan]:
    """Return a plan for every method.

    A setting is for those methods that have it, and some method or the data set must. A method
    without that preset for the data set runs with its own default.
    """
    overrides, kind = overrides or {}, datasets.settings_class(dataset)
    of_dataset = {} if kind is None else settings_of(kind)
    of_methods = {name: settings_of(method) for name, method in METHODS.items()}
    known = set(of_dataset).union(*of_methods.values())
    for key in overrides:
        if key not in known:
            raise UnknownSettingError(f"No method has a key '{key}'{did_you_mean(key, known)}")
    return [
        prepare(
            dataset,
            output=output,
            method=name,
            preset=preset if has_preset(name, dataset, preset) else "default",
            overrides={k: v for k, v in overrides.items() if k in settings or k in of_dataset},
            seeds=seeds,
            split_seed=split_seed,
            data_root=data_root,
        )
        for name, settings in of_methods.items()
    ]


def choose(
    dataset: str, *, method: str, preset: str, overrides: Mapping[str, object] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the method that are not its defaults, and all of the data set's."""
    if dataset not in datasets.DATASETS:
        hint = did_you_mean(dataset, datasets.DATASETS)
        raise UnknownNameError(f"Unknown data set '{dataset}'{hint}")
    of_method, of_dataset = divide(method, dataset, overrides or {})
    settings = resolve(method, dataset, preset, of_method)
    find_method(method)(**settings).validate()
    return settings, _resolve_dataset(dataset, of_dataset)


def known_size(plan: Plan) -> GraphSize | None:
    """Return the graph's size, or None if that is known only when the graph is read."""
    return datasets.DATASETS[plan.dataset].configured(plan.dataset_settings).size()


def load_graph(plan: Plan) -> Graph:
    """Read the plan's data set, split by the plan's split seed."""
    return datasets.load(
        plan.dataset,
        root=plan.data_root,
        split_seed=plan.split_seed,
        settings=plan.dataset_settings,
    )


def run(plan: Plan, graph: Graph, observer: Observer | None = None) -> Outcome:
    """Run every seed of the plan and write each record as soon as its run has ended.

    Ctrl-C ends the run that is under way; what was finished before is kept and returned.
    """
    observer = observer or SilentObserver()
    outcome = Outcome()
    graph_hash = content_hash(graph)
    try:
        for seed in plan.seeds:
            record = _run_seed(plan, graph, seed, observer)
            path = plan.output / record_name(plan, graph_hash, seed)
            write_record(path, record)
            outcome.records.append(record)
            outcome.paths.append(path)
            observer.on_run_end(record)
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


def record_name(plan: Plan, graph_hash: str, seed: int) -> str:
    """Return a run's file name.

    It ends in a hash of the resolved settings and the graph's content, so that only the same
    run overwrites a record.
    """
    resolved = json.dumps([plan.new_method().get_params(), graph_hash], sort_keys=True)
    digest = hashlib.sha256(resolved.encode()).hexdigest()[:8]
    parts = (plan.dataset, plan.method, plan.preset, f"split{plan.split_seed}", f"seed{seed}")
    return "-".join((*parts, digest)) + ".json"


def _resolve_dataset(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return all settings of a data set, checked; none for most."""
    kind = datasets.settings_class(name)
    return {} if kind is None else kind().configured(settings).get_params()


def _run_seed(plan: Plan, graph: Graph, seed: int, observer: Observer) -> Record:
    method = plan.new_method()
    listener = observer.on_run_start(plan.method, seed, method.max_iterations)
    context = {
        "dataset": plan.dataset,
        "dataset_settings": dict(plan.dataset_settings),
        "method": plan.method,
        "preset": plan.preset,
        "split_seed": plan.split_seed,
    }
    return evaluate(method, graph, seed=seed, listener=listener, context=context)
