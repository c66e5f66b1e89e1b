from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.graph import Graph
from cogsl.training import AccuracyRule, LabelledNodes, Listener, Outcome, train_supervised


class Ear:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def on_phase(self, phase: str) -> None:
        self.heard.append(phase)

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        self.heard.append(record["iteration"])


def nodes() -> LabelledNodes:
    """Node 0 (class 0) and 1 (class 1) train; 2 (class 0) and 3 (class 1) validate."""
    return LabelledNodes(
        Graph.from_scipy(
            csr_array((4, 4), dtype=np.float32), labels=[0, 1, 0, 1], train=[0, 1], val=[2, 3]
        )
    )


class Model:
    """Predicts from a script: for each epoch the logits of class 0 for nodes 2 and 3."""

    def __init__(self, script: list[tuple[float, float]]) -> None:
        self._script: Iterator[tuple[float, float]] = iter(script)
        self.logits = torch.zeros(4, 2)
        self.calls: list[str] = []

    def step(self) -> float:
        self.calls.append("step")
        self.logits[2:, 0] = torch.tensor(next(self._script))
        return float(len(self.calls))

    def predict(self) -> Tensor:
        """Return the live tensor, as a careless model would."""
        self.calls.append("predict")
        return self.logits


def run(
    script: list[tuple[float, float]],
    *,
    patience: int | None = None,
    listener: Listener | None = None,
) -> tuple[Outcome, Model]:
    model = Model(script)
    outcome = train_supervised(
        model.step,
        model.predict,
        epochs=len(script),
        nodes=nodes(),
        rule=AccuracyRule(),
        patience=patience,
        listener=listener or Ear(),
    )
    return outcome, model


HALF, BOTH, NONE = (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)


def test_step_and_prediction_alternate() -> None:
    _, model = run([HALF] * 3)
    assert model.calls == ["step", "predict"] * 3


def test_kept_epoch_is_the_best_one_and_not_the_last() -> None:
    outcome, _ = run([HALF, BOTH, NONE, HALF])
    assert outcome.best_iteration == 1
    assert [record["kept"] for record in outcome.history] == [True, True, False, False]
    assert [record["val_accuracy"] for record in outcome.history] == [0.5, 1.0, 0.0, 0.5]


def test_kept_output_is_a_copy_that_later_epochs_do_not_touch() -> None:
    outcome, model = run([BOTH, NONE])
    assert outcome.output is not None
    assert outcome.output[2:, 0].tolist() == list(BOTH)
    assert model.logits[2:, 0].tolist() == list(NONE)


def test_history_has_one_plain_record_an_epoch() -> None:
    outcome, _ = run([HALF, BOTH])
    assert [record["iteration"] for record in outcome.history] == [0, 1]
    assert [record["loss"] for record in outcome.history] == [1.0, 3.0]
    names = {"iteration", "loss", "train_accuracy", "val_accuracy", "val_loss", "kept", "seconds"}
    for record in outcome.history:
        assert set(record) == names
        assert all(type(value) in (int, float, bool) for value in record.values())


@pytest.mark.parametrize(("patience", "ran"), [(None, 6), (1, 3), (2, 4), (9, 6)])
def test_patience_ends_training_early(patience: int | None, ran: int) -> None:
    outcome, _ = run([HALF, BOTH, NONE, NONE, NONE, NONE], patience=patience)
    assert len(outcome.history) == ran
    assert outcome.best_iteration == 1


def test_listener_hears_the_phase_and_then_every_epoch() -> None:
    ear = Ear()
    run([HALF, BOTH], listener=ear)
    assert ear.heard == ["training", 0, 1]
