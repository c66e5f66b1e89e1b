"""Methods on repeated splits of one graph: does structure learning help on it?

All methods have the same budget: the same splits and the same labels, and each its own default
settings, none of which is tuned to the graph. Their times differ, and are told. A split decides the
seed of the runs on it, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cogsl
from cogsl.cost import GraphSize
from cogsl.errors import CogslError, InputError, MemoryLimitError
from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.provenance import content_hash
from cogsl.experiments.forecast import Forecast, forecast
from cogsl.experiments.presets import find_method, resolve
from cogsl.experiments.resplits import Sizes, check_labels, draw, sizes_of
from cogsl.experiments.runner import Observer, SilentObserver
from cogsl.experiments.store import Store
from cogsl.experiments.verdict import Evidence

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.io import NamedGraph
    from cogsl.methods.base import NodeClassifier

CORE = ("mlp", "knn_gcn", "gcn", "cogsl")
"""No graph, that of similar features, the given one, and a learned one."""

REFERENCE = "cogsl"
LEAST_SPLITS = 5
_PRESET = "default"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is compared, and how often.

    Parameters
    ----------
    methods : their names; those that learn a graph are held against the others.
    n_splits : splits of the labelled nodes.
    seed : of the first split; the others have the next ones.
    val_share, test_share : of the labelled nodes; None leaves it to ``sizes_of``.
    """

    methods: tuple[str, ...] = CORE
    n_splits: int = 10
    seed: int = 0
    val_share: float | None = None
    test_share: float | None = None

    @property
    def seeds(self) -> range:
        """The seeds of the splits."""
        return range(self.seed, self.seed + self.n_splits)


def make_plan(
    more: Sequence[str] = (),
    *,
    n_splits: int = 10,
    seed: int = 0,
    val_share: float | None = None,
    test_share: float | None = None,
) -> Plan:
    """Check what can be checked without a graph, and return the plan of four methods and more."""
    if n_splits < LEAST_SPLITS or seed < 0:
        raise InputError(
            f"A comparison needs {LEAST_SPLITS} splits or more, and a seed from 0. "
            f"Got {n_splits} and {seed} instead."
        )
    for name in more:
        find_method(name)
    return Plan(
        methods=tuple(dict.fromkeys((*CORE, *more))),
        n_splits=n_splits,
        seed=seed,
        val_share=val_share,
        test_share=test_share,
    )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A graph, how it is split, and which methods run on it.

    Parameters
    ----------
    title : what to call the graph in records.
    graph : its own split, if it has one, gives sizes only.
    plan : what is compared, and how often.
    sizes : of the splits.
    """

    title: str
    graph: Graph
    plan: Plan
    sizes: Sizes

    @classmethod
    def of(cls, named: NamedGraph, plan: Plan, title: str) -> Comparison:
        """Check the labels, draw one split, and return what is to be done."""
        check_labels(named)
        graph = named.graph
        sizes = sizes_of(graph, val_share=plan.val_share, test_share=plan.test_share)
        draw(graph, sizes, plan.seed).check_trainable()
        return cls(title=title, graph=graph, plan=plan, sizes=sizes)

    def new_method(self, name: str) -> NodeClassifier:
        """Return a method, unfitted, with the defaults that it has for a graph of that title."""
        return find_method(name)(**resolve(name, self.title, _PRESET))

    def forecasts(self, limit: int | None = None) -> dict[str, Forecast]:
        """Return what a run of each method needs; raise if one would need too much memory."""
        size = GraphSize.of(draw(self.graph, self.sizes, self.plan.seed))
        found = {
            name: forecast(self.new_method(name), size, graph_is_loaded=True)
            for name in self.plan.methods
        }
        for name, needed in found.items():
            try:
                needed.check(limit)
            except MemoryLimitError as error:
                raise MemoryLimitError(
                    f"{name}: {error} As a comparison has default settings only, give it more "
                    "memory or a part of the graph."
                ) from error
        return found

    @cached_property
    def keys(self) -> dict[tuple[str, int], str]:
        """The key of each run, by method and seed: the hash of all that determines its result."""
        nodes_and_edges = content_hash(self.graph.with_split((), ()))
        common = [nodes_and_edges, asdict(self.sizes), cogsl.__version__]
        keys = {}
        for seed in self.plan.seeds:
            for name in self.plan.methods:
                parts = [name, self.new_method(name).get_params(), seed, common]
                text = json.dumps(parts, sort_keys=True, default=str)
                keys[name, seed] = hashlib.sha256(text.encode()).hexdigest()[:24]
        return keys

    def missing(self, store: Store) -> list[tuple[str, int]]:
        """Return the runs that the store has no record of, by method and seed."""
        return [run for run, key in self.keys.items() if key not in store]

    def run(self, store: Store, observer: Observer | None = None) -> list[Record]:
        """Do the runs that are missing, and return the records of all, split by split.

        Each record is written as soon as its run has ended; so one that was ended goes on.
        """
        observer, records = observer or SilentObserver(), []
        for (name, seed), key in self.keys.items():
            record = store.get(key)
            if record is None:
                record = self._run_one(name, seed, observer)
                store.put(key, record)
                observer.on_run_end(record)
            records.append(record)
        return records

    def evidence(self, records: Sequence[Record], least: float) -> Evidence:
        """Return what a verdict rests on: the accuracy of each method, split by split."""
        methods, known = self.plan.methods, self.graph.labels[self.graph.labels >= 0]
        return Evidence(
            accuracy={m: [r["accuracy"] for r in records if r["method"] == m] for m in methods},
            learners=tuple(m for m in methods if find_method(m).learns_graph),
            edge_readers=frozenset(m for m in methods if find_method(m).reads_edges),
            n_labels=self.sizes.labels,
            n_test=self.sizes.test,
            largest_class=float(np.bincount(known).max() / len(known)),
            least=least,
        )

    def _run_one(self, name: str, seed: int, observer: Observer) -> Record:
        method = self.new_method(name)
        listener = observer.on_run_start(name, seed, method.max_iterations)
        graph = draw(self.graph, self.sizes, seed)
        context = {"dataset": self.title, "method": name, "preset": _PRESET, "split_seed": seed}
        try:
            return evaluate(method, graph, seed=seed, listener=listener, context=context)
        except CogslError as error:
            raise type(error)(f"{name}, split {seed}: {error}") from error


def open_store(folder: Path) -> Store:
    """Return the store of the records below an output folder."""
    return Store(folder / "records")
