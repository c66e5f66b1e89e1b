from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.optim import SGD

from cogsl.training import adam, descend, held_still


def test_held_modules_get_no_gradient_and_the_others_do() -> None:
    still, moving = nn.Linear(2, 2), nn.Linear(2, 1)
    with held_still(still):
        loss = moving(still(torch.ones(1, 2))).sum()
        torch.autograd.backward(loss)
    assert all(parameter.grad is None for parameter in still.parameters())
    assert all(parameter.grad is not None for parameter in moving.parameters())


def test_parameters_are_free_again_after_the_scope() -> None:
    modules = nn.Linear(2, 2), nn.Linear(2, 1)
    with held_still(*modules):
        assert not any(p.requires_grad for module in modules for p in module.parameters())
    assert all(p.requires_grad for module in modules for p in module.parameters())


def test_parameters_are_free_again_after_an_exception() -> None:
    module = nn.Linear(2, 2)

    def fail() -> None:
        with held_still(module):
            raise KeyError("inside")

    with pytest.raises(KeyError):
        fail()
    assert all(p.requires_grad for p in module.parameters())


def test_parameter_that_was_frozen_before_stays_frozen() -> None:
    module = nn.Linear(2, 2)
    module.bias.requires_grad_(False)
    with held_still(module):
        pass
    assert not module.bias.requires_grad
    assert module.weight.requires_grad


def test_descend_takes_one_step_down_the_gradient() -> None:
    x = nn.Parameter(torch.tensor([3.0, -1.0]))
    descend(x.square().sum(), SGD([x], lr=0.25))
    assert x.tolist() == [1.5, -0.5]  # x - 0.25 * 2 x


def test_descend_forgets_the_gradient_of_the_step_before() -> None:
    x = nn.Parameter(torch.tensor([4.0]))
    optimiser = SGD([x], lr=0.25)
    for _ in range(3):
        descend(x.square().sum(), optimiser)
    assert x.tolist() == [0.5]


def test_adam_is_the_textbook_one_with_weight_decay_in_the_gradient() -> None:
    x = nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    optimiser = adam([x], lr=0.1, weight_decay=0.5)
    descend(3.0 * x.sum(), optimiser)  # gradient 3 + 0.5 * 2 = 4; the first step has length lr
    assert float(x.detach()) == pytest.approx(2.0 - 0.1, abs=1e-8)
    assert float(optimiser.state[x]["exp_avg"]) == pytest.approx(0.1 * 4.0, abs=1e-12)


def test_adam_agrees_with_the_plain_implementation() -> None:
    fast, plain = (nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.float64)) for _ in range(2))
    optimisers = adam([fast], lr=0.05, weight_decay=0.01), torch.optim.Adam([plain], lr=0.05)
    optimisers[1].param_groups[0]["weight_decay"] = 0.01
    for _ in range(20):
        for x, optimiser in zip((fast, plain), optimisers, strict=True):
            descend((x - 3.0).pow(4).sum(), optimiser)
    torch.testing.assert_close(fast, plain, rtol=1e-10, atol=1e-12)
