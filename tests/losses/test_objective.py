from __future__ import annotations

import math

import pytest
import torch

from cogsl.losses import LossWeights, eta_schedule, mi_loss, view_objective


def test_two_views_have_exactly_the_published_weights() -> None:
    weights = LossWeights.for_views(2)
    assert weights.views == (0.35, 0.35, 0.3)
    assert weights.pairs == ((0, 1), (0, 2), (1, 2))
    assert weights.pair_weights == (0.3, 0.35, 0.35)


@pytest.mark.parametrize("n_views", [2, 3, 4, 5])
def test_weights_sum_to_one_for_any_number_of_views(n_views: int) -> None:
    weights = LossWeights.for_views(n_views)
    assert math.fsum(weights.views) == pytest.approx(1.0, abs=1e-15)
    assert math.fsum(weights.pair_weights) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("n_views", [2, 3, 4, 5])
def test_final_view_and_estimated_pairs_keep_their_share(n_views: int) -> None:
    weights = LossWeights.for_views(n_views)
    assert weights.views[-1] == 0.3
    assert len(set(weights.views[:-1])) == 1
    estimated = [
        weight
        for pair, weight in zip(weights.pairs, weights.pair_weights, strict=True)
        if n_views not in pair
    ]
    assert math.fsum(estimated) == pytest.approx(0.3, abs=1e-15)


@pytest.mark.parametrize("n_views", [2, 3, 4, 5])
def test_every_pair_of_views_counts_once(n_views: int) -> None:
    weights = LossWeights.for_views(n_views)
    everything = {(a, b) for b in range(n_views + 1) for a in range(b)}
    assert set(weights.pairs) == everything
    assert len(weights.pairs) == len(weights.pair_weights) == len(everything)
    assert min(weights.pair_weights) > 0


def test_mi_loss_by_hand() -> None:
    losses = [torch.tensor(value, dtype=torch.float64) for value in (1.0, 2.0, 4.0)]
    assert float(mi_loss(losses, LossWeights.for_views(2))) == pytest.approx(
        0.3 * 1 + 0.35 * 2 + 0.35 * 4, abs=1e-15
    )


def test_mi_loss_needs_a_loss_for_every_pair() -> None:
    with pytest.raises(ValueError, match="zip"):
        mi_loss([torch.tensor(1.0)] * 2, LossWeights.for_views(2))


def test_view_estimator_lowers_the_classification_loss_and_raises_the_mi_loss() -> None:
    parts = torch.tensor([2.0, 5.0], requires_grad=True)
    objective = view_objective(parts[0], parts[1], 0.1)
    assert float(objective.detach()) == pytest.approx(1.5)
    (grad,) = torch.autograd.grad(objective, parts)
    assert grad.tolist() == pytest.approx([1.0, -0.1])


@pytest.mark.parametrize(
    ("iteration", "expected"),
    [
        (0, 0.05),
        (51, 0.05),  # log(1.051) = 0.0497
        (52, math.log(1.052)),
        (80, math.log(1.08)),
        (105, math.log(1.105)),
        (106, 0.1),  # log(1.106) = 0.1007
        (10**6, 0.1),
    ],
)
def test_eta_rises_as_a_logarithm_between_its_bounds(iteration: int, expected: float) -> None:
    eta = eta_schedule(iteration, rate=1e-3, low=0.05, high=0.1)
    assert eta == pytest.approx(expected, abs=1e-15)


def test_eta_without_a_rate_stays_at_its_least() -> None:
    assert {eta_schedule(t, rate=0.0, low=0.02, high=0.1) for t in (0, 10, 1000)} == {0.02}
