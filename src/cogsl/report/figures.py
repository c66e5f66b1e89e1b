"""Records as figures, in one quiet style that can be read in grey and by the colour-blind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cogsl.datasets import DATASETS
from cogsl.errors import import_extra
from cogsl.evaluation.statistics import bootstrap_interval
from cogsl.experiments.specs import Panel, Spec
from cogsl.files import whole_file
from cogsl.report.tables import SHARES, TITLES, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#777777")
"""Of Okabe and Ito, told apart by the colour-blind, and a grey."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (6, 2, 1, 2, 1, 2)))

_STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "svg.hashsalt": "cogsl",
}

_FEW_TICKS = 5  # more have smaller labels
_LEAST_SPAN = 0.1  # of an axis at the right, as a share of what it shows: less is drawn as little
_LINE_HEIGHT = 0.07  # of a name, as a share of the axis
_BAND = 0.1  # how opaque a band is; several lie over one another

Record = Mapping[str, Any]
Interval = tuple[float, float]


def draw(spec: Spec, records: Sequence[Record]) -> Figure:
    """Return a figure with one panel for each data set and axis of a spec."""
    with _style() as plt:
        figure: Figure
        figure, axes = plt.subplots(
            1, len(spec.panels), figsize=(3.6 * len(spec.panels), 3.0), squeeze=False
        )
        for ax, panel in zip(axes[0], spec.panels, strict=True):
            if spec.measure == "views":
                _dots(ax, spec, panel, records)
            else:
                _lines(ax, spec, panel, records)
            ax.set_title(DATASETS[panel.dataset].title, loc="left")
        figure.tight_layout()
        plt.close(figure)
    return figure


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and SVG, each whole or not at all; return the files."""
    paths = []
    for suffix, options in (("png", {"dpi": 160}), ("svg", {"metadata": {"Date": None}})):
        path = folder / f"{name}.{suffix}"
        with _style(), whole_file(path) as file:
            figure.savefig(file, format=suffix, bbox_inches="tight", **options)
        paths.append(path)
    return paths


@contextmanager
def _style() -> Iterator[Any]:
    """Use our style and a backend without a screen inside the scope; yield pyplot."""
    mpl = import_extra("matplotlib", extra="figures", purpose="Drawing figures")
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    with mpl.rc_context(_STYLE):
        yield plt


def _lines(ax: Axes, spec: Spec, panel: Panel, records: Sequence[Record]) -> None:
    """Draw the mean over the points with its interval as a band, a name at each line's end."""
    metric, ends = spec.metrics[0], []
    for number, series in enumerate(spec.series):
        xs, means, intervals = _curve(records, panel, series.name, metric)
        if not xs:
            continue
        colour = COLOURS[number % len(COLOURS)]
        line, marker = LINES[number % len(LINES)], MARKERS[number % len(MARKERS)]
        places = np.array(_places(panel, xs))
        ax.plot(places, means, color=colour, linestyle=line, marker=marker)
        low, high = zip(*intervals, strict=True)
        ax.fill_between(places, low, high, color=colour, alpha=_BAND, linewidth=0)
        ends.append((means[-1], places[-1], series.name, colour))
    if len(spec.series) > 1:
        _name_lines(ax, ends)
    points = [point.x for point in panel.points if point.x is not None]
    ax.set_xticks(range(len(points)) if _is_uneven(panel) else points)
    ax.set_xticklabels([f"{x:g}" for x in points], fontsize=9 if len(points) <= _FEW_TICKS else 7)
    ax.set_xlabel(panel.axis)
    ax.set_ylabel(_label(metric))
    if len(spec.metrics) > 1 and len(spec.series) == 1:
        _beside(ax, panel, spec.series[0].name, spec.metrics[1], records)


def _beside(ax: Axes, panel: Panel, name: str, metric: str, records: Sequence[Record]) -> None:
    """Draw a second metric of a line on an axis of its own, at the right."""
    xs, means, _ = _curve(records, panel, name, metric)
    right, colour = ax.twinx(), COLOURS[1]
    right.plot(_places(panel, xs), means, color=colour, linestyle=LINES[1], marker=MARKERS[1])
    low, high = right.get_ylim()
    missing = _LEAST_SPAN * abs(low + high) / 2 - (high - low)
    if missing > 0:
        right.set_ylim(low - missing / 2, high + missing / 2)
    right.set_ylabel(_label(metric), color=colour)
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    ax.yaxis.label.set_color(COLOURS[0])


def _label(metric: str) -> str:
    """Return what stands beside the axis of a metric, with its unit."""
    return f"{TITLES.get(metric, metric)} ({'%' if metric in SHARES else 'nats'})"


def _places(panel: Panel, xs: Sequence[float]) -> Sequence[float]:
    """Return where points are on the axis: one beside the other if they are uneven."""
    points = [point.x for point in panel.points]
    return [points.index(x) for x in xs] if _is_uneven(panel) else xs


def _is_uneven(panel: Panel) -> bool:
    """Tell whether the points are too uneven for a linear axis."""
    xs = sorted(point.x for point in panel.points if point.x is not None)
    gaps = np.diff(xs)
    return len(gaps) > 1 and gaps.max() > 4 * gaps.min()


def _curve(
    records: Sequence[Record], panel: Panel, name: str, metric: str
) -> tuple[list[float], list[float], list[Interval]]:
    """Return the points that were run, the means there, and the means' intervals."""
    xs, means, intervals = [], [], []
    for point in panel.points:
        values = list(values_of(records, panel, name, point.x, metric).values())
        if values and point.x is not None:
            xs.append(point.x)
            means.append(float(np.mean(values)))
            intervals.append(_interval(values))
    return xs, means, intervals


def _interval(values: Sequence[float]) -> Interval:
    """Return the ends of the mean's interval; a single value has none, so both are that."""
    return bootstrap_interval(values) if len(values) > 1 else (values[0], values[0])


def _name_lines(ax: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write the names beside the lines' ends, moved apart where they would overlap."""
    if not ends:
        return
    low, high = ax.get_ylim()
    left, right = ax.get_xlim()
    ends = sorted(ends)
    heights = spread([height for height, *_ in ends], least=_LINE_HEIGHT * (high - low))
    for (_, place, name, colour), height in zip(ends, heights, strict=True):
        ax.annotate(
            name,
            (place + 0.03 * (right - left), height),
            color=colour,
            fontsize=8,
            va="center",
            ha="left",
            annotation_clip=False,
        )


def spread(heights: Sequence[float], *, least: float) -> list[float]:
    """Return ascending heights moved as little as possible (by squares) to be so far apart."""
    from sklearn.isotonic import isotonic_regression

    steps = least * np.arange(len(heights))
    moved: list[float] = (isotonic_regression(np.array(heights) - steps) + steps).tolist()
    return moved


def _dots(ax: Axes, spec: Spec, panel: Panel, records: Sequence[Record]) -> None:
    """Draw the mean of each series with its interval: given views grey, the last one apart."""
    metric = spec.metrics[0]
    found = {s.name: values_of(records, panel, s.name, None, metric) for s in spec.series}
    columns = {name: list(values.values()) for name, values in found.items() if values}
    for place, (name, values) in enumerate(columns.items()):
        colour = "#777777" if name.endswith("_ori") else COLOURS[0]
        colour = COLOURS[1] if place == len(columns) - 1 else colour
        mean, (low, high) = float(np.mean(values)), _interval(values)
        reach = [[max(0.0, mean - low)], [max(0.0, high - mean)]]  # rounding may cross them
        ax.errorbar([place], [mean], reach, color=colour, fmt="o", capsize=3)
    ax.set_xticks(range(len(columns)))
    ax.set_xticklabels(list(columns))
    ax.margins(x=0.12, y=0.15)
    ax.set_ylabel(_label(metric))
