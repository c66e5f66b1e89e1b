from __future__ import annotations

import math

import pytest

from cogsl.training import AccuracyRule, JointRule, KeepRule, LossRule, Patience

RULES = [JointRule, AccuracyRule, LossRule]


def replay(rule: KeepRule, figures: list[tuple[float, float]]) -> list[bool]:
    """Tell a rule (accuracy, loss) of each iteration; return which ones it keeps."""
    return [rule.keeps(accuracy=accuracy, loss=loss) for accuracy, loss in figures]


@pytest.mark.parametrize("rule", RULES)
def test_first_iteration_is_kept_however_bad(rule: type[KeepRule]) -> None:
    assert replay(rule(), [(0.0, 1e9)]) == [True]


@pytest.mark.parametrize("rule", RULES)
def test_of_equal_iterations_the_first_stays(rule: type[KeepRule]) -> None:
    assert replay(rule(), [(0.5, 1.0)] * 3) == [True, False, False]


def test_joint_rule_wants_accuracy_no_worse_and_loss_better() -> None:
    figures = [
        (0.5, 1.0),
        (0.4, 0.9),  # less accurate
        (0.6, 1.0),  # no lower loss
        (0.5, 0.9),  # as accurate, lower loss
        (0.7, 0.95),  # lower than the refused one's loss, not than the kept one's
        (0.45, 0.8),  # less accurate than the kept one
        (0.5, 0.8),
    ]
    assert replay(JointRule(), figures) == [True, False, False, True, False, False, True]


def test_joint_rule_compares_with_the_kept_iteration_not_with_the_best_figures_seen() -> None:
    figures = [(0.5, 1.0), (0.9, 2.0), (0.6, 0.9)]
    assert replay(JointRule(), figures) == [True, False, True]


def test_accuracy_rule_looks_at_the_loss_of_equals_only() -> None:
    figures = [(0.5, 1.0), (0.6, 5.0), (0.5, 0.1), (0.6, 4.0), (0.6, 4.5)]
    assert replay(AccuracyRule(), figures) == [True, True, False, True, False]


def test_loss_rule_does_not_look_at_accuracy() -> None:
    figures = [(0.9, 1.0), (0.1, 0.9), (1.0, 0.95)]
    assert replay(LossRule(), figures) == [True, True, False]


@pytest.mark.parametrize("rule", RULES)
def test_iteration_whose_loss_is_nan_never_replaces_a_sound_one(rule: type[KeepRule]) -> None:
    assert replay(rule(), [(0.5, 1.0), (0.5, math.nan)]) == [True, False]


def test_patience_is_over_after_so_many_iterations_without_a_kept_one() -> None:
    waiting = Patience(2)
    kept = [True, False, True, False, False]
    assert [waiting.is_over(kept=k) for k in kept] == [False, False, False, False, True]


def test_patience_of_one_ends_at_the_first_iteration_that_is_not_kept() -> None:
    waiting = Patience(1)
    assert not waiting.is_over(kept=True)
    assert waiting.is_over(kept=False)


def test_no_patience_setting_waits_for_ever() -> None:
    waiting = Patience(None)
    assert not any(waiting.is_over(kept=False) for _ in range(10_000))
