from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from cogsl.losses import infonce


def _unit_rows(n: int, d: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(n, d, generator=generator, dtype=torch.float64))


def test_two_nodes_by_hand() -> None:
    left = torch.eye(2, dtype=torch.float64)
    right = torch.tensor([[1.0, 0.0], [0.6, 0.8]], dtype=torch.float64)
    e = math.exp
    rows = [e(1) / (e(1) + e(0.6)), e(0.8) / (e(0) + e(0.8))]
    columns = [e(1) / (e(1) + e(0)), e(0.8) / (e(0.6) + e(0.8))]
    expected = -sum(map(math.log, rows + columns)) / 4
    assert float(infonce(left, right, 1.0)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("block_bytes", [1, 8 * 11 * 4, 1 << 26])
def test_fused_gradient_passes_gradcheck_in_any_blocks(block_bytes: int) -> None:
    left, right = (_unit_rows(11, 4, seed).requires_grad_() for seed in (0, 1))
    assert torch.autograd.gradcheck(
        lambda a, b: infonce(a, b, 0.4, block_bytes=block_bytes), (left, right)
    )


def test_blocks_change_nothing() -> None:
    left, right = _unit_rows(50, 8, 0), _unit_rows(50, 8, 1)
    whole, split = infonce(left, right, 0.3), infonce(left, right, 0.3, block_bytes=1000)
    assert float(whole) == pytest.approx(float(split), abs=1e-12)


def test_small_temperature_neither_overflows_nor_vanishes() -> None:
    left = _unit_rows(20, 6, 0).float()
    fast = infonce(left, -left, 0.026)
    slow = infonce(left, -left, 0.0249)
    assert torch.isfinite(fast)
    assert torch.isfinite(slow)
    assert float(slow) == pytest.approx(float(fast), rel=0.1)


def test_equal_views_have_more_information_than_unrelated_ones() -> None:
    left = _unit_rows(64, 16, 0)
    assert infonce(left, left, 0.5) < infonce(left, _unit_rows(64, 16, 1), 0.5)


def test_single_node_carries_no_loss() -> None:
    row = _unit_rows(1, 3, 0)
    assert float(infonce(row, row, 0.5)) == pytest.approx(0.0, abs=1e-12)
