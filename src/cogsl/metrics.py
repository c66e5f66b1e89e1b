"""Macro-F1, micro-F1, AUC and accuracy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cogsl.errors import InputError

METRICS = ("macro_f1", "micro_f1", "auc", "accuracy")


def score(
    labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.floating]
) -> dict[str, float]:
    """Return macro-F1, micro-F1, AUC and accuracy as shares between 0 and 1.

    - macro-F1: the mean F1 over the classes that occur in the labels or in the predictions;
    - micro-F1: equal to accuracy where each node has one class;
    - AUC: for two classes that of the second class's probability, else one class against the
      rest, averaged over the classes that occur in the labels; 0.5 if only one class occurs.

    Parameters: ``labels`` of n nodes, n; ``probabilities`` of their classes, n x C, rows sum to 1.
    """
    from sklearn.metrics import accuracy_score, f1_score

    _check(labels, probabilities)
    predicted = probabilities.argmax(axis=1)
    return {
        "macro_f1": float(f1_score(labels, predicted, average="macro", zero_division=0.0)),
        "micro_f1": float(f1_score(labels, predicted, average="micro", zero_division=0.0)),
        "auc": _auc(labels, probabilities),
        "accuracy": float(accuracy_score(labels, predicted)),
    }


def _auc(labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.floating]) -> float:
    """Return the area under the ROC curve, see ``score``."""
    from sklearn.metrics import roc_auc_score

    present = np.unique(labels)
    if len(present) < 2:
        return 0.5
    if probabilities.shape[1] == 2:
        return float(roc_auc_score(labels, probabilities[:, 1]))
    areas = [roc_auc_score(labels == c, probabilities[:, c]) for c in present]
    return float(np.mean(areas))


def _check(labels: npt.NDArray[np.int64], probabilities: npt.NDArray[np.floating]) -> None:
    """Raise ``InputError`` for labels and probabilities that cannot be compared."""
    if probabilities.ndim != 2 or labels.shape != probabilities.shape[:1]:
        raise InputError(
            "The 'probabilities' must have one row a label. "
            f"Got shapes {labels.shape} and {probabilities.shape} instead."
        )
    if len(labels) == 0:
        raise InputError("The 'labels' must hold at least one node. Got none instead.")
    n_classes = probabilities.shape[1]
    if labels.min() < 0 or labels.max() >= n_classes:
        raise InputError(
            f"The 'labels' must lie between 0 and {n_classes - 1}. "
            f"Got values from {labels.min()} to {labels.max()} instead."
        )
    sums = probabilities.sum(axis=1, dtype=np.float64)
    wrong = np.flatnonzero(~(np.abs(sums - 1.0) < 1e-4))
    if len(wrong):
        raise InputError(
            f"Each row of 'probabilities' must sum to 1. Row {wrong[0]} sums to {sums[wrong[0]]}."
        )
