"""Verdicts on figures whose answer is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from cogsl.errors import InputError
from cogsl.evaluation.statistics import half_width
from cogsl.experiments.verdict import NO, OPEN, YES, Evidence, decide, gain_of, least_tested
from cogsl.experiments.verdict_words import Words, put_in_words

TITLES = {"mlp": "MLP", "knn_gcn": "KNN-GCN", "gcn": "GCN", "cogsl": "CoGSL", "idgl": "IDGL"}
SECONDS = {"mlp": 0.1, "knn_gcn": 1.0, "gcn": 0.5, "cogsl": 20.0, "idgl": 40.0}


def around(mean: float, spread: float = 0.002, n: int = 10, phase: float = 0.0) -> list[float]:
    """Return n accuracies with that mean; another phase has other ups and downs."""
    return [mean + spread * math.cos(2 * math.pi * (k + phase) / n) for k in range(n)]


def evidence(
    accuracy: Mapping[str, Sequence[float]], learners: Sequence[str] = ("cogsl",), **changes: Any
) -> Evidence:
    given: dict[str, Any] = {"n_labels": 3000, "n_test": 600, "largest_class": 0.2}
    return Evidence(
        accuracy=accuracy,
        learners=tuple(learners),
        edge_readers=frozenset({"gcn", "cogsl", "idgl"}),
        **(given | changes),
    )


def words_on(seen: Evidence) -> Words:
    return put_in_words(seen, decide(seen), TITLES, SECONDS)


def figures(mlp: float, knn: float, gcn: float, **more: list[float]) -> dict[str, list[float]]:
    rivals = {"mlp": around(mlp), "knn_gcn": around(knn, phase=1), "gcn": around(gcn, phase=2)}
    return rivals | more


# The answer ---------------------------------------------------------------------------------------


def test_yes_where_it_is_above_each_rival() -> None:
    seen = evidence(figures(0.6, 0.65, 0.7, cogsl=around(0.75, phase=3)))
    verdict = decide(seen)
    assert (verdict.answer, verdict.learner, verdict.rival) == (YES, "cogsl", "gcn")
    assert verdict.gain.mean == pytest.approx(0.05)
    assert verdict.gain.low == pytest.approx(seen.difference("cogsl", "gcn").low)
    assert verdict.splits is verdict.labels is None


@pytest.mark.parametrize("better", ["mlp", "knn_gcn", "gcn"])
def test_one_rival_that_is_as_good_is_enough_for_a_no(better: str) -> None:
    accuracy = figures(0.6, 0.65, 0.7, cogsl=around(0.75, phase=3)) | {
        better: around(0.75, phase=4)
    }
    verdict = decide(evidence(accuracy))
    assert (verdict.answer, verdict.rival) == (NO, better)


def test_a_gain_that_is_certain_but_too_small_is_no() -> None:
    seen = evidence(figures(0.6, 0.65, 0.7, cogsl=[a + 0.003 for a in around(0.7, phase=2)]))
    verdict = decide(seen)
    assert 0 < verdict.gain.low <= verdict.gain.high < 0.01
    assert verdict.answer == NO
    assert words_on(seen).reason.endswith("There is a gain, but a small one.")
    assert decide(evidence(seen.accuracy, least=0.002)).answer == YES


def test_a_noisy_difference_cannot_be_told() -> None:
    verdict = decide(evidence(figures(0.6, 0.65, 0.7, cogsl=around(0.71, spread=0.03))))
    assert verdict.answer == OPEN


def test_a_no_needs_enough_tested_nodes_whatever_they_show() -> None:
    """Two methods that never differ on 100 nodes may differ on three in a hundred."""
    alike = figures(0.6, 0.65, 0.7, cogsl=around(0.7, phase=2))
    few = evidence(alike, n_labels=100, n_test=20)
    verdict = decide(few)
    assert verdict.gain == pytest.approx((0.0, 0.0, 0.0))
    assert verdict.answer == OPEN
    assert verdict.splits is None
    assert verdict.labels is not None
    assert verdict.labels == pytest.approx(least_tested(0.01) / (1 - 0.8**10), rel=0.03)
    assert "it takes 300 that are tested" in words_on(few).reason
    assert decide(evidence(alike)).answer == NO


def test_of_several_learners_one_is_enough_for_a_yes_and_all_are_needed_for_a_no() -> None:
    both = ("cogsl", "idgl")
    good, bad = around(0.75, phase=3), around(0.6, phase=4)
    yes = decide(evidence(figures(0.6, 0.65, 0.7, cogsl=bad, idgl=good), both))
    assert (yes.answer, yes.learner) == (YES, "idgl")
    assert decide(evidence(figures(0.6, 0.65, 0.7, cogsl=bad, idgl=bad), both)).answer == NO
    unsure = around(0.71, spread=0.03)
    assert decide(evidence(figures(0.6, 0.65, 0.7, cogsl=bad, idgl=unsure), both)).answer == OPEN


def test_more_learners_and_more_rivals_ask_for_more() -> None:
    accuracy = {"gcn": around(0.7), "cogsl": around(0.71, 0.01, phase=3)}
    one = gain_of(evidence(accuracy), "cogsl")
    two = gain_of(evidence(accuracy | {"idgl": around(0.5)}, ("cogsl", "idgl")), "cogsl")
    assert two.low < one.low
    assert two.high == one.high
    three = gain_of(evidence(accuracy | {"mlp": around(0.1)}), "cogsl")
    assert three.low == one.low
    assert three.high > one.high


# How often it errs --------------------------------------------------------------------------------


def drawn(rng: np.random.Generator, gain: float) -> Evidence:
    """Return splits of 300 nodes, each with a likelihood to be right; three rivals are alike."""
    names, n = ("mlp", "knn_gcn", "gcn", "cogsl"), 300
    right = {m: rng.random(n) < 0.7 + gain * (m == "cogsl") for m in names}
    tests = [rng.permutation(n)[:60] for _ in range(10)]
    accuracy = {m: [float(right[m][test].mean()) for test in tests] for m in names}
    return evidence(accuracy, n_labels=n, n_test=60, least=0.1)


def test_a_false_yes_and_a_false_no_are_rare() -> None:
    rng = np.random.default_rng(0)
    nothing = [gain_of(drawn(rng, 0.0), "cogsl") for _ in range(400)]
    worthy = [gain_of(drawn(rng, 0.1), "cogsl") for _ in range(400)]
    assert np.mean([gain.low > 0.0 for gain in nothing]) <= 0.05
    assert np.mean([gain.high < 0.1 for gain in worthy]) <= 0.05


# What it would take -------------------------------------------------------------------------------


def test_the_splits_that_would_decide_are_the_fewest_that_do() -> None:
    accuracy = {"gcn": [0.7] * 10, "cogsl": around(0.72, spread=0.035)}
    seen = evidence(accuracy, n_test=60)
    verdict = decide(seen)
    assert verdict.answer == OPEN
    assert verdict.splits is not None
    deviation, ratio = float(np.std(accuracy["cogsl"], ddof=1)), 60 / 2940
    enough, too_few = (
        half_width(deviation, n, test_to_train=ratio) for n in (verdict.splits, verdict.splits - 1)
    )
    assert enough < 0.02 <= too_few
    assert f"--splits {verdict.splits}." in words_on(seen).advice


def test_where_no_number_of_splits_decides_the_labels_are_counted() -> None:
    accuracy = {"gcn": [0.7] * 10, "cogsl": around(0.72, spread=0.06)}
    seen = evidence(accuracy)
    verdict = decide(seen)
    half = seen.difference("cogsl", "gcn").mean - seen.difference("cogsl", "gcn").low
    floor = half_width(float(np.std(accuracy["cogsl"], ddof=1)), 10**6, test_to_train=0.25)
    assert floor > 0.02
    assert verdict.splits is None
    assert verdict.labels == pytest.approx(3000 * (half / 0.02) ** 2, rel=0.02)
    advice = words_on(seen).advice
    assert "More splits of these labels would not decide" in advice
    assert f"({verdict.labels:,} in all)" in advice


def test_a_difference_that_lies_on_the_border_is_never_decided() -> None:
    seen = evidence({"gcn": [0.7] * 10, "cogsl": around(0.7, spread=0.05)}, least=1e-6)
    verdict = decide(seen)
    assert (verdict.answer, verdict.splits, verdict.labels) == (OPEN, None, None)
    assert "'gcn'" in words_on(seen).advice


def test_labels_that_a_split_leaves_out_count_as_other_nodes() -> None:
    assert evidence({"gcn": [0.1] * 5, "cogsl": [0.1] * 5}).test_to_train == 600 / 2400


# In words -----------------------------------------------------------------------------------------


def test_a_good_graph_is_called_so() -> None:
    said = words_on(evidence(figures(0.3, 0.4, 0.95, cogsl=around(0.94, phase=3))))
    assert said.verdict.startswith("No, structure learning brings no gain worth having here")
    assert "CoGSL minus GCN is -1.0 points" in said.verdict
    assert said.reason.startswith("The given graph is already good (MLP 30.0 %, KNN-GCN 40.0 %")
    assert said.advice == "Use 'gcn' (0.5 s a run); 'cogsl' takes 20.0 s."


def test_a_graph_that_carries_nothing_is_called_so() -> None:
    said = words_on(evidence(figures(0.6, 0.55, 0.4, cogsl=around(0.5, phase=3))))
    assert said.reason.startswith("The given graph adds nothing to the features")
    assert said.advice.startswith("Use 'mlp'")


def test_a_graph_of_similar_features_is_called_so() -> None:
    alike = {"mlp": around(0.5), "knn_gcn": around(0.7, phase=2), "gcn": around(0.7, phase=2)}
    said = words_on(evidence(alike | {"cogsl": around(0.69, phase=3)}))
    assert "that of similar features, and is good enough" in said.reason
    useless = alike | {"mlp": around(0.8)}
    said = words_on(evidence(useless | {"cogsl": around(0.69, phase=3)}))
    assert "that of similar features, and adds nothing" in said.reason


def test_a_graph_that_helps_less_than_the_features_alone_is_called_so() -> None:
    said = words_on(evidence(figures(0.6, 0.8, 0.7, cogsl=around(0.75, phase=3))))
    assert said.reason.startswith("What there is in the graph is had without learning it")


def test_classes_that_nothing_tells_are_called_so() -> None:
    said = words_on(evidence(figures(0.2, 0.19, 0.2, cogsl=around(0.19, phase=3))))
    assert "Neither the features nor the graph tell the classes" in said.reason
    assert "20.0 %" in said.reason


@pytest.mark.parametrize(
    ("gcn", "part"),
    [(0.7, "is of use, and the learned one of more"), (0.5, "is of no use as it is")],
)
def test_a_yes_says_what_the_given_graph_was_worth(gcn: float, part: str) -> None:
    said = words_on(evidence(figures(0.6, 0.55, gcn, cogsl=around(0.8, phase=3))))
    assert said.verdict.startswith("Yes, structure learning helps here: CoGSL minus ")
    assert "above each of MLP, KNN-GCN, GCN beyond chance (each p below 0.001)" in said.reason
    assert part in said.reason
    assert said.advice.startswith("Use 'cogsl' (20.0 s a run)")


# Mistakes -----------------------------------------------------------------------------------------


def test_learners_and_rivals_are_needed() -> None:
    with pytest.raises(InputError, match="Got cogsl instead"):
        evidence({"cogsl": [0.5] * 5})
    with pytest.raises(InputError, match="Got gcn instead"):
        evidence({"gcn": [0.5] * 5})


@pytest.mark.parametrize("least", [0.0, 1.0, -0.1, math.nan])
def test_the_least_gain_is_a_share(least: float) -> None:
    with pytest.raises(InputError, match=r"0\.01 for one point"):
        evidence({"gcn": [0.5] * 5, "cogsl": [0.5] * 5}, least=least)
