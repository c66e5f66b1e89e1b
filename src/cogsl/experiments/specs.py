"""Specs: what a table or figure of the paper needs, kept as TOML, and the runs that it comes to."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from cogsl import datasets
from cogsl.errors import InputError, UnknownNameError, did_you_mean
from cogsl.experiments.measures import MEASURES
from cogsl.experiments.presets import has_preset, resolve
from cogsl.experiments.tasks import GRAPH, AttackOn, Task

KINDS = ("table", "figure")


@dataclass(frozen=True)
class Series:
    """A method as it stands in a table or figure.

    Parameters
    ----------
    name : what it is called there.
    method, settings : what is run, beyond its preset for the data set.
    preset : of the method for the data set; its default where it has no other.
    target : which of its views an attack on edges acts on; none means the graph.
    in_paper : whether the paper's table or figure has it, too.
    """

    name: str
    method: str
    preset: str = "paper"
    settings: Mapping[str, Any] = field(default_factory=dict)
    target: tuple[int, ...] = ()
    in_paper: bool = True


@dataclass(frozen=True)
class Point:
    """A place on the axis: settings of the method, or the strength of the attack."""

    x: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    ratio: float = 0.0


@dataclass(frozen=True)
class Panel:
    """A data set with the points of one axis."""

    dataset: str
    axis: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Spec:
    """A table or figure.

    Parameters
    ----------
    name : by which it is asked for.
    title, paper : what it shows, and where the paper does.
    kind : table or figure.
    panels : one data set each.
    series : the methods.
    metrics : the figures that are shown, as the records name them.
    attack : its kind; "" for none.
    measure : what is measured in a run, ``MEASURES``.
    note : what a reader has to know beside.
    claim : what the paper says of it, in a sentence or two.
    own : the row that is the paper's own method; "" where all are.
    leaders : by data set, the rows of which one leads by the claim, where no numbers are printed.
    above : pairs of rows of which the claim says that the first is above the second.
    printed : the paper's own numbers, by data set and series.
    left_out : data sets that the whole spec has and this part has not, and why.
    """

    name: str
    title: str
    paper: str
    kind: str
    panels: tuple[Panel, ...]
    series: tuple[Series, ...]
    metrics: tuple[str, ...]
    attack: str = ""
    measure: str = "classification"
    note: str = ""
    claim: str = ""
    own: str = ""
    leaders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    above: Sequence[Sequence[str]] = ()
    printed: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets, each once."""
        return tuple(dict.fromkeys(panel.dataset for panel in self.panels))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, each once."""
        return tuple(dict.fromkeys(series.method for series in self.series))


def spec_names() -> list[str]:
    """Return the names of all specs."""
    folder = files("cogsl.experiments") / "specs"
    names = (file.name for file in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def read_spec(name: str) -> Spec:
    """Return a spec by its name."""
    if name not in spec_names():
        hint = did_you_mean(name, spec_names())
        raise UnknownNameError(f"Unknown table or figure '{name}'{hint}")
    text = (files("cogsl.experiments") / "specs" / f"{name}.toml").read_text(encoding="utf-8")
    return parse_spec(name, tomllib.loads(text))


def parse_spec(name: str, content: Mapping[str, Any]) -> Spec:
    """Return a spec from its TOML; what it cannot be is an error."""
    given = dict(content)
    series = tuple(
        Series(**{**s, "target": tuple(s.get("target", ()))}) for s in given.pop("series")
    )
    axis, points = given.pop("axis", ""), _points(given.pop("points", [{}]))
    shared = [Panel(dataset, axis, points) for dataset in given.pop("datasets", [])]
    own = [Panel(p["dataset"], p["axis"], _points(p["points"])) for p in given.pop("panels", [])]
    given["metrics"] = tuple(given["metrics"])
    spec = Spec(name=name, panels=(*shared, *own), series=series, **given)
    for value, known in ((spec.kind, KINDS), (spec.measure, tuple(MEASURES))):
        if value not in known:
            raise InputError(f"The spec '{name}' says '{value}'{did_you_mean(value, known)}")
    return spec


def _points(given: Iterable[Mapping[str, Any]]) -> tuple[Point, ...]:
    return tuple(Point(**point) for point in given)


def narrow(
    spec: Spec,
    *,
    only_datasets: Sequence[str] = (),
    only_methods: Sequence[str] = (),
    why: str = "not asked for",
) -> Spec:
    """Return the part of a spec with some data sets and methods; a name it has not is an error.

    The part knows which data sets it lacks, and ``why``.
    """
    _check_names(only_datasets, spec.datasets, f"data set in '{spec.name}'")
    _check_names(only_methods, spec.methods, f"method in '{spec.name}'")
    panels = [p for p in spec.panels if not only_datasets or p.dataset in only_datasets]
    series = [s for s in spec.series if not only_methods or s.method in only_methods]
    kept = {panel.dataset for panel in panels}
    lacks = {dataset: why for dataset in spec.datasets if dataset not in kept}
    left_out = {**spec.left_out, **lacks}
    return replace(spec, panels=tuple(panels), series=tuple(series), left_out=left_out)


def overlap(
    spec: Spec, *, only_datasets: Sequence[str] = (), only_methods: Sequence[str] = ()
) -> Spec | None:
    """Return the same for those names that the spec has; None if nothing is left of it."""
    its_datasets = [name for name in only_datasets if name in spec.datasets]
    its_methods = [name for name in only_methods if name in spec.methods]
    if (only_datasets and not its_datasets) or (only_methods and not its_methods):
        return None
    return narrow(spec, only_datasets=its_datasets, only_methods=its_methods)


def check_known(
    specs: Sequence[Spec], *, only_datasets: Sequence[str] = (), only_methods: Sequence[str] = ()
) -> None:
    """Raise an error for a name that none of the specs has."""
    datasets_of_all = {name for spec in specs for name in spec.datasets}
    _check_names(only_datasets, datasets_of_all, "data set in any table or figure")
    methods_of_all = {name for spec in specs for name in spec.methods}
    _check_names(only_methods, methods_of_all, "method in any table or figure")


def _check_names(asked: Sequence[str], known: Iterable[str], what: str) -> None:
    for name in asked:
        if name not in set(known):
            raise UnknownNameError(f"No {what} is called '{name}'{did_you_mean(name, set(known))}")


Runs = Callable[[Task], int]


def expand(spec: Spec, runs: Runs) -> list[Task]:
    """Return every run of a spec.

    All methods see the same splits and the same attacked graphs: run k has seed k, split k where
    the data set has no public one, and the attack of seed k.

    Parameters
    ----------
    runs : says how many runs a task gets; it is given the first.
    """
    tasks = []
    for panel in spec.panels:
        for series in spec.series:
            for point in panel.points:
                first = task_of(spec, panel, series, point, run=0)
                tasks.append(first)
                more = range(1, runs(first))
                tasks += [task_of(spec, panel, series, point, run=k) for k in more]
    return tasks


def task_of(spec: Spec, panel: Panel, series: Series, point: Point, *, run: int) -> Task:
    """Return one run."""
    known = has_preset(series.method, panel.dataset, series.preset)
    preset = series.preset if known else "default"
    own = dict(series.settings) | dict(point.settings)
    attack = None
    if spec.attack and point.ratio > 0:
        target = series.target or GRAPH
        attack = AttackOn(kind=spec.attack, ratio=point.ratio, target=target, seed=run)
    return Task(
        dataset=panel.dataset,
        method=series.method,
        name=series.name,
        seed=run,
        split_seed=run if datasets.DATASETS[panel.dataset].draws_splits else 0,
        settings=resolve(series.method, panel.dataset, preset, own),
        attack=attack,
        measure=spec.measure,
        point=point.x,
        axis=panel.axis,
    )
