"""The edges of both graphs as a page holds them: short, and cut off where they would be too many.

An edge is written once, in the order of its ends (i, j) with i < j: how many edges begin at each
node, how far each j is from the one before, and the place of its weights among the steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from cogsl.report.packing import pack_floats, pack_integers
from cogsl.sparse.undirected import Edges, brought_together

EXACT = 2**16 - 1  # as many different weights are kept as they are; more are rounded
_ROUNDED = 1000  # steps of weights that are rounded, even in their logarithm

IntArray = npt.NDArray[np.signedinteger[Any]]
FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class BothEdges:
    """The edges that stand in one of two graphs, in the order of their ends.

    Parameters
    ----------
    n_nodes : N.
    low, high : the ends, i < j.
    given, learned : weights in either graph, 0 where it has not the edge.
    least : the weight from which on a learned edge stands.
    """

    n_nodes: int
    low: IntArray
    high: IntArray
    given: FloatArray
    learned: FloatArray
    least: float

    def __len__(self) -> int:
        return len(self.low)

    @property
    def kinds(self) -> npt.NDArray[np.intp]:
        """What each edge is: 0 kept, 1 added, 2 dropped, 3 a new one that is too weak to stand."""
        stands = (self.learned > 0) & (self.learned >= self.least)
        return np.where(self.given > 0, np.where(stands, 0, 2), np.where(stands, 1, 3))

    def strongest(self, most: int) -> BothEdges:
        """Return at most so many edges.

        Those that are too weak to stand are left out first, the weakest before others; then kept,
        added and dropped ones in equal shares, so that the picture stays true.
        """
        if most >= len(self):
            return self
        kinds = self.kinds
        order = np.lexsort((-self.given, -self.learned, kinds))
        sizes = np.bincount(kinds, minlength=4)
        starts, of = np.cumsum(sizes) - sizes, kinds[order]
        share = (np.arange(len(order)) - starts[of] + 0.5) / sizes[of] + (of == 3)
        chosen = np.sort(order[np.argsort(share, kind="stable")[:most]])
        parts = {name: getattr(self, name)[chosen] for name in ("low", "high", "given", "learned")}
        return replace(self, **parts)


def both_edges(given: Edges, learned: Edges, n_nodes: int, least: float) -> BothEdges:
    """Bring the edges of two graphs together."""
    low, high, weights = brought_together([given, learned], n_nodes)
    return BothEdges(n_nodes, low, high, weights[0], weights[1], least)


@dataclass(frozen=True, eq=False)
class Steps:
    """The weights that a page knows, ascending, and the place of each edge's among them.

    Parameters
    ----------
    values : the steps; a weight between two stands for the lower.
    places : of each edge, from 1; 0 where there is no edge.
    rounding : by which share a weight may be rounded down; 0 if none is.
    """

    values: FloatArray
    places: npt.NDArray[np.intp]
    rounding: float


def steps_of(weights: FloatArray, pivot: float) -> Steps:
    """Return the steps of some weights; ``pivot`` is one, if it lies among the weights.

    They are the weights themselves, or, of too many, a thousand whose ratios are alike.
    """
    values, rounding = _distinct(weights[weights > 0]), 0.0
    if len(values) > EXACT:
        inside = values[0] < pivot < values[-1]
        ends = [values[0], np.float32(pivot), values[-1]] if inside else [values[0], values[-1]]
        values = _distinct(np.concatenate([_even(*pair) for pair in pairwise(ends)]))
        rounding = float(np.max(values[1:] / values[:-1])) - 1
    places = np.where(weights > 0, np.searchsorted(values, weights, side="right"), 0)
    return Steps(values, places, rounding)


def _even(low: np.floating[Any], high: np.floating[Any]) -> FloatArray:
    """Return numbers from low to high, both exact, whose ratios are alike."""
    between = np.geomspace(float(low), float(high), _ROUNDED // 2).astype(np.float32)
    between[0], between[-1] = low, high
    return between


def _distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the different values, ascending; of many numbers faster than ``np.unique``."""
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def pack_edges(edges: BothEdges) -> dict[str, Any]:
    """Return the edges as the page's script reads them."""
    learned, given = steps_of(edges.learned, edges.least), steps_of(edges.given, 0.0)
    starts = np.diff(edges.low, prepend=-1) > 0  # the first edge of its node
    before = np.where(starts, edges.low, np.roll(edges.high, 1))
    return {
        "counts": pack_integers(np.bincount(edges.low, minlength=edges.n_nodes)),
        "distances": pack_integers(edges.high - before),
        "learned": pack_integers(learned.places),
        "given": pack_integers(given.places),
        "learned_steps": pack_floats(learned.values),
        "given_steps": pack_floats(given.values),
        "least": int(np.searchsorted(learned.values, edges.least, side="right")),
        "rounding": max(learned.rounding, given.rounding),
    }


def fit_edges(edges: BothEdges, most_bytes: int) -> tuple[dict[str, Any], int]:
    """Return as many of the edges as so many bytes can hold, packed, and how many those are."""
    n_kept = len(edges)
    while True:
        packed = pack_edges(edges.strongest(n_kept))
        size = sum(len(part["data"]) for part in packed.values() if isinstance(part, dict))
        if size <= most_bytes or n_kept == 0:
            return packed, n_kept
        n_kept = int(0.98 * n_kept * max(0, most_bytes) / size)
