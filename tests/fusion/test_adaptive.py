from __future__ import annotations

import pytest
import torch
from torch import Tensor

from cogsl.fusion import AdaptiveFusion, importance

SETTINGS = [(0.1, 0.5), (1.0, 0.2), (0.1, 0.9)]


def log(*rows: list[float]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64).log()


def fusion(*, epsilon: float = 1.0, lam: float = 0.5, n_views: int = 2) -> AdaptiveFusion:
    return AdaptiveFusion(n_views, epsilon=epsilon, lam=lam, dtype=torch.float64)


def test_importance_by_hand() -> None:
    # 0.8^(2 * 0.25) * (0.8 - 0.1)^(2 * 0.75)
    result = importance(log([0.1, 0.8, 0.1]), epsilon=2.0, lam=0.25)
    assert result.tolist() == pytest.approx([0.8**0.5 * 0.7**1.5], abs=1e-14)


def test_weights_by_hand() -> None:
    # With epsilon = 1 and lambda = 1/2, pi = sqrt(o_m (o_m - o_sm)).
    sure = log([0.8, 0.175, 0.025])  # sqrt(0.8 * 0.625) = sqrt(1 / 2)
    unsure = log([0.25, 0.5, 0.25])  # sqrt(0.5 * 0.25) = sqrt(1 / 8)
    assert fusion()([sure, unsure])[0].tolist() == pytest.approx([2 / 3, 1 / 3], abs=1e-12)


@pytest.mark.parametrize(("epsilon", "lam"), SETTINGS)
def test_sharp_prediction_leads_a_smooth_one(epsilon: float, lam: float) -> None:
    """The paper's first case."""
    sharp, smooth = log([0.8, 0.1, 0.1]), log([0.4, 0.3, 0.3])
    (weights,) = fusion(epsilon=epsilon, lam=lam)([sharp, smooth]).tolist()
    assert weights[0] > weights[1]


@pytest.mark.parametrize(("epsilon", "lam"), SETTINGS)
def test_of_equal_maxima_the_larger_margin_leads(epsilon: float, lam: float) -> None:
    """The paper's second case."""
    close_call, clear = log([0.5, 0.4, 0.1]), log([0.5, 0.25, 0.25])
    (weights,) = fusion(epsilon=epsilon, lam=lam)([close_call, clear]).tolist()
    assert weights[1] > weights[0]


def test_largest_probability_alone_decides_at_lambda_one() -> None:
    close_call, clear = log([0.5, 0.4, 0.1]), log([0.5, 0.25, 0.25])
    assert fusion(lam=1.0)([close_call, clear]).tolist() == [[0.5, 0.5]]


def test_epsilon_zero_is_the_average() -> None:
    sharp, smooth = log([0.8, 0.1, 0.1]), log([0.4, 0.3, 0.3])
    assert fusion(epsilon=0.0)([sharp, smooth]).tolist() == [[0.5, 0.5]]


def test_each_node_has_weights_of_its_own() -> None:
    first, second = log([0.9, 0.1], [0.6, 0.4]), log([0.6, 0.4], [0.9, 0.1])
    weights = fusion()([first, second])
    assert weights[0].tolist() == weights[1].tolist()[::-1]
    assert float(weights[0, 0]) > 0.5


@pytest.mark.parametrize("n_views", [2, 3, 5])
def test_weights_of_a_node_sum_to_one(n_views: int) -> None:
    source = torch.Generator().manual_seed(0)
    outputs = [
        torch.randn(40, 4, generator=source, dtype=torch.float64).log_softmax(dim=1)
        for _ in range(n_views)
    ]
    weights = fusion(n_views=n_views)(outputs)
    assert weights.shape == (40, n_views)
    assert float(weights.min()) > 0
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(40, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_ties_give_finite_weights_and_gradients(dtype: torch.dtype, lam: float) -> None:
    tied = torch.tensor([[0.0, 0.0, -1.0], [2.0, 1.0, 0.0]], dtype=dtype, requires_grad=True)
    clear = torch.tensor([[0.0, 0.0, 0.0], [0.0, 3.0, 0.0]], dtype=dtype, requires_grad=True)
    outputs = [tied.log_softmax(dim=1), clear.log_softmax(dim=1)]
    weights = fusion(lam=lam)(outputs)
    assert bool(torch.isfinite(weights).all())
    for grad in torch.autograd.grad(weights[:, 0].sum(), [tied, clear]):
        assert bool(torch.isfinite(grad).all())


def test_probability_of_one_gives_finite_weights_and_gradients() -> None:
    certain = torch.tensor([[200.0, 0.0]], requires_grad=True)
    weights = fusion()([certain.log_softmax(dim=1), torch.zeros(1, 2).log_softmax(dim=1)])
    assert bool(torch.isfinite(weights).all())
    (grad,) = torch.autograd.grad(weights[0, 0], certain)
    assert bool(torch.isfinite(grad).all())


def test_view_that_ties_counts_less_than_one_that_does_not() -> None:
    (weights,) = fusion()([log([0.5, 0.5]), log([0.6, 0.4])]).tolist()
    assert 0.0 < weights[0] < weights[1]


@pytest.mark.parametrize("epsilon", [20.0, 100.0])
def test_tie_of_both_views_is_the_average_however_large_epsilon(epsilon: float) -> None:
    tie = torch.zeros(1, 3).log_softmax(dim=1)
    assert fusion(epsilon=epsilon)([tie, tie]).tolist() == [[0.5, 0.5]]


def test_it_has_no_parameters() -> None:
    assert list(fusion().parameters()) == []
