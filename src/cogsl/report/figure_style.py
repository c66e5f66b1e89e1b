"""How figures look: quiet, and readable for the colour-blind and in grey."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cogsl.errors import import_extra

COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"),
    *("#777777", "#882255"),
)
"""Of Okabe and Ito, told apart by the colour-blind, a grey, and the wine red of Tol."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")
DASHES = (
    (),
    (5, 2),
    (7, 2, 1.5, 2),
    (1, 1.2),
    (3, 1.2),
    (7, 2, 1.5, 2, 1.5, 2),
    (2, 1, 1, 1),
    (10, 3),
    (4, 1.5, 1, 1.5, 4, 1.5),
)
CONTEXT = "#c4c4c4"
"""Of what is drawn only to compare with."""
LEAST_CONTRAST = 4.5
"""Of text with white, as the Web Content Accessibility Guidelines ask (level AA)."""

_STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "svg.hashsalt": "cogsl",
}
_WIDE = 4.5  # of a marker, in points
_STAR = 7.0  # a star looks smaller than it is


@dataclass(frozen=True)
class Look:
    """How a series is drawn; no two of the first nine share a colour, a marker or dashes."""

    colour: str
    marker: str
    dashes: tuple[float, ...]

    @property
    def line(self) -> dict[str, Any]:
        """What Matplotlib is told of it."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": (0, self.dashes) if self.dashes else "-",
            "markersize": _STAR if self.marker == "*" else _WIDE,
        }

    @property
    def text(self) -> str:
        """Its colour, dark enough to be read."""
        return readable(self.colour)


def look(number: int) -> Look:
    """Return the look of a series by its number."""
    k = number % len(COLOURS)
    return Look(COLOURS[k], MARKERS[k], DASHES[k])


def readable(colour: str) -> str:
    """Return a colour, darkened as little as needed for text on white."""
    parts = _parts(colour)
    for percent in range(100, -1, -1):
        darker = "#" + "".join(f"{part * percent // 100:02X}" for part in parts)
        if contrast(darker) >= LEAST_CONTRAST:
            return darker
    raise AssertionError("black has a contrast of 21")


def contrast(colour: str) -> float:
    """Return the contrast of a colour with white: 1.05 / (L + 0.05), L its relative luminance."""
    shares = [part / 255 for part in _parts(colour)]
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    return 1.05 / (luminance + 0.05)


def _parts(colour: str) -> list[int]:
    """Return red, green and blue of "#rrggbb", from 0 to 255."""
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


@contextmanager
def style() -> Iterator[Any]:
    """Use our style and a backend without a screen inside the scope; yield pyplot."""
    mpl = import_extra("matplotlib", extra="figures", purpose="Drawing figures")
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    with mpl.rc_context(_STYLE):
        yield plt
