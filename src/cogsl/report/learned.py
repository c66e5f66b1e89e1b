"""What a page is made of: the graph as it was given, and what a method made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import LengthMismatchError
from cogsl.io import NamedGraph

FloatArray = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned:
    """What a page is made of.

    Parameters
    ----------
    given : the graph as it was given, with names, labels (-1 where unknown) and split.
    learned : symmetric weights of the learned graph, N x N, zero diagonal; None if there is none.
    weighed_by : what these weights are, in words.
    probabilities : of the classes, N x C.
    fusion_weights : share of each view, N x m; None if the method fuses none.
    view_names : of the m views.
    history : one plain dict an iteration.
    record : method, settings, seed, versions, commit, seconds, n_iter, best_iter and figures.
    """

    given: NamedGraph
    learned: csr_array | None
    weighed_by: str = "learned weight"
    probabilities: FloatArray
    fusion_weights: FloatArray | None = None
    view_names: tuple[str, ...] = ()
    history: Sequence[Mapping[str, Any]] = ()
    record: Mapping[str, Any]

    def __post_init__(self) -> None:
        n, n_classes = self.given.graph.n_nodes, len(self.given.classes)
        if self.learned is not None and self.learned.shape != (n, n):
            raise _wrong("learned graph", f"{n} x {n}", self.learned.shape)
        shape = self.probabilities.shape
        if len(shape) != 2 or shape[0] != n or not 1 <= shape[1] <= n_classes:
            raise _wrong("probabilities", f"{n} x {n_classes} (nodes x classes)", shape)
        if self.fusion_weights is not None:
            expected = (n, len(self.view_names))
            if self.fusion_weights.shape != expected:
                text = f"{expected[0]} x {expected[1]} (nodes x names of views)"
                raise _wrong("fusion weights", text, self.fusion_weights.shape)

    @property
    def predicted(self) -> npt.NDArray[np.intp]:
        """The most probable class of each node, N."""
        classes: npt.NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return classes

    @property
    def confidence(self) -> FloatArray:
        """The probability of that class, N."""
        return np.asarray(self.probabilities.max(axis=1))


def _wrong(what: str, expected: str, shape: tuple[int, ...]) -> LengthMismatchError:
    got = " x ".join(map(str, shape))
    return LengthMismatchError(
        f"The {what} of a page must be of shape {expected}. Got {got} instead; give those of the "
        "method that was fitted on this graph."
    )
