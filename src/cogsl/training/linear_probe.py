"""A linear probe: what a linear classifier can read from embeddings that no label has shaped."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cogsl.cost import GraphSize
from cogsl.nn import unit_rows
from cogsl.sparse.blocks import blocks
from cogsl.training.selection import AccuracyRule
from cogsl.training.validation import LabelledNodes

STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3)
SCALINGS = ("none", "unit", "standard")
_MAX_STEPS = 1000
# On the reference machine, for all of STRENGTHS.
_START_SECONDS = 0.06
_NUMBER_SECONDS = 2.5e-7  # for a number of a training node's embedding, and a class

logger = logging.getLogger("cogsl")


@dataclass(frozen=True, eq=False)
class Probe:
    """What a probe found.

    Parameters
    ----------
    probabilities : of all nodes, N x C; not a number where the embeddings were not finite.
    strength : the chosen C.
    figures : train accuracy, validation accuracy and loss.
    """

    probabilities: npt.NDArray[np.float64]
    strength: float
    figures: dict[str, float]


def linear_probe(
    embeddings: Tensor,
    nodes: LabelledNodes,
    n_classes: int,
    *,
    strengths: Sequence[float] = STRENGTHS,
    scaling: str = "none",
) -> Probe:
    """Fit logistic regression on the training nodes' embeddings, and choose C on validation nodes.

    min over W, b of  1/2 |W|^2 + C sum_i -ln softmax(W z_i + b)_{y_i},  i over training nodes

    Each strength C is tried; the one with the highest validation accuracy is taken, of equals the
    one with the lowest loss.

    Parameters
    ----------
    embeddings : Z, N x d; a constant.
    nodes : the labelled nodes; each class has a training node.
    strengths : C, each above 0; the larger, the weaker the regularisation.
    scaling : of the rows: "none", "unit" (each of length 1) or "standard" (each column with mean 0
        and deviation 1 over all nodes).
    """
    Z = scaled(embeddings.detach(), scaling)
    if not bool(Z.isfinite().all()):
        return _nothing_found(len(Z), n_classes)
    known, _ = torch.cat([nodes.train, nodes.val]).sort()
    rows, places = Z.index_select(0, known).double(), nodes.among(known)
    regression = _Regression(rows.index_select(0, places.train), places.train_labels, n_classes)
    rule, best = AccuracyRule(), None
    for strength in strengths:
        weights = regression.fit(strength)
        figures = places.judge(_log_probabilities(rows, weights))
        if rule.keeps(accuracy=figures["val_accuracy"], loss=figures["val_loss"]):
            best = weights, strength, figures
    if best is None:
        return _nothing_found(len(Z), n_classes)
    return Probe(_log_probabilities(Z, best[0]).exp().numpy(), *best[1:])


def probe_seconds(size: GraphSize, width: int) -> float:
    """Return about how long a probe of embeddings N x width takes on the reference machine."""
    return _START_SECONDS + _NUMBER_SECONDS * size.train * width * size.classes


def scaled(embeddings: Tensor, scaling: str) -> Tensor:
    """Return embeddings as they are, as rows of length 1, or as columns of mean 0, deviation 1."""
    if scaling == "unit":
        return unit_rows(embeddings)
    if scaling == "standard":
        deviation, mean = torch.std_mean(embeddings, dim=0, correction=0)
        return (embeddings - mean) / torch.where(deviation > 0, deviation, 1.0)
    return embeddings


class _Regression:
    """scikit-learn's logistic regression on fixed rows, each fit beginning where the last ended."""

    def __init__(self, rows: Tensor, labels: Tensor, n_classes: int) -> None:
        from sklearn.linear_model import LogisticRegression  # heavy

        self._rows, self._labels, self._n_classes = rows.numpy(), labels.numpy(), n_classes
        self._model: Any = LogisticRegression(max_iter=_MAX_STEPS, warm_start=True)

    def fit(self, strength: float) -> tuple[Tensor, Tensor]:
        """Return weights, C x d, and biases, C."""
        from sklearn.exceptions import ConvergenceWarning
        from threadpoolctl import threadpool_limits

        self._model.set_params(C=strength)
        # NumPy's products give other bits on another number of threads.
        with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
            warnings.simplefilter("always", ConvergenceWarning)
            self._model.fit(self._rows, self._labels)
        if caught:
            logger.info("The probe was still moving after %d steps (C = %g).", _MAX_STEPS, strength)
        return self._weights()

    def _weights(self) -> tuple[Tensor, Tensor]:
        """Return the weights of every class; one that no row has is never predicted."""
        weight = torch.zeros(self._n_classes, self._rows.shape[1], dtype=torch.float64)
        bias = torch.full((self._n_classes,), -math.inf, dtype=torch.float64)
        present = torch.from_numpy(self._model.classes_)
        bias[present] = 0.0
        # Of two classes only the second one's odds are stored.
        stored = present[-len(self._model.coef_) :]
        weight[stored] = torch.from_numpy(self._model.coef_)
        bias[stored] = torch.from_numpy(self._model.intercept_)
        return weight, bias


def _log_probabilities(rows: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
    """Return ln softmax(W z + b) of each row in float64, N x C; copies are made in blocks."""
    W, b = weights
    output = torch.empty(len(rows), len(b), dtype=torch.float64)
    for part in blocks(len(rows), row_bytes=8 * rows.shape[1]):
        output[part] = torch.log_softmax(rows[part].double() @ W.t() + b, dim=1)
    return output


def _nothing_found(n_nodes: int, n_classes: int) -> Probe:
    """Return the probe of embeddings from which nothing can be read."""
    figures = dict.fromkeys(("train_accuracy", "val_accuracy", "val_loss"), math.nan)
    return Probe(np.full((n_nodes, n_classes), math.nan), math.nan, figures)
