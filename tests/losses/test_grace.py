from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from cogsl.errors import SettingValueError
from cogsl.losses import grace_loss, infonce


def unit_rows(n: int, d: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(n, d, generator=generator, dtype=torch.float64))


def dense_loss(left: Tensor, right: Tensor, tau: float) -> Tensor:
    """The paper's formula with every N x N matrix held whole."""

    def one_way(u: Tensor, v: Tensor) -> Tensor:
        others = ~torch.eye(len(u), dtype=torch.bool)
        between, within = (u @ v.t() / tau).exp(), (u @ u.t() / tau).exp()
        return -torch.log(between.diagonal() / (between.sum(1) + (within * others).sum(1)))

    return 0.5 * (one_way(left, right) + one_way(right, left)).mean()


def test_two_nodes_by_hand() -> None:
    left = torch.eye(2, dtype=torch.float64)
    right = torch.tensor([[1.0, 0.0], [0.6, 0.8]], dtype=torch.float64)
    e = math.exp
    # u1: v1, v2 and u2;  u2: v2, v1 and u1;  v1: u1, u2 and v2;  v2: u2, u1 and v1.
    shares = [
        e(1) / (e(1) + e(0.6) + e(0)),
        e(0.8) / (e(0.8) + e(0) + e(0)),
        e(1) / (e(1) + e(0) + e(0.6)),
        e(0.8) / (e(0.8) + e(0.6) + e(0.6)),
    ]
    expected = -sum(map(math.log, shares)) / 4
    assert float(grace_loss(left, right, 1.0)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tau", [0.2, 0.9])
@pytest.mark.parametrize("block_bytes", [1, 8 * 13 * 4, 1 << 26])
def test_loss_and_gradient_agree_with_the_dense_formula(tau: float, block_bytes: int) -> None:
    left, right = (unit_rows(13, 5, seed).requires_grad_() for seed in (0, 1))
    fused, dense = (
        grace_loss(left, right, tau, block_bytes=block_bytes),
        dense_loss(left, right, tau),
    )
    assert float(fused.detach()) == pytest.approx(float(dense.detach()), abs=1e-12)
    for ours, theirs in zip(
        torch.autograd.grad(fused, (left, right)),
        torch.autograd.grad(dense, (left, right)),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("block_bytes", [1, 8 * 7 * 3, 1 << 26])
def test_fused_gradient_passes_gradcheck_in_any_blocks(block_bytes: int) -> None:
    left, right = (unit_rows(7, 4, seed).requires_grad_() for seed in (0, 1))
    assert torch.autograd.gradcheck(
        lambda a, b: grace_loss(a, b, 0.4, block_bytes=block_bytes), (left, right)
    )


def test_the_same_tensor_on_both_sides_is_no_special_case() -> None:
    view = unit_rows(9, 4, 0).requires_grad_()
    fused, dense = grace_loss(view, view, 0.5), dense_loss(view, view, 0.5)
    torch.testing.assert_close(
        torch.autograd.grad(fused, view)[0], torch.autograd.grad(dense, view)[0]
    )


def test_negatives_of_the_own_view_raise_the_loss_above_infonce() -> None:
    left, right = unit_rows(20, 6, 0), unit_rows(20, 6, 1)
    assert grace_loss(left, right, 0.5) > infonce(left, right, 0.5)


def test_small_temperature_neither_overflows_nor_vanishes() -> None:
    left = unit_rows(20, 6, 0)
    narrow = grace_loss(left.float(), -left.float(), 0.01)
    assert narrow.dtype == torch.float32
    assert float(narrow) == pytest.approx(float(dense_loss(left, -left, 0.01)), rel=1e-5)


def test_temperature_below_the_least_is_refused() -> None:
    with pytest.raises(SettingValueError, match="temperature"):
        grace_loss(unit_rows(2, 2, 0), unit_rows(2, 2, 1), 0.001)


def test_single_node_carries_no_loss() -> None:
    assert float(grace_loss(unit_rows(1, 3, 0), unit_rows(1, 3, 0), 0.5)) == pytest.approx(0.0)
