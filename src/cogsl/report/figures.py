"""Records as figures, in one quiet style that can be read in grey and by the colour-blind.

Up to two lines stand in one panel with their bands. Bands of more lines would hide one another:
the panel has the lines alone, and beside it each has a small panel with its band.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cogsl.datasets import DATASETS
from cogsl.evaluation.statistics import mean_interval
from cogsl.experiments.specs import Panel, Spec
from cogsl.files import whole_file
from cogsl.report.figure_names import End, name_lines
from cogsl.report.figure_scales import Interval, alike, below, joined, window
from cogsl.report.figure_style import COLOURS, CONTEXT, Look, look, style
from cogsl.report.tables import SHARES, TITLES, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEW_TICKS = 5  # more have smaller labels
_LEAST_SPAN = 0.1  # of an axis of nats, as a share of its level: less is drawn as little
_MOST_BANDS = 2  # in one panel
_BAND = 0.2  # how opaque a band is
_IN_A_ROW = 3  # panels, at most
_TOP = 101.0  # of an axis of shares, in percent
_ROOM = 0.25  # for bands that are wide beside the means' range, as a share of the level
_ROOM_APART = 0.07  # the same, where there are many lines
_GIVEN, _ESTIMATED, _LAST = "ori", "es", "final"
_VIEWS = {_GIVEN: (COLOURS[7], "o"), _ESTIMATED: (COLOURS[0], "s"), _LAST: (COLOURS[1], "D")}

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Curve:
    """The means of a series over the points that were run, with their intervals."""

    name: str
    look: Look
    places: list[float]
    means: list[float]
    intervals: list[Interval]


def draw(spec: Spec, records: Sequence[Record]) -> Figure:
    """Return a figure with one panel for each data set and axis of a spec."""
    with style() as plt:
        if spec.measure == "views":
            figure = _draw_views(plt, spec, records)
        elif len(spec.series) > _MOST_BANDS:
            figure = _draw_apart(plt, spec, records)
        else:
            figure = _draw_together(plt, spec, records)
        plt.close(figure)
    return figure


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG, each whole or not at all; return the files."""
    paths = []
    for suffix, options in (("png", {"dpi": 160}), ("svg", {"metadata": {"Date": None}})):
        path = folder / f"{name}.{suffix}"
        with style(), whole_file(path) as file:
            figure.savefig(file, format=suffix, bbox_inches="tight", **options)
        paths.append(path)
    return paths


def _draw_together(plt: Any, spec: Spec, records: Sequence[Record]) -> Figure:
    """Draw the spec's panels, lines with bands; a single line has a row for each metric."""
    alone = len(spec.series) == 1
    metrics = spec.metrics if alone else spec.metrics[:1]
    figure, axes = _panels(plt, spec, n_metrics=len(metrics))
    for row, metric in enumerate(metrics):
        groups = _curves(spec, records, metric, first=row)
        places = axes[row * len(spec.panels) :][: len(spec.panels)]
        for ax, panel, curves in zip(places, spec.panels, groups, strict=True):
            for curve in curves:
                _band(ax, curve)
                _line(ax, curve)
            _label_axes(ax, panel, metric)
            ax.xaxis.label.set_visible(metric == metrics[-1])
        _scale(places, spec, groups, metric, together=alone)
        for ax, curves in zip(places, groups, strict=True):
            name_lines(ax, [] if alone else _ends(curves))
    figure.tight_layout()
    return figure


def _draw_apart(plt: Any, spec: Spec, records: Sequence[Record]) -> Figure:
    """Draw a row for each panel of the spec: all lines, and each alone with its band."""
    columns, metric = math.ceil(len(spec.series) / 2), spec.metrics[0]
    size = (4.4 + 1.5 * columns, 3.2 * len(spec.panels))
    figure: Figure = plt.figure(figsize=size, layout="constrained")
    widths = [2.4, *[1] * columns]
    grid = figure.add_gridspec(2 * len(spec.panels), 1 + columns, width_ratios=widths)
    groups = _curves(spec, records, metric)
    for row, (panel, curves) in enumerate(zip(spec.panels, groups, strict=True)):
        ax = figure.add_subplot(grid[2 * row : 2 * row + 2, 0])
        for curve in curves:
            _line(ax, curve)
        _label_axes(ax, panel, metric)
        ax.set_title(_title(spec, panel), loc="left")
        _scale([ax], spec, [curves], metric, room=_ROOM_APART)
        name_lines(ax, _ends(curves))
        for k, curve in enumerate(curves):
            place = grid[2 * row + k // columns, 1 + k % columns]
            small = figure.add_subplot(place, sharex=ax, sharey=ax)
            _one_of(small, curve, curves)
            small.tick_params(labelsize=7, labelleft=k % columns == 0)
            small.tick_params(labelbottom=k + columns >= len(curves))
    return figure


def _one_of(ax: Axes, chosen: Curve, curves: Sequence[Curve]) -> None:
    """Draw one line with its band before all others."""
    for curve in curves:
        ax.plot(curve.places, curve.means, color=CONTEXT, linewidth=0.7)
    _band(ax, chosen)
    _line(ax, chosen)
    ax.set_title(chosen.name, loc="left", fontsize=8, color=chosen.look.text)


def _draw_views(plt: Any, spec: Spec, records: Sequence[Record]) -> Figure:
    """Draw the mean of each view with its interval: given views grey, the last one apart."""
    figure, axes = _panels(plt, spec)
    metric = spec.metrics[0]
    for ax, panel in zip(axes, spec.panels, strict=True):
        found = {s.name: values_of(records, panel, s.name, None, metric) for s in spec.series}
        columns = {name: list(values.values()) for name, values in found.items() if values}
        means = [float(np.mean(values)) for values in columns.values()]
        intervals = [_interval(values) for values in columns.values()]
        for place, (name, mean, ends) in enumerate(zip(columns, means, intervals, strict=True)):
            kind = _LAST if place == len(columns) - 1 else name.rpartition("_")[2]
            _dot(ax, place, mean, ends, *_VIEWS.get(kind, _VIEWS[_ESTIMATED]))
        ax.set_xticks(range(len(columns)), list(columns))
        ax.set_ylabel(_label(metric))
        ax.margins(x=0.12)
        if means:
            ax.set_ylim(below(window(means, intervals, room=_ROOM), _TOP))
    figure.tight_layout()
    return figure


def _dot(ax: Axes, place: float, mean: float, ends: Interval, colour: str, marker: str) -> None:
    """Draw a mean as a dot with a bar."""
    reach = [[max(0.0, mean - ends[0])], [max(0.0, ends[1] - mean)]]  # rounding may cross them
    ax.errorbar([place], [mean], reach, color=colour, fmt=marker, markersize=5, capsize=3)


def _panels(plt: Any, spec: Spec, *, n_metrics: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure with the spec's panels under their titles, one below the other by metric."""
    n = len(spec.panels)
    columns = n if n <= _IN_A_ROW or n_metrics > 1 else 2
    rows = n_metrics * math.ceil(n / columns)
    height = 3.0 if n_metrics == 1 else 2.2
    size = (3.6 * columns, height * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False)
    axes: list[Axes] = list(grid.flat)
    for ax in axes[n * n_metrics :]:
        ax.set_axis_off()
    for ax, panel in zip(axes, spec.panels, strict=False):
        ax.set_title(_title(spec, panel), loc="left")
    return figure, axes[: n * n_metrics]


def _title(spec: Spec, panel: Panel) -> str:
    """Return the data set's title, and what varies where it has several panels."""
    title = DATASETS[panel.dataset].title
    several = sum(other.dataset == panel.dataset for other in spec.panels) > 1
    return f"{title}: {panel.axis}" if several else title


def _line(ax: Axes, curve: Curve) -> None:
    ax.plot(curve.places, curve.means, **curve.look.line)


def _band(ax: Axes, curve: Curve) -> None:
    low, high = zip(*curve.intervals, strict=True)
    ax.fill_between(curve.places, low, high, color=curve.look.colour, alpha=_BAND, linewidth=0)


def _ends(curves: Sequence[Curve]) -> list[End]:
    return [End(curve.means[-1], curve.places[-1], curve.name, curve.look) for curve in curves]


def _label_axes(ax: Axes, panel: Panel, metric: str) -> None:
    """Write what the axes are, and put the ticks where the points are."""
    points = [point.x for point in panel.points if point.x is not None]
    ax.set_xticks(range(len(points)) if _is_uneven(panel) else points)
    ax.set_xticklabels([f"{x:g}" for x in points], fontsize=9 if len(points) <= _FEW_TICKS else 7)
    ax.set_xlabel(panel.axis)
    ax.set_ylabel(_label(metric))


def _scale(
    axes: Sequence[Axes],
    spec: Spec,
    groups: Sequence[Sequence[Curve]],
    metric: str,
    *,
    together: bool = False,
    room: float = _ROOM,
) -> None:
    """Set what the axes show; together means: at one scale, and alike for one data set."""
    drawn = [k for k, curves in enumerate(groups) if curves]
    least = 0.01 if metric in SHARES else _LEAST_SPAN
    windows = {k: _window(groups[k], room=room, least=least) for k in drawn}
    if together:
        names = {k: spec.panels[k].dataset for k in drawn}
        own = {n: joined([windows[k] for k in drawn if names[k] == n]) for n in names.values()}
        scaled = dict(zip(own, alike(list(own.values())), strict=True))
        windows = {k: scaled[names[k]] for k in drawn}
    for k in drawn:
        axes[k].set_ylim(below(windows[k], _TOP) if metric in SHARES else windows[k])


def _window(curves: Sequence[Curve], **options: float) -> Interval:
    means = [mean for curve in curves for mean in curve.means]
    return window(means, [ends for curve in curves for ends in curve.intervals], **options)


def _label(metric: str) -> str:
    """Return what stands beside the axis of a metric, with its unit."""
    return f"{TITLES.get(metric, metric)} ({'%' if metric in SHARES else 'nats'})"


def _places(panel: Panel, xs: Sequence[float]) -> list[float]:
    """Return where points are on the axis: one beside the other if they are uneven."""
    points = [point.x for point in panel.points]
    return [points.index(x) for x in xs] if _is_uneven(panel) else list(xs)


def _is_uneven(panel: Panel) -> bool:
    """Tell whether the points are too uneven for a linear axis."""
    xs = sorted(point.x for point in panel.points if point.x is not None)
    gaps = np.diff(xs)
    return len(gaps) > 1 and gaps.max() > 4 * gaps.min()


def _curves(
    spec: Spec, records: Sequence[Record], metric: str, *, first: int = 0
) -> list[list[Curve]]:
    """Return, for each panel, the curves of what was run; their looks count from the first."""
    return [
        [
            curve
            for k, series in enumerate(spec.series)
            if (curve := _curve(records, panel, series.name, metric, look(first + k))).means
        ]
        for panel in spec.panels
    ]


def _curve(records: Sequence[Record], panel: Panel, name: str, metric: str, shown: Look) -> Curve:
    """Return the means at the points that were run, and the means' intervals."""
    xs, means, intervals = [], [], []
    for point in panel.points:
        values = list(values_of(records, panel, name, point.x, metric).values())
        if values and point.x is not None:
            xs.append(point.x)
            means.append(float(np.mean(values)))
            intervals.append(_interval(values))
    return Curve(name, shown, _places(panel, xs), means, intervals)


def _interval(values: Sequence[float]) -> Interval:
    """Return the ends of the mean's interval; a single value has none, so both are that."""
    return mean_interval(values) if len(values) > 1 else (values[0], values[0])
