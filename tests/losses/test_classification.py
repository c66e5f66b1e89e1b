from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from cogsl.losses import classification_loss

LABELS = torch.tensor([0, 1])


def log(rows: list[list[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64).log()


def test_two_nodes_on_three_views_by_hand() -> None:
    outputs = [
        log([[0.5, 0.5], [0.5, 0.5]]),  # mean cross-entropy ln 2
        log([[0.25, 0.75], [0.75, 0.25]]),  # ln 4
        log([[0.5, 0.5], [0.875, 0.125]]),  # (ln 2 + ln 8) / 2 = 2 ln 2
    ]
    loss = classification_loss(outputs, LABELS, (0.35, 0.35, 0.3))
    assert float(loss) == pytest.approx((0.35 + 0.35 * 2 + 0.3 * 2) * math.log(2), abs=1e-14)


def test_mean_over_nodes_does_not_grow_with_their_number() -> None:
    once, twice = log([[0.25, 0.75]]), log([[0.25, 0.75]] * 2)
    small = classification_loss([once], torch.tensor([0]), (1.0,))
    large = classification_loss([twice], torch.tensor([0, 0]), (1.0,))
    assert float(small) == pytest.approx(float(large), abs=1e-14)


def test_certain_and_right_predictions_have_no_loss() -> None:
    certain = torch.tensor([[0.0, -1000.0], [-1000.0, 0.0]])
    assert float(classification_loss([certain, certain], LABELS, (0.5, 0.5))) == 0.0


def test_gradient_of_a_view_is_in_proportion_to_its_weight() -> None:
    outputs = [log([[0.5, 0.5], [0.5, 0.5]]).requires_grad_() for _ in range(2)]
    loss = classification_loss(outputs, LABELS, (0.7, 0.1))
    first, second = torch.autograd.grad(loss, outputs)
    assert float(first.abs().max()) > 0
    torch.testing.assert_close(first, 7.0 * second)


def test_number_of_weights_must_be_the_number_of_views() -> None:
    with pytest.raises(ValueError, match="zip"):
        classification_loss([log([[0.5, 0.5]] * 2)], LABELS, (0.5, 0.5))
