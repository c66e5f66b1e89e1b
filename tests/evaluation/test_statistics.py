"""Statistics against answers by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from cogsl.errors import InputError
from cogsl.evaluation import (
    average_ranks,
    bootstrap_interval,
    half_width,
    holm,
    mean_and_deviation,
    mean_interval,
    paired_difference,
    paired_p_value,
)


def test_the_deviation_divides_by_n_minus_one() -> None:
    expected = pytest.approx((3.0, math.sqrt(14 / 3)))
    assert mean_and_deviation([1.0, 2.0, 3.0, 6.0]) == expected


def test_a_single_value_has_a_mean_and_no_deviation() -> None:
    mean, deviation = mean_and_deviation([0.5])
    assert mean == 0.5
    assert math.isnan(deviation)


def test_no_values_are_an_error() -> None:
    with pytest.raises(InputError, match="at least one"):
        mean_and_deviation([])


def test_the_interval_of_two_pairs_follows_from_the_cauchy_distribution() -> None:
    # One degree of freedom: the quantile is tan(pi (p - 1/2)). Of 1 and 3, s / sqrt(2) is 1.
    mean, low, high = paired_difference([2.0, 5.0], [1.0, 2.0], confidence=0.9)
    half = math.tan(math.pi * 0.45)
    assert (mean, low, high) == pytest.approx((2.0, 2.0 - half, 2.0 + half))


def test_equal_differences_leave_an_interval_of_no_width() -> None:
    assert paired_difference([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]) == (1.0, 1.0, 1.0)


def test_swapping_the_sides_mirrors_the_interval() -> None:
    a, b = [0.9, 0.8, 0.95], [0.85, 0.82, 0.9]
    forth, back = paired_difference(a, b), paired_difference(b, a)
    assert forth == pytest.approx((-back.mean, -back.high, -back.low))


def test_the_interval_covers_the_true_difference_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal(0.3, 1.0, size=(2000, 5))
    intervals = [paired_difference(row.tolist(), [0.0] * 5, confidence=0.8) for row in samples]
    covered = np.mean([low <= 0.3 <= high for _, low, high in intervals])
    assert covered == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0]), ([1.0, 2.0], [1.0, 2.0, 3.0]), ([], [])])
def test_sides_that_do_not_pair_are_an_error(a: list[float], b: list[float]) -> None:
    with pytest.raises(InputError, match=f"Got {len(a)} and {len(b)}"):
        paired_difference(a, b)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(InputError, match=r"in \(0, 1\)"):
        paired_difference([1.0, 2.0], [0.0, 0.0], confidence)


def test_the_p_value_of_two_pairs_follows_from_the_cauchy_distribution() -> None:
    # Differences 1 and 3: t = 2, and T_1(-2) = 1/2 - atan(2) / pi.
    expected = 2 * (0.5 - math.atan(2) / math.pi)
    assert paired_p_value([2.0, 5.0], [1.0, 2.0]) == pytest.approx(expected)


def test_the_p_value_is_below_five_percent_where_the_interval_leaves_out_zero() -> None:
    rng = np.random.default_rng(1)
    for row in rng.normal(0.8, 1.0, size=(200, 6)):
        _, low, high = paired_difference(row.tolist(), [0.0] * 6)
        is_beyond = not low <= 0.0 <= high
        assert (paired_p_value(row.tolist(), [0.0] * 6) < 0.05) == is_beyond


def test_differences_that_are_all_alike_are_certain() -> None:
    assert paired_p_value([1.0, 2.0], [1.0, 2.0]) == 1.0
    assert paired_p_value([1.5, 2.5], [1.0, 2.0]) == 0.0


def test_a_p_value_needs_pairs() -> None:
    with pytest.raises(InputError, match="Got 1 and 1"):
        paired_p_value([1.0], [2.0])


# Splits that share test nodes ---------------------------------------------------------------------


def test_the_corrected_interval_by_hand() -> None:
    # Of 1 and 3, s^2 is 2; one test node for two others: 2 (1/2 + 1/2) = 2, in place of 1.
    mean, low, high = paired_difference([2.0, 5.0], [1.0, 2.0], confidence=0.9, test_to_train=0.5)
    half = math.tan(math.pi * 0.45) * math.sqrt(2)
    assert (mean, low, high) == pytest.approx((2.0, 2.0 - half, 2.0 + half))


def test_the_corrected_p_value_by_hand() -> None:
    # t = 2 / sqrt(2), and T_1(-t) = 1/2 - atan(t) / pi.
    expected = 2 * (0.5 - math.atan(math.sqrt(2)) / math.pi)
    assert paired_p_value([2.0, 5.0], [1.0, 2.0], test_to_train=0.5) == pytest.approx(expected)


def test_more_splits_do_not_shorten_the_interval_below_its_floor() -> None:
    floor = 1.96 * 2.0 * math.sqrt(0.25)
    assert half_width(2.0, 100_000, test_to_train=0.25) == pytest.approx(floor, rel=1e-3)
    assert half_width(2.0, 10, test_to_train=0.25) > floor


def test_of_splits_that_share_test_nodes_only_the_corrected_interval_covers() -> None:
    """Each node has a difference of its own, drawn once; a split is the mean of 30 of 100."""
    rng, covered = np.random.default_rng(0), {0.0: 0, 30 / 70: 0}
    for _ in range(1000):
        nodes = rng.normal(0.3, 1.0, size=100)
        splits = [nodes[rng.permutation(100)[:30]].mean() for _ in range(10)]
        for ratio in covered:
            _, low, high = paired_difference(splits, [0.0] * 10, test_to_train=ratio)
            covered[ratio] += low <= 0.3 <= high
    plain, corrected = covered.values()
    assert plain < 750
    assert corrected == pytest.approx(950, abs=25)


@pytest.mark.parametrize("ratio", [-0.1, math.nan, math.inf])
def test_a_ratio_that_cannot_be_is_refused(ratio: float) -> None:
    with pytest.raises(InputError, match="'test_to_train' must be a number from 0"):
        paired_difference([1.0, 2.0], [0.0, 0.0], test_to_train=ratio)


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.03, 0.04: times 3, 2, 1 gives 0.03, 0.06, 0.04; none is below the one before.
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_mean_ranks_count_names_that_stand_everywhere_and_ties_share_a_rank() -> None:
    columns = [{"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 1.0}]
    assert average_ranks(columns) == {"a": 1.25, "b": 1.75}
    assert average_ranks([]) == {}


def test_the_bootstrap_interval_of_two_values_by_hand() -> None:
    """Means of pairs of 0 and 1: 0, 1/2, 1 with shares 1/4, 1/2, 1/4."""
    assert bootstrap_interval([0.0, 1.0], 0.8) == (0.0, 1.0)
    assert bootstrap_interval([0.0, 1.0], 0.4) == (0.5, 0.5)


def test_the_bootstrap_interval_is_near_that_of_a_normal_mean_and_the_same_each_time() -> None:
    values = np.random.default_rng(0).normal(5.0, 2.0, size=200).tolist()
    low, high = bootstrap_interval(values)
    half = 1.96 * np.std(values) / math.sqrt(200)
    assert (low, high) == pytest.approx((np.mean(values) - half, np.mean(values) + half), abs=0.03)
    assert bootstrap_interval(values) == (low, high)


def test_one_value_has_no_interval() -> None:
    assert all(math.isnan(end) for end in bootstrap_interval([1.0]))


# Intervals of a mean ------------------------------------------------------------------------------


def coverage(interval: Callable[[list[float]], tuple[float, float]], n: int, trials: int) -> float:
    """Return how often an interval of n normal values holds their true mean, 0.3."""
    samples = np.random.default_rng(0).normal(0.3, 1.0, size=(trials, n)).tolist()
    ends = [interval(sample) for sample in samples]
    return float(np.mean([low <= 0.3 <= high for low, high in ends]))


def test_the_interval_of_three_values_covers_as_often_as_it_says() -> None:
    assert coverage(mean_interval, n=3, trials=2000) == pytest.approx(0.95, abs=0.015)


def test_the_bootstrap_of_three_values_goes_from_end_to_end_and_covers_too_seldom() -> None:
    assert bootstrap_interval([1.0, 5.0, 2.0]) == (1.0, 5.0)
    assert coverage(bootstrap_interval, n=3, trials=300) < 0.85


def test_the_interval_of_two_values_is_student_s() -> None:
    # One degree of freedom, and s / sqrt(2) of 0 and 2 is 1.
    half = math.tan(math.pi * 0.475)
    assert mean_interval([0.0, 2.0]) == pytest.approx((1.0 - half, 1.0 + half))
    assert all(math.isnan(end) for end in mean_interval([1.0]))


def test_ten_values_have_the_bootstrap_s_interval_and_nine_have_not() -> None:
    values = np.random.default_rng(0).normal(5.0, 2.0, size=10).tolist()
    assert mean_interval(values) == bootstrap_interval(values)
    assert mean_interval(values[:9]) != bootstrap_interval(values[:9])
