"""The loop without labels: one step on the unsupervised loss, now and then a probe."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cogsl.training.linear_probe import Probe
from cogsl.training.listener import Listener
from cogsl.training.selection import AccuracyRule, LossRule, Patience


@dataclass
class ProbedOutcome:
    """What a loop leaves: its history, and the kept epoch with its probe."""

    history: list[dict[str, Any]] = field(default_factory=list)
    best_iteration: int = 0
    probe: Probe | None = None


def train_unsupervised(
    step: Callable[[], float],
    probe: Callable[[], Probe],
    *,
    epochs: int,
    probe_every: int,
    patience: int | None,
    listener: Listener,
) -> ProbedOutcome:
    """Call ``step`` (returns the loss) each epoch; keep the probe best on validation nodes.

    Embeddings are probed in epoch 0, each ``probe_every`` epochs after it, and in the last one.
    Training ends early after ``patience`` epochs without a new lowest loss: no label has a say in
    when it stops, only in which of the probed epochs is kept. Between two probes the history
    carries the figures of the last one on ("probed" tells which).
    """
    outcome, rule, lowest, waiting = ProbedOutcome(), AccuracyRule(), LossRule(), Patience(patience)
    figures: dict[str, float] = {}
    listener.on_phase("training")
    for epoch in range(epochs):
        start = time.perf_counter()
        loss, kept = step(), False
        is_over = waiting.is_over(kept=lowest.keeps(accuracy=0.0, loss=loss))
        is_last = is_over or epoch == epochs - 1 or not math.isfinite(loss)
        probed = is_last or epoch % probe_every == 0
        if probed:
            found = probe()
            figures = found.figures | {"strength": found.strength}
            kept = rule.keeps(accuracy=figures["val_accuracy"], loss=figures["val_loss"])
        if kept:
            outcome.best_iteration, outcome.probe = epoch, found
        record: dict[str, Any] = {"iteration": epoch, "loss": loss} | figures
        record |= {"probed": probed, "kept": kept, "seconds": time.perf_counter() - start}
        outcome.history.append(record)
        listener.on_iteration(record)
        if is_last:
            break
    return outcome
