"""Names of lines beside their ends, each with its marker and a thin leader from the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cogsl.report.figure_style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE_HEIGHT = 0.07  # of a name, as a share of the axis
_KEY = (1.07, 1.17)  # where the sample of the line is, as a share of the panel's width
_TEXT = 1.2  # where the name begins


class End(NamedTuple):
    """Where a line ends, and whose it is."""

    height: float
    place: float
    name: str
    look: Look


def name_lines(ax: Axes, ends: Sequence[End]) -> None:
    """Write the names beside the lines' ends, moved apart where they would overlap."""
    if not ends:
        return
    low, high = ax.get_ylim()
    ends = sorted(ends, key=lambda end: end.height)
    heights = spread(
        [end.height for end in ends], least=_LINE_HEIGHT * (high - low), within=(low, high)
    )
    across, last = ax.get_yaxis_transform(), max(end.place for end in ends)
    for end, height in zip(ends, heights, strict=True):
        if end.place == last:  # from elsewhere it would look like a part of the line
            _lead(ax, end, height)
        ax.plot(_KEY, [height] * 2, transform=across, clip_on=False, **end.look.line, markevery=[1])
        ax.text(
            _TEXT, height, end.name, transform=across, color=end.look.text, fontsize=8, va="center"
        )


def _lead(ax: Axes, end: End, height: float) -> None:
    """Draw a thin line from a line's end to where its name went."""
    from matplotlib.patches import ConnectionPatch

    leader = ConnectionPatch(
        (end.place, end.height),
        (_KEY[0], height),
        coordsA=ax.transData,
        coordsB=ax.get_yaxis_transform(),
        color=end.look.colour,
        linewidth=0.6,
    )
    ax.add_patch(leader)
    leader.set_clip_on(False)


def spread(
    heights: Sequence[float], *, least: float, within: tuple[float, float] = (-np.inf, np.inf)
) -> list[float]:
    """Return ascending heights moved as little as possible (by squares) to be so far apart.

    They stay within two heights if there is room for all between.
    """
    from sklearn.isotonic import isotonic_regression

    steps = least * np.arange(len(heights))
    low, high = within[0], within[1] - least * (len(heights) - 1)
    bounds = {"y_min": low, "y_max": high} if low <= high else {}
    moved: list[float] = (isotonic_regression(np.array(heights) - steps, **bounds) + steps).tolist()
    return moved
