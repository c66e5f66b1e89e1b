from __future__ import annotations

import math

import pytest
import torch

from cogsl.nn import dropout, glorot


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("n_in", "n_out"), [(100, 50), (3, 400)])
def test_glorot_fills_its_interval_evenly(n_in: int, n_out: int) -> None:
    weight = glorot(n_in, n_out, generator=generator(), dtype=torch.float64).detach()
    bound = math.sqrt(6 / (n_in + n_out))
    assert weight.shape == (n_in, n_out)
    assert 0.99 * bound < float(weight.abs().max()) <= bound
    assert abs(float(weight.mean())) < 5 * bound / math.sqrt(3 * weight.numel())
    assert float(weight.var()) == pytest.approx(bound**2 / 3, rel=0.1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_glorot_is_a_parameter_of_the_asked_type(dtype: torch.dtype) -> None:
    weight = glorot(2, 3, generator=generator(), dtype=dtype)
    assert isinstance(weight, torch.nn.Parameter)
    assert weight.requires_grad
    assert weight.dtype == dtype


def test_glorot_draws_from_its_generator_only() -> None:
    before = torch.random.get_rng_state()
    source = generator(5)
    first, second = (glorot(4, 4, generator=source, dtype=torch.float32) for _ in range(2))
    again = glorot(4, 4, generator=generator(5), dtype=torch.float32)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.9])
def test_dropout_keeps_the_expectation(rate: float) -> None:
    n = 100_000
    result = dropout(torch.ones(n, dtype=torch.float64), rate, generator=generator())
    spread = math.sqrt(rate / (1 - rate) / n)
    assert float(result.mean()) == pytest.approx(1.0, abs=5 * spread)


def test_dropout_zeroes_or_scales_each_number() -> None:
    x = torch.arange(1.0, 1001.0)
    result = dropout(x, 0.75, generator=generator())
    kept = result != 0
    assert 180 < int(kept.sum()) < 320
    assert torch.equal(result[kept], 4.0 * x[kept])


def test_dropout_passes_the_gradient_of_what_it_kept() -> None:
    x = torch.full((50,), 3.0, requires_grad=True)
    result = dropout(x, 0.5, generator=generator())
    (grad,) = torch.autograd.grad(result.sum(), x)
    assert torch.equal(grad, result.detach() / 3.0)
    assert set(grad.tolist()) == {0.0, 2.0}


def test_dropout_is_off_without_a_generator() -> None:
    x = torch.randn(10, generator=generator())
    assert torch.equal(dropout(x, 0.9, generator=None), x)


def test_rate_zero_keeps_everything_and_draws_nothing() -> None:
    x, source = torch.ones(10), generator()
    before = source.get_state()
    assert torch.equal(dropout(x, 0.0, generator=source), x)
    assert torch.equal(source.get_state(), before)


def test_dropout_leaves_its_input_alone() -> None:
    x = torch.ones(20)
    dropout(x, 0.5, generator=generator())
    assert torch.equal(x, torch.ones(20))
