"""Statistics over runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cogsl.errors import InputError
from cogsl.seeding import Seeds

_SAMPLES = 10_000
LEAST_FOR_BOOTSTRAP = 10


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
    a: Sequence[float],
    b: Sequence[float],
    confidence: float = 0.95,
    *,
    test_to_train: float = 0.0,
) -> PairedDifference:
    """Return the mean of a - b and its confidence interval by Student's t distribution.

    d_i = a_i - b_i;  mean(d) ± t_{n-1}((1 + confidence) / 2) s sqrt(1 / n + r)

    Parameters: ``a`` and ``b``, the figures of two methods on the same n splits or seeds, in the
    same order; s is the sample standard deviation of d; ``test_to_train``, r, see ``half_width``.
    """
    differences = _differences(a, b)
    mean, deviation = mean_and_deviation(differences.tolist())
    half = half_width(deviation, len(differences), confidence, test_to_train=test_to_train)
    return PairedDifference(mean, mean - half, mean + half)


def half_width(
    deviation: float, n: int, confidence: float = 0.95, *, test_to_train: float = 0.0
) -> float:
    """Return half the length of a mean difference's interval: t_{n-1} s sqrt(1 / n + r).

    Splits of one graph share test nodes, so their figures are alike and more of them bring less
    than new data would. The corrected resampled t-test (Nadeau and Bengio, Inference for the
    Generalization Error, Machine Learning 52, 2003) puts r, the number of test nodes for each node
    that is none, beside 1 / n: r = rho / (1 - rho), rho the share of the test nodes that two splits
    have in common. However many splits there are, t s sqrt(r) is left. Independent data have r = 0.

    Parameters: ``deviation``, s, of n differences; ``test_to_train``, r.
    """
    from scipy.special import stdtrit

    if not 0.0 < confidence < 1.0:
        raise InputError(f"The 'confidence' must be in (0, 1). Got {confidence!r} instead.")
    quantile = float(stdtrit(n - 1, (1.0 + confidence) / 2.0))
    return quantile * deviation * math.sqrt(_variance_factor(n, test_to_train))


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, seed: int = 0
) -> tuple[float, float]:
    """Return the ends of a mean's confidence interval: Student's t below 10 values, else bootstrap.

    Of few values the bootstrap draws the same ones again and again: of three, one sample in 27 is
    the least alone, more than the tail of 2.5 %, so its interval goes from the least to the largest
    and holds the true mean in three of four cases. Student's interval, mean ± t_{n-1} s / sqrt(n),
    holds it as often as it says where the values are about normal; the bootstrap asks for no such
    thing, but for more values. Of a single value nothing is known: NaN.
    """
    if len(values) >= LEAST_FOR_BOOTSTRAP:
        return bootstrap_interval(values, confidence, seed=seed)
    if len(values) < 2:
        return math.nan, math.nan
    mean, deviation = mean_and_deviation(values)
    half = half_width(deviation, len(values), confidence)
    return mean - half, mean + half


def bootstrap_interval(
    values: Sequence[float], confidence: float = 0.95, *, seed: int = 0
) -> tuple[float, float]:
    """Return the ends of the mean's confidence interval, from 10,000 samples of the values.

    The values are drawn anew with replacement, as many as there are; the interval holds the middle
    share of the samples' means. Of a single value nothing is known: NaN.
    """
    if len(values) < 2:
        return math.nan, math.nan
    drawn = Seeds(seed).numpy("bootstrap").choice(values, size=(_SAMPLES, len(values)))
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(drawn.mean(axis=1), [tail, 1.0 - tail])
    return float(low), float(high)


def average_ranks(columns: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return each name's mean rank over columns of figures, the highest first; ties share ranks.

    Only names that stand in every column count.
    """
    from scipy.stats import rankdata

    all_columns = list(columns)
    names = [n for n in (all_columns[0] if all_columns else {}) if all(n in c for c in all_columns)]
    ranks = [rankdata([-column[name] for name in names]) for column in all_columns]
    means = np.mean(ranks, axis=0) if names else []
    return dict(sorted(zip(names, map(float, means), strict=True), key=lambda item: item[1]))


def paired_p_value(a: Sequence[float], b: Sequence[float], *, test_to_train: float = 0.0) -> float:
    """Return how probable a mean difference at least as large is if there is none in truth.

    Two-sided, by Student's t distribution: p = 2 T_{n-1}(-|mean(d)| / (s sqrt(1 / n + r))),
    d = a - b, with r as in ``half_width``. Where all differences are alike it is 1 if they are 0,
    and 0 if not.
    """
    from scipy.special import stdtr

    differences = _differences(a, b)
    mean, deviation = mean_and_deviation(differences.tolist())
    if deviation == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    n = len(differences)
    error = deviation * math.sqrt(_variance_factor(n, test_to_train))
    return float(2 * stdtr(n - 1, -abs(mean) / error))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number m by Holm's method, in the same order.

    The k-th smallest (k from 0) becomes min(1, (m - k) p), and no less than those before it.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for k, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[place]))
        corrected[place] = largest
    return corrected


def _variance_factor(n: int, test_to_train: float) -> float:
    """Return the mean difference's variance in units of that of one difference: 1 / n + r."""
    if not 0.0 <= test_to_train < math.inf:
        raise InputError(
            "'test_to_train' must be a number from 0: how many test nodes there are for each other "
            f"one. Got {test_to_train!r} instead."
        )
    return 1.0 / n + test_to_train


def _differences(a: Sequence[float], b: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return a - b, pair by pair."""
    if len(a) != len(b) or len(a) < 2:
        raise InputError(
            "'a' and 'b' must hold the same number of figures, two or more. "
            f"Got {len(a)} and {len(b)} instead."
        )
    return np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
