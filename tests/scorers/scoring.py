"""Scorers on a few nodes, and their scores as matrices."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array

from cogsl.scorers import ALL, Nodes, Scorer
from cogsl.scorers.cosine import CosineScorer
from cogsl.scorers.linear import LinearScorer
from cogsl.sparse import Pattern

Array = npt.NDArray[np.float64]
Kind = TypeVar("Kind", bound=LinearScorer | CosineScorer)


def make(kind: type[Kind], n_hidden: int) -> Kind:
    """Return a scorer with weights of its own."""
    return kind(n_hidden, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def scores_of(scorer: Scorer, nodes: Nodes, scope: Array, rows: slice = ALL) -> Array:
    """Return the scores of a scope, or of some of its rows; 0 where it has no entry."""
    pattern = Pattern.from_scipy(csr_array(scope[rows]))
    result: Array = pattern.to_scipy(scorer(pattern, nodes, rows)).toarray()
    return result


def close(result: Array, expected: Array) -> None:
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)
