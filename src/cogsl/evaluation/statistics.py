"""Statistics over runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cogsl.errors import InputError


class PairedDifference(NamedTuple):
    """The mean of a - b over pairs, and the ends of its confidence interval."""

    mean: float
    low: float
    high: float


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the sample standard deviation (divisor n - 1).

    The runs are a sample of all seeds, so the divisor is n - 1. The deviation of a single value
    is not defined: NaN.
    """
    if not values:
        raise InputError("The 'values' must hold at least one number. Got none instead.")
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return float(np.mean(values)), deviation


def paired_difference(
    a: Sequence[float], b: Sequence[float], confidence: float = 0.95
) -> PairedDifference:
    """Return the mean of a - b and its confidence interval by Student's t distribution.

    d_i = a_i - b_i;  mean(d) ± t_{n-1}((1 + confidence) / 2) s / sqrt(n)

    Parameters: ``a`` and ``b``, the figures of two methods on the same n splits or seeds, in the
    same order; s is the sample standard deviation of d.
    """
    from scipy.special import stdtrit

    if len(a) != len(b) or len(a) < 2:
        raise InputError(
            "'a' and 'b' must hold the same number of figures, two or more. "
            f"Got {len(a)} and {len(b)} instead."
        )
    if not 0.0 < confidence < 1.0:
        raise InputError(f"The 'confidence' must be in (0, 1). Got {confidence!r} instead.")
    differences = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    mean, deviation = mean_and_deviation(differences.tolist())
    quantile = float(stdtrit(len(differences) - 1, (1.0 + confidence) / 2.0))
    half = quantile * deviation / math.sqrt(len(differences))
    return PairedDifference(mean, mean - half, mean + half)
