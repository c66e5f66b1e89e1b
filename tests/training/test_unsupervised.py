from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from cogsl.training import Probe, ProbedOutcome, SilentListener, train_unsupervised


def run(
    losses: list[float],
    accuracies: list[float],
    *,
    probe_every: int = 1,
    patience: int | None = None,
) -> ProbedOutcome:
    steps, probes = iter(losses), _probes(accuracies)
    return train_unsupervised(
        lambda: next(steps),
        lambda: next(probes),
        epochs=len(losses),
        probe_every=probe_every,
        patience=patience,
        listener=SilentListener(),
    )


def _probes(accuracies: list[float]) -> Iterator[Probe]:
    for number, accuracy in enumerate(accuracies):
        figures = {"val_accuracy": accuracy, "val_loss": 0.0 * accuracy}
        yield Probe(np.array([[float(number)]]), 1.0, figures)


def test_the_probe_best_on_validation_nodes_is_kept() -> None:
    outcome = run([3.0, 2.0, 1.0], [0.5, 0.7, 0.6])
    assert outcome.best_iteration == 1
    assert outcome.probe is not None
    assert outcome.probe.probabilities[0, 0] == 1.0
    assert [record["kept"] for record in outcome.history] == [True, True, False]


def test_figures_are_carried_on_between_probes() -> None:
    outcome = run([6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [0.1, 0.2, 0.3], probe_every=3)
    assert [record["probed"] for record in outcome.history] == [
        True,
        False,
        False,
        True,
        False,
        True,
    ]
    assert [r["val_accuracy"] for r in outcome.history] == [0.1, 0.1, 0.1, 0.2, 0.2, 0.3]
    assert outcome.best_iteration == 5


def test_training_stops_when_the_loss_no_longer_falls_and_probes_once_more() -> None:
    outcome = run([3.0, 2.0, 2.5, 2.0, 1.0], [0.5, 0.6], probe_every=10, patience=2)
    assert len(outcome.history) == 4
    assert outcome.best_iteration == 3


def test_no_label_has_a_say_in_when_training_stops() -> None:
    rising, falling = (
        run([3.0, 2.0, 2.0, 2.0], a, patience=1) for a in ([0.0, 1.0, 2.0], [2.0, 1.0, 0.0])
    )
    assert len(rising.history) == len(falling.history) == 3


def test_a_loss_that_is_not_finite_ends_training() -> None:
    outcome = run([1.0, math.nan, 0.5], [0.5, math.nan])
    assert len(outcome.history) == 2
    assert outcome.best_iteration == 0


def test_nothing_is_kept_if_no_probe_is_finite() -> None:
    assert run([math.nan], [math.nan]).probe is None


@pytest.mark.parametrize("key", ["iteration", "loss", "strength", "val_loss", "seconds"])
def test_every_record_holds(key: str) -> None:
    assert all(key in record for record in run([2.0, 1.0], [0.5, 0.5], probe_every=2).history)
