from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from cogsl.nn import prelu, unit_rows


def numbers(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)


def test_gradients_of_prelu_are_those_of_its_equation() -> None:
    slope = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(prelu, (numbers(5, 4), slope))


def test_held_slope_gets_no_gradient() -> None:
    x, slope = numbers(5, 4), torch.tensor([0.3], dtype=torch.float64)
    result = prelu(x, slope)
    assert torch.equal(result, functional.prelu(x, slope))
    (grad,) = torch.autograd.grad(result.sum(), x)
    assert torch.equal(grad, torch.where(x > 0, 1.0, slope))


def test_unit_rows_by_hand() -> None:
    x = torch.tensor([[3.0, 4.0], [0.0, -2.0], [0.0, 0.0]])
    assert torch.equal(unit_rows(x), torch.tensor([[0.6, 0.8], [0.0, -1.0], [0.0, 0.0]]))


def test_gradient_of_unit_rows_is_that_of_its_equation() -> None:
    assert torch.autograd.gradcheck(unit_rows, (numbers(5, 4),))


def test_rows_shorter_than_the_least_norm_are_scaled_alike() -> None:
    x = numbers(6, 4)
    (ours,) = torch.autograd.grad(unit_rows(x, 1.7).sin().sum(), x)
    (theirs,) = torch.autograd.grad(functional.normalize(x, eps=1.7).sin().sum(), x)
    assert 0 < (x.norm(dim=1) < 1.7).sum() < len(x)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-14)
