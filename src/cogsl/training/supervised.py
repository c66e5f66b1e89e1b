"""The plain loop: one step, one look at the validation nodes, the best state kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from cogsl.training.listener import Listener
from cogsl.training.selection import KeepRule, Patience
from cogsl.training.validation import LabelledNodes


@dataclass
class Outcome:
    """What a loop leaves: its history, and the kept iteration with its log-predictions."""

    history: list[dict[str, Any]] = field(default_factory=list)
    best_iteration: int = 0
    output: Tensor | None = None


def train_supervised(
    step: Callable[[], float],
    predict: Callable[[], Tensor],
    *,
    epochs: int,
    nodes: LabelledNodes,
    rule: KeepRule,
    patience: int | None,
    listener: Listener,
) -> Outcome:
    """Call ``step`` (returns the loss) and ``predict`` (log-predictions, N x C) in turn."""
    outcome, waiting = Outcome(), Patience(patience)
    listener.on_phase("training")
    for epoch in range(epochs):
        start = time.perf_counter()
        record: dict[str, Any] = {"iteration": epoch, "loss": step()}
        output = predict()
        record |= nodes.judge(output)
        kept = rule.keeps(accuracy=record["val_accuracy"], loss=record["val_loss"])
        if kept:
            outcome.best_iteration, outcome.output = epoch, output.detach().clone()
        record |= {"kept": kept, "seconds": time.perf_counter() - start}
        outcome.history.append(record)
        listener.on_iteration(record)
        if waiting.is_over(kept=kept):
            break
    return outcome
