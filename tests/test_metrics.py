"""Metrics against answers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from cogsl.errors import InputError
from cogsl.metrics import METRICS, score


def one_hot(classes: list[int], n_classes: int) -> np.ndarray:
    return np.eye(n_classes)[classes]


def test_perfect_predictions_score_one_everywhere() -> None:
    labels = np.array([0, 1, 2, 1])
    assert score(labels, one_hot([0, 1, 2, 1], 3)) == dict.fromkeys(METRICS, 1.0)


def test_two_classes_by_hand() -> None:
    # Predictions 0 1 0 1: class 0 has TP 1, FP 1, FN 1, and so has class 1: both F1 are 1/2.
    # Of the 2 x 2 pairs (one of each class), class 1 ranks higher in 0.4 > 0.3, 0.8 > 0.3 and
    # 0.8 > 0.6: an AUC of 3/4.
    second = np.array([0.3, 0.6, 0.4, 0.8])
    figures = score(np.array([0, 0, 1, 1]), np.column_stack([1 - second, second]))
    assert figures == pytest.approx(
        {"macro_f1": 0.5, "micro_f1": 0.5, "auc": 0.75, "accuracy": 0.5}
    )


def test_macro_f1_weighs_classes_and_micro_f1_nodes() -> None:
    # Four nodes of class 0 right, the only one of class 1 called 0: F1 are 8/9 and 0.
    labels = np.array([0, 0, 0, 0, 1])
    figures = score(labels, one_hot([0, 0, 0, 0, 0], 2))
    assert figures["macro_f1"] == pytest.approx(4 / 9)
    assert figures["micro_f1"] == figures["accuracy"] == pytest.approx(0.8)


def test_auc_of_many_classes_is_the_mean_over_one_against_the_rest() -> None:
    probabilities = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5], [0.5, 0.1, 0.4], [0.1, 0.5, 0.4]])
    labels = np.array([0, 1, 2, 1])
    # Class 0: 0.6 above 0.2, 0.5, 0.1: 1. Class 1: 0.3 and 0.5 against 0.3 and 0.1: 3.5 of 4.
    # Class 2: 0.4 against 0.1, 0.5, 0.4: 1.5 of 3.
    assert score(labels, probabilities)["auc"] == pytest.approx((1 + 3.5 / 4 + 1.5 / 3) / 3)


def test_classes_without_a_node_do_not_count_in_the_auc() -> None:
    labels = np.array([0, 1, 0])
    probabilities = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    assert score(labels, probabilities)["auc"] == 1.0


def test_one_class_alone_has_an_auc_of_one_half() -> None:
    figures = score(np.array([1, 1]), one_hot([1, 0], 3))
    assert figures["auc"] == 0.5
    assert figures["accuracy"] == 0.5


def test_float32_probabilities_are_accepted() -> None:
    rng = np.random.default_rng(0)
    raw = rng.random((50, 7), dtype=np.float32)
    figures = score(rng.integers(0, 7, 50), raw / raw.sum(axis=1, keepdims=True))
    assert all(0.0 <= value <= 1.0 for value in figures.values())


@pytest.mark.parametrize(
    ("labels", "probabilities", "message"),
    [
        ([0, 1, 1], [[0.5, 0.5], [0.5, 0.5]], "one row a label"),
        ([], np.zeros((0, 2)), "at least one node"),
        ([0, 2], [[0.5, 0.5], [0.5, 0.5]], "between 0 and 1"),
        ([0, -1], [[0.5, 0.5], [0.5, 0.5]], "from -1 to 0"),
        ([0, 1], [[0.5, 0.5], [0.5, 0.6]], "Row 1 sums to 1.1"),
        ([0, 1], [[float("nan"), 0.5], [0.5, 0.5]], "Row 0 sums to nan"),
    ],
)
def test_what_cannot_be_scored_is_named(
    labels: object, probabilities: object, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        score(np.array(labels, dtype=np.int64), np.array(probabilities))
