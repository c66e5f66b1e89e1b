"""The MI loss over all pairs of views, and the objective of the view estimator."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

_FINAL_VIEW = 0.3  # share of the final view's classification loss
_ESTIMATED_PAIRS = 0.3  # share of the MI loss between estimated views


@dataclass(frozen=True)
class LossWeights:
    """How much each view and each pair counts; views are numbered 0..m-1, the final one is m.

    The published weights for two views are 0.35, 0.35 and 0.3 (final) for the classification loss,
    0.3 for the pair of estimated views and 0.35 for each pair with the final one. For more views
    the shares stay and are divided evenly.
    """

    views: tuple[float, ...]
    pairs: tuple[tuple[int, int], ...]
    pair_weights: tuple[float, ...]

    @classmethod
    def for_views(cls, n_views: int) -> LossWeights:
        """Return the weights for ``n_views`` estimated views and the final one."""
        each = (1.0 - _FINAL_VIEW) / n_views
        estimated = list(itertools.combinations(range(n_views), 2))
        final = [(k, n_views) for k in range(n_views)]
        with_final = (1.0 - _ESTIMATED_PAIRS) / n_views
        return cls(
            views=(each,) * n_views + (_FINAL_VIEW,),
            pairs=(*estimated, *final),
            pair_weights=(_ESTIMATED_PAIRS / len(estimated),) * len(estimated)
            + (with_final,) * n_views,
        )


def mi_loss(pair_losses: Sequence[Tensor], weights: LossWeights) -> Tensor:
    """Return the weighted sum of the pairs' InfoNCE losses.

    Implements Eq. (18): L_MI = sum over pairs of w_pair L(V, V').
    """
    terms = [w * loss for w, loss in zip(weights.pair_weights, pair_losses, strict=True)]
    return sum(terms[1:], terms[0])


def view_objective(classification: Tensor, mutual_information: Tensor, eta: float) -> Tensor:
    """Return what the view estimator minimises.

    Implements Eq. (19): L_cls - eta L_MI. (InfoNCE falls as MI grows, so its loss is maximised.)
    """
    return classification - eta * mutual_information


def eta_schedule(iteration: int, *, rate: float, low: float, high: float) -> float:
    """Return eta for an outer iteration t: log(1 + r t), held between ``low`` and ``high``."""
    return min(max(math.log1p(rate * iteration), low), high)
