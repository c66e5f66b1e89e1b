"""Records, settings and data sets as tables and lines: pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cogsl.machine import format_bytes

if TYPE_CHECKING:
    from cogsl.datasets import Dataset
    from cogsl.evaluation import Record
    from cogsl.experiments.forecast import Forecast
    from cogsl.experiments.specs import Spec
    from cogsl.methods.base import NodeClassifier

_TITLES = {"macro_f1": "Macro-F1", "micro_f1": "Micro-F1", "auc": "AUC", "accuracy": "Accuracy"}


def format_results(records: Sequence[Record]) -> Table:
    """Return the mean and standard deviation of each metric in percent, as papers print them.

    There is one row a method; a single one stands in the title, with its preset.
    """
    first, groups = records[0], _by_method(records)
    several = len(groups) > 1
    whose = "" if several else f"{first['method']} on "
    preset = "" if several else f"preset {first['preset']}, "
    table = Table(
        title=f"{whose}{first['dataset']}, {preset}split seed {first['split_seed']}",
        caption="Test nodes, in percent; mean ± standard deviation.",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    if several:
        table.add_column("Method", no_wrap=True)
    for title in (*_TITLES.values(), "Runs", "Time a run", "Time"):
        table.add_column(title, justify="right", no_wrap=title in _TITLES.values())
    for name, group in groups.items():
        table.add_row(*([name] if several else []), *_cells_of_runs(group))
    return table


def _by_method(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the records of each method; a preset that others do not have stands in its name."""
    presets = {r["preset"] for r in records}
    groups: dict[str, list[Record]] = {}
    for record in records:
        preset = f" ({record['preset']})" if len(presets) > 1 else ""
        groups.setdefault(f"{record['method']}{preset}", []).append(record)
    return groups


def _cells_of_runs(records: Sequence[Record]) -> list[str]:
    """Return the metrics of some runs, how many they are, and their time."""
    from cogsl.evaluation.statistics import mean_and_deviation

    seconds = [r["seconds"] for r in records]
    return [
        *(format_mean(*mean_and_deviation([r[name] for r in records])) for name in _TITLES),
        str(len(records)),
        format_seconds(sum(seconds) / len(seconds)),
        format_seconds(sum(seconds)),
    ]


def format_mean(mean: float, deviation: float) -> str:
    """Return shares as percent, e.g. ``97.9 ± 0.3``; a single run has no deviation."""
    if math.isnan(deviation):
        return f"{100 * mean:.1f}"
    return f"{100 * mean:.1f} ± {100 * deviation:.1f}"


def format_seconds(seconds: float) -> str:
    """Return a time as ``3.2 s``, ``4 min 10 s`` or ``2 h 5 min``."""
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def format_forecast(forecast: Forecast, n_runs: int) -> str:
    """Return one line about what the runs will need."""
    estimate, memory = forecast.estimate, format_bytes(forecast.peak_bytes)
    seconds = format_seconds(n_runs * estimate.seconds)
    return f"Estimate: about {seconds} and {memory} of memory."


def format_estimate(forecast: Forecast, title: str) -> Table:
    """Return time and peak memory of the views, of one iteration and of the whole run."""
    e = forecast.estimate
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("Time", "Peak memory"):
        table.add_column(name, justify="right", no_wrap=True)
    beside = forecast.peak_bytes - e.peak_bytes
    for name, cost in (("Views", e.views), ("One iteration", e.iteration), ("Result", e.result)):
        row = format_seconds(cost.seconds), format_bytes(beside + cost.peak_bytes)
        table.add_row(name, *row)
    whole = format_seconds(e.seconds), format_bytes(forecast.peak_bytes)
    table.add_row(f"Whole run, {e.iterations} iterations", *whole)
    return table


def format_run(record: Record, *, named: bool = False) -> str:
    """Return one plain line about a finished run, with the name of its method if that is asked for.

    Accuracy is equal to micro-F1 and left out.
    """
    figures = (
        f"{_TITLES[name]} {100 * record[name]:.1f}" for name in _TITLES if name != "accuracy"
    )
    kept = f"kept iteration {record['best_iter'] + 1}/{record['n_iter']}"
    line = (*figures, kept, format_seconds(record["seconds"]))
    run = f"{record['method']}, seed" if named else "Seed"
    return f"{run} {record['seed']}: {', '.join(line)}"


def format_settings(method: type, *, width: int) -> Table:
    """Return a method's settings with meaning, paper symbol, default and range.

    Each has one line where ``width`` columns leave room for it, else two or more.
    """
    from cogsl.settings import info_of, settings_of

    title = f"Settings of {method.__name__}, for --set key=value and --config"
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    wide = width >= 120
    for column in ("Setting", "Symbol", *(("Default", "Range") if wide else ()), "Meaning"):
        table.add_column(column, no_wrap=column != "Meaning")
    for name, field in settings_of(method).items():
        info, default = info_of(field), format_value(field.default)
        cells = [name, info.symbol]
        if wide:
            cells += [default, info.range, info.help]
        else:
            cells += [f"{info.help}\ndefault {default}" + f"; {info.range}" * bool(info.range)]
        table.add_row(*map(Text, cells))
    return table


def format_value(value: Any) -> str:
    """Return a setting's value as it is written after ``--set key=``."""
    if isinstance(value, tuple | list):
        return ",".join(map(format_value, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def format_datasets(datasets: Sequence[Dataset], at_hand: Sequence[bool]) -> Table:
    """Return the data sets with title, size, homophily, default split and whether at hand."""
    caption = "Split: nodes to train, validate and test. * drawn by the split seed."
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=0, caption=caption)
    table.add_column("Name", no_wrap=True)
    table.add_column("Title", no_wrap=True)
    for title in ("Nodes", "Edges", "Fea-\ntures", "Classes", "Homo-\nphily"):  # 80 columns in all
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("Split", no_wrap=True)
    table.add_column("At\nhand", no_wrap=True)
    for dataset, here in zip(datasets, at_hand, strict=True):
        table.add_row(*_cells_of(dataset), "yes" if here else "no")
    return table


def format_methods(methods: Mapping[str, type[NodeClassifier]]) -> Table:
    """Return the methods with their paper, year, cost and whether they learn a graph."""
    caption = "Cost of an iteration: N nodes, E edges, h or k entries a row, B sampled, s anchors."
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), caption=caption)
    for title in ("Name", "Year", "Cost", "Learns\na graph"):
        table.add_column(title, no_wrap=True)
    table.add_column("Paper")
    for name, method in methods.items():
        about, learns = method.about, "yes" if method.learns_graph else "no"
        table.add_row(*map(Text, (name, str(about.year), about.cost, learns, about.paper)))
    return table


def _cells_of(dataset: Dataset) -> tuple[str, ...]:
    """Return what is known of a data set before it is read."""
    sizes = dataset.statistics
    counts = (sizes.nodes, sizes.edges, sizes.features, sizes.classes)
    mark = "*" if dataset.draws_splits else ""
    return (
        dataset.name,
        dataset.title,
        *(f"{count:,}" for count in counts),
        f"{sizes.homophily:.2f}",
        f"{sizes.train}/{sizes.val}/{sizes.test}{mark}",
    )


def format_specs(rows: Sequence[tuple[Spec, int, float, Sequence[str]]]) -> Table:
    """Return a row a table or figure: what it shows, its runs, the time, and what is missing."""
    caption = "'cogsl reproduce all' makes them all; runs that several need are done once."
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), caption=caption)
    for title in ("Name", "Shows", "Runs", "Processor time", "Not at hand"):
        table.add_column(title, justify="right" if title in ("Runs", "Processor time") else "left")
    for spec, n_runs, seconds, missing in rows:
        time = f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"
        table.add_row(spec.name, spec.title, str(n_runs), time, ", ".join(missing))
    return table
