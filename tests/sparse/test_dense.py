"""Dense products: the same numbers by whichever library, in every layout, with their gradients."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from cogsl import machine
from cogsl.losses import infonce
from cogsl.nn import unit_rows
from cogsl.sparse import dense, matmul, product, use_onednn

LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.t().contiguous().t(),
    "some rows": lambda x: torch.cat([x, x])[: len(x)],
    "some columns": lambda x: torch.cat([x, x], dim=1)[:, : x.shape[1]],
    "some columns, transposed": lambda x: torch.cat([x, x]).t().contiguous().t()[: len(x)],
}

with use_onednn(True):
    WORKS = dense._uses_onednn
needs_onednn = pytest.mark.skipif(not WORKS, reason="this build of PyTorch has no oneDNN")


def random(n: int, m: int, seed: int = 0) -> Tensor:
    return torch.randn(n, m, generator=torch.Generator().manual_seed(seed))


@needs_onednn
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_both_libraries_give_the_same_product(left: str, right: str) -> None:
    A, B = random(150, 120), random(120, 90, seed=1)
    expected = (A.double() @ B.double()).float()
    for allowed in (True, False):
        with use_onednn(allowed):
            found = product(LAYOUTS[left](A), LAYOUTS[right](B))
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-5)


@needs_onednn
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("left", LAYOUTS)
def test_no_layout_is_far_slower_than_the_best(left: str, right: str) -> None:
    """For operands cut out of wider matrices oneDNN itself takes a hundred times as long."""
    A, B = LAYOUTS[left](random(300, 300)), LAYOUTS[right](random(300, 300, seed=1))

    def seconds(X: Tensor, Y: Tensor) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            product(X, Y)
            times.append(time.perf_counter() - start)
        return min(times)

    with use_onednn(True):
        assert seconds(A, B) < 20 * seconds(random(300, 300), random(300, 300)) + 0.01


@needs_onednn
def test_large_products_of_float32_are_made_by_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, ...]] = []
    by_onednn = dense._by_onednn

    def noted(left: Tensor, right: Tensor) -> Tensor:
        seen.append((*left.shape, right.shape[1]))
        return by_onednn(left, right)

    with use_onednn(True):
        monkeypatch.setattr(dense, "_by_onednn", noted)
        product(random(128, 128), random(128, 64))
        product(random(128, 127), random(127, 64))  # too small
        product(random(128, 128).double(), random(128, 64).double())
    with use_onednn(False):
        product(random(128, 128), random(128, 64))
    assert seen == [(128, 128, 64)]


@needs_onednn
def test_the_same_operands_give_the_same_bits() -> None:
    A, B = random(300, 200), random(200, 100, seed=1)
    with use_onednn(True):
        first = product(A, B)
        for shift in range(8):  # memory that is aligned in other ways
            memory = torch.empty(A.numel() + shift)
            moved = memory[shift:].view(A.shape).copy_(A)
            assert torch.equal(product(moved, B), first)


@pytest.mark.parametrize("allowed", [True, False])
def test_gradients_are_those_of_autograd(allowed: bool) -> None:
    A, B = random(130, 110).requires_grad_(), random(110, 90, seed=1).requires_grad_()
    pull = random(130, 90, seed=2)
    expected = torch.autograd.grad((A @ B * pull).sum(), [A, B])
    with use_onednn(allowed):
        found = torch.autograd.grad((matmul(A, B) * pull).sum(), [A, B])
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-5)


def test_gradients_have_gradients() -> None:
    A, B = random(3, 4).double().requires_grad_(), random(4, 2, seed=1).double().requires_grad_()
    assert torch.autograd.gradgradcheck(matmul, (A, B))


def test_only_the_gradients_that_are_needed_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    A, B = random(3, 4), random(4, 2, seed=1).requires_grad_()
    result = matmul(A, B).sum()
    shapes: list[tuple[int, int]] = []

    def noted(left: Tensor, right: Tensor) -> Tensor:
        shapes.append((len(left), right.shape[1]))
        return left @ right

    monkeypatch.setattr(dense, "product", noted)
    torch.autograd.grad(result, [B])
    assert shapes == [(4, 2)]


def test_the_result_lies_in_the_space_that_was_given() -> None:
    space = torch.empty(2, 2)
    with use_onednn(False):
        found = product(torch.eye(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), space=space)
    assert found is space
    assert space.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@needs_onednn
def test_a_loss_is_the_same_by_both_libraries() -> None:
    left = unit_rows(random(200, 64)).requires_grad_()
    right = unit_rows(random(200, 64, seed=1)).requires_grad_()
    figures = []
    for allowed in (True, False):
        with use_onednn(allowed):
            loss = infonce(left, right, 0.2)
            figures.append((loss, *torch.autograd.grad(loss, [left, right])))
    torch.testing.assert_close(figures[0], figures[1])


# Which of both ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("maker", "capability", "works", "expected"),
    [
        ("AuthenticAMD", "AVX512", True, True),
        ("GenuineIntel", "AVX512", True, False),
        ("AuthenticAMD", "AVX2", True, False),
        ("", "AVX512", True, False),
        ("AuthenticAMD", "AVX512", False, False),
    ],
)
def test_onednn_is_used_where_mkl_holds_back(
    maker: str, capability: str, works: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "processor_maker", lambda: maker)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(dense, "_onednn_works", lambda: works)
    assert dense._onednn_is_faster() is expected


def test_without_the_operator_products_are_made_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object) -> Tensor:
        raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_linear_pointwise'")

    monkeypatch.setattr(dense, "_by_onednn", gone)
    with use_onednn(True):
        assert bool((product(torch.ones(200, 200), torch.ones(200, 200)) == 200.0).all())


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\n", "AuthenticAMD"),
        ("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n", ""),
        (None, "GenuineIntel"),
    ],
)
def test_the_maker_is_what_the_processor_says(
    text: str | None, maker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_PROC", tmp_path)
    monkeypatch.setattr(
        "cogsl.machine.platform.processor", lambda: "Intel64 Family 6 Model 158, GenuineIntel"
    )
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    assert machine.processor_maker() == maker
