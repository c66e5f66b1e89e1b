from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from cogsl.mutual_information import MIEstimator, Projector, ViewEncoder


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def tensor(values: object) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def hand_projector() -> Projector:
    """W0 swaps, W1 = ((1, 2), (0, 3)), b0 = (0, -1), b1 = (10, 20)."""
    made = Projector(2, generator=source(), dtype=torch.float64)
    with torch.no_grad():
        made.first.copy_(tensor([[0.0, 1.0], [1.0, 0.0]]))
        made.first_bias.copy_(tensor([0.0, -1.0]))
        made.second.copy_(tensor([[1.0, 2.0], [0.0, 3.0]]))
        made.second_bias.copy_(tensor([10.0, 20.0]))
    return made


def estimator(n_views: int = 2) -> MIEstimator:
    return MIEstimator(3, 2, n_views, generator=source(), dtype=torch.float64)


def test_encoder_lets_a_quarter_of_the_negative_part_through() -> None:
    encoder = ViewEncoder(3, 2, generator=source(), dtype=torch.float64)
    assert encoder(tensor([[-2.0, 4.0]])).tolist() == [[-0.5, 4.0]]


def test_slope_of_the_encoder_is_learned() -> None:
    encoder = ViewEncoder(3, 2, generator=source(), dtype=torch.float64)
    (grad,) = torch.autograd.grad(encoder(tensor([[-2.0, 4.0]])).sum(), encoder.slope)
    assert grad.tolist() == [-2.0]


def test_projection_by_hand() -> None:
    # h = (1, 3): W0 h + b0 = (3, 0), W1 (3, 0) + b1 = (13, 20).
    # h = (0, -2): W0 h + b0 = (-2, -1), ELU e^-2 - 1 and e^-1 - 1.
    a, b = math.expm1(-2.0), math.expm1(-1.0)
    result = hand_projector()(tensor([[1.0, 3.0], [0.0, -2.0]]))
    expected = np.array([[13.0, 20.0], [a + 2 * b + 10, 3 * b + 20]])
    np.testing.assert_allclose(result.detach().numpy(), expected, rtol=0, atol=1e-14)


def test_embeddings_are_unit_rows_in_the_direction_of_the_projection() -> None:
    made = estimator()
    made.projector = hand_projector()
    # (-4, 3) becomes (-1, 3) in the encoder, (3, -2) before ELU.
    e = math.expm1(-2.0)
    expected = np.array([[3 + 2 * e + 10, 3 * e + 20]])
    result = made(0, tensor([[-4.0, 3.0]])).detach().numpy()
    np.testing.assert_allclose(result, expected / np.linalg.norm(expected), rtol=0, atol=1e-14)


@pytest.mark.parametrize("n_views", [2, 3])
def test_every_view_and_the_final_one_has_an_encoder_of_its_own(n_views: int) -> None:
    weights = estimator(n_views).encoder_weights
    assert [tuple(weight.shape) for weight in weights] == [(3, 2)] * (n_views + 1)
    for k, weight in enumerate(weights):
        assert not any(torch.equal(weight, other) for other in weights[:k])


def test_view_uses_its_own_slope_and_the_shared_projector() -> None:
    made = estimator()
    smoothed = tensor([[-1.0, -1.0]])
    assert torch.equal(made(0, smoothed), made(2, smoothed))
    slopes = [encoder.slope for encoder in made.encoders]
    with torch.no_grad():
        slopes[2].fill_(-3.0)  # type: ignore[operator]
    assert not torch.equal(made(0, smoothed), made(2, smoothed))
    weights = [*made.projector.parameters(), *slopes]
    grads = torch.autograd.grad(made(1, smoothed).sum(), weights, allow_unused=True)  # type: ignore[arg-type]
    assert all(grad is not None for grad in grads[:4])
    assert [grad is not None for grad in grads[4:]] == [False, True, False]


def test_node_without_an_embedding_stays_finite() -> None:
    made = estimator()
    smoothed = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    result = made(0, smoothed)  # biases start at zero, so the projection is zero
    assert result.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    (grad,) = torch.autograd.grad(result.sum(), smoothed)
    assert bool(torch.isfinite(grad).all())
