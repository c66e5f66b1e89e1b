"""The classification loss over all views."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn.functional import nll_loss


def classification_loss(
    log_probabilities: Sequence[Tensor], labels: Tensor, weights: Sequence[float]
) -> Tensor:
    """Return the weighted sum of the views' mean cross-entropies.

    Implements Eq. (14): L_cls = - sum_O w_O mean_i y_i ln o_i, with the published weights w_O.

    Parameters
    ----------
    log_probabilities : one M x C tensor a view, for the labelled nodes.
    labels : their classes, M; without any the loss is 0.
    weights : one weight a view.
    """
    if not labels.numel():
        return log_probabilities[0].sum()
    terms = [w * nll_loss(o, labels) for o, w in zip(log_probabilities, weights, strict=True)]
    return sum(terms[1:], terms[0])
