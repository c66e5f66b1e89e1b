"""What the axes of figures show: the means decide, and their intervals as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence

Interval = tuple[float, float]

_MOST_ROOM = 3  # for intervals, in ranges of the means
_MARGIN = 0.05  # above and below, as a share of what is between
_MOST_UNLIKE = 10  # more, and axes have a scale each


def window(
    means: Sequence[float],
    intervals: Sequence[Interval],
    *,
    room: float,
    least: float = 0.01,
) -> Interval:
    """Return the ends of an axis that shows all means, and not much more if intervals are wide.

    Parameters
    ----------
    room : for intervals, as a share of the means' level, if three ranges of the means are less.
    least : how long the axis is at least, as a share of the level; less is drawn as little.
    """
    bottom, top = min(means), max(means)
    level = (bottom + top) / 2
    shown = max(_MOST_ROOM * (top - bottom), room * abs(level))
    low = min(bottom, max(level - shown / 2, min(low for low, _ in intervals)))
    high = max(top, min(level + shown / 2, max(high for _, high in intervals)))
    span = (1 + 2 * _MARGIN) * (high - low)
    return _of_span((low, high), max(span, least * abs(level)) or 1.0)


def alike(windows: Sequence[Interval]) -> list[Interval]:
    """Return windows of one length, if none is more than ten times as long as another."""
    spans = [high - low for low, high in windows]
    if not spans or max(spans) > _MOST_UNLIKE * min(spans):
        return list(windows)
    return [_of_span(ends, max(spans)) for ends in windows]


def joined(windows: Sequence[Interval]) -> Interval:
    """Return the window that holds all others."""
    return min(low for low, _ in windows), max(high for _, high in windows)


def below(ends: Interval, most: float) -> Interval:
    """Return a window moved down until it ends there, as shares end at 100 %."""
    excess = max(0.0, ends[1] - most)
    return ends[0] - excess, ends[1] - excess


def _of_span(ends: Interval, span: float) -> Interval:
    """Return the window of the same middle and another length."""
    middle = (ends[0] + ends[1]) / 2
    return middle - span / 2, middle + span / 2
