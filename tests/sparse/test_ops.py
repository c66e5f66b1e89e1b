from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch import Tensor

from cogsl.sparse import (
    Pattern,
    SparseMatrix,
    add_both_ways,
    columns_to_entries,
    row_sums,
    rows_to_entries,
    sampled_product,
    scope_softmax,
    symmetric_normalise,
    use_kernels,
)
from cogsl.sparse.kernels import KERNELS
from cogsl.sparse.ops import column_sums
from tests.sparse.strategies import matrices


@pytest.fixture(params=sorted(KERNELS))
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    with use_kernels(request.param):
        yield request.param


def _asymmetric(n: int = 7, seed: int = 0) -> sp.csr_array:
    """A matrix with an empty row, an empty column and no symmetry."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((n, n)) < 0.4, rng.uniform(0.2, 1.0, (n, n)), 0.0)
    dense[2, :] = 0.0
    dense[:, 4] = 0.0
    return sp.csr_array(dense)


def _parts(matrix: sp.csr_array) -> tuple[Pattern, Tensor]:
    values = torch.tensor(matrix.data, dtype=torch.float64, requires_grad=True)
    return Pattern.from_scipy(matrix), values


@pytest.mark.parametrize("columns", [1, 5, 8, 20])
def test_product_and_its_gradients_pass_gradcheck(kernels: str, columns: int) -> None:
    pattern, values = _parts(_asymmetric())
    dense = torch.randn(7, columns, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v, x: SparseMatrix(pattern, v) @ x, (values, dense))


@pytest.mark.parametrize("columns", [23, 24, 130])
def test_wide_product_and_its_gradients_equal_the_dense_ones(kernels: str, columns: int) -> None:
    matrix = _asymmetric(50)
    dense = torch.randn(columns, 50).t().requires_grad_()  # its columns, not its rows, are whole
    values = torch.tensor(matrix.data, dtype=torch.float32, requires_grad=True)
    result = SparseMatrix(Pattern.from_scipy(matrix), values) @ dense
    full = torch.tensor(matrix.todense(), dtype=torch.float32)
    pull = torch.randn(50, columns)
    torch.testing.assert_close(result, full @ dense)
    torch.autograd.backward(result, pull)
    torch.testing.assert_close(dense.grad, full.t() @ pull)
    assert values.grad is not None
    torch.testing.assert_close(values.grad, (pull @ dense.detach().t())[full > 0])


def test_wide_product_without_entries_is_zero(kernels: str) -> None:
    empty = SparseMatrix.from_scipy(sp.csr_array((3, 5)), torch.float32)
    assert torch.equal(empty @ torch.randn(5, 64), torch.zeros(3, 64))


def test_sampled_product_passes_gradcheck(kernels: str) -> None:
    pattern, _ = _parts(_asymmetric())
    left, right = (torch.randn(7, 5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda a, b: sampled_product(pattern, a, b), (left, right))


def test_scope_softmax_passes_gradcheck(kernels: str) -> None:
    pattern, values = _parts(_asymmetric())
    assert torch.autograd.gradcheck(lambda w: scope_softmax(pattern, w), (values,))


def test_symmetric_normalise_passes_gradcheck_for_unsymmetric_values(kernels: str) -> None:
    pattern, values = _parts(_asymmetric())
    assert torch.autograd.gradcheck(lambda v: symmetric_normalise(pattern, v), (values,))


def test_spreading_to_entries_passes_gradcheck(kernels: str) -> None:
    pattern, _ = _parts(_asymmetric())
    x = torch.randn(7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: rows_to_entries(pattern, v), (x,))
    assert torch.autograd.gradcheck(lambda v: columns_to_entries(pattern, v), (x,))


def test_rows_of_a_matrix_carry_the_gradient(kernels: str) -> None:
    pattern, values = _parts(_asymmetric())
    dense = torch.randn(7, 3, dtype=torch.float64, requires_grad=True)
    index = torch.tensor([5, 0, 2])
    assert torch.autograd.gradcheck(
        lambda v, x: SparseMatrix(pattern, v).rows(index) @ x, (values, dense)
    )


@given(matrices())
def test_product_equals_the_dense_one(matrix: sp.csr_array) -> None:
    dense = np.random.default_rng(0).normal(size=(matrix.shape[1], 3))
    for name in KERNELS:
        with use_kernels(name):
            result = SparseMatrix.from_scipy(matrix, torch.float64) @ torch.tensor(dense)
        np.testing.assert_allclose(result.numpy(), matrix.toarray() @ dense, atol=1e-12)


@given(matrices())
def test_row_sums_count_every_entry_once(matrix: sp.csr_array) -> None:
    sums = row_sums(Pattern.from_scipy(matrix), torch.tensor(matrix.data))
    np.testing.assert_allclose(sums.numpy(), matrix.sum(axis=1), atol=1e-12)


def test_softmax_by_hand() -> None:
    pattern = Pattern.from_scipy(sp.csr_array(np.array([[1.0, 1.0], [0.0, 1.0]])))
    weights = scope_softmax(pattern, torch.tensor([0.0, np.log(3.0), -7.0]))
    np.testing.assert_allclose(weights.numpy(), [0.25, 0.75, 1.0], atol=1e-6)


def test_softmax_survives_scores_that_overflow_an_exponential() -> None:
    pattern = Pattern.from_scipy(sp.csr_array(np.ones((2, 2))))
    weights = scope_softmax(pattern, torch.tensor([1000.0, 1000.0, -1000.0, -1000.0]))
    assert weights.tolist() == [0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_holds_no_denormal_number(dtype: torch.dtype) -> None:
    pattern = Pattern.from_scipy(sp.csr_array(np.ones((1, 2_001))))
    scores = torch.linspace(-800.0, 0.0, 2_001, dtype=dtype)
    weights = scope_softmax(pattern, scores)
    torch.testing.assert_close(weights, torch.softmax(scores, 0), rtol=1e-4, atol=1e-36)
    stored = weights[weights != 0.0]
    assert 0 < stored.numel() < weights.numel()
    assert stored.min() > torch.finfo(dtype).tiny
    assert stored.min() < 100 * torch.finfo(dtype).tiny


def test_softmax_tells_of_scores_that_are_no_numbers() -> None:
    pattern = Pattern.from_scipy(sp.csr_array(np.ones((2, 2))))
    weights = scope_softmax(pattern, torch.tensor([0.0, torch.nan, 0.0, 0.0]))
    assert weights[:2].isnan().all()
    assert weights[2:].tolist() == [0.5, 0.5]


def test_normalise_by_hand_leaves_an_empty_row_empty() -> None:
    matrix = sp.csr_array(np.array([[0.0, 4.0, 0.0], [4.0, 12.0, 0.0], [0.0, 0.0, 0.0]]))
    pattern = Pattern.from_scipy(matrix)
    values = symmetric_normalise(pattern, torch.tensor(matrix.data))
    np.testing.assert_allclose(values.numpy(), [0.5, 0.5, 0.75])


def test_symmetric_matrix_uses_itself_as_its_transpose() -> None:
    dense = np.array([[1.0, 2.0], [2.0, 0.0]])
    matrix = SparseMatrix.from_scipy(sp.csr_array(dense), torch.float64)
    marked = SparseMatrix(matrix.pattern, matrix.values, symmetric=True)
    x = torch.tensor([[1.0], [3.0]], dtype=torch.float64, requires_grad=True)
    (plain,) = torch.autograd.grad((matrix @ x)[0].sum(), x)
    (quick,) = torch.autograd.grad((marked @ x)[0].sum(), x)
    assert torch.equal(plain, quick)


def test_gradients_are_the_same_bits_each_time() -> None:
    rng = np.random.default_rng(0)
    dense_matrix = np.where(rng.random((500, 500)) < 0.05, rng.random((500, 500)), 0.0)
    matrix = sp.csr_array(dense_matrix)
    pattern = Pattern.from_scipy(matrix)
    dense = torch.randn(500, 16)

    def gradient() -> Tensor:
        values = torch.tensor(matrix.data, dtype=torch.float32, requires_grad=True)
        normal = symmetric_normalise(pattern, scope_softmax(pattern, values))
        loss = (SparseMatrix(pattern, normal) @ dense).tanh().sum()
        (grad,) = torch.autograd.grad(loss, values)
        return grad

    first = gradient()
    assert all(torch.equal(first, gradient()) for _ in range(10))


@pytest.mark.parametrize("many", [False, True])
def test_column_sums_of_few_and_of_many_entries(
    many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cogsl.sparse.ops._MANY_ENTRIES", 0 if many else 100)
    matrix = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 4.0]]))
    pattern = Pattern.from_scipy(matrix)
    sums = column_sums(pattern, torch.tensor(matrix.data))
    assert sums.tolist() == [1.0, 0.0, 6.0]


def test_a_part_is_added_both_ways() -> None:
    # X has entries (0, 1) and (1, 1) of the full 2 x 2 pattern, C is 10 on the diagonal.
    pattern = Pattern.from_scipy(sp.csr_array(np.ones((2, 2)))).symmetrised()
    forth, back = torch.tensor([1, 3], dtype=torch.int32), torch.tensor([2, 3], dtype=torch.int32)
    constant = torch.tensor([10.0, 0.0, 0.0, 10.0], dtype=torch.float64)
    part = torch.tensor([3.0, 0.5], dtype=torch.float64, requires_grad=True)
    values = add_both_ways(pattern, constant, part, forth, back)
    assert values.tolist() == [10.0, 3.0, 3.0, 11.0]

    def by_part(x: Tensor) -> Tensor:
        return add_both_ways(pattern, constant, x, forth, back)

    assert torch.autograd.gradcheck(by_part, (part,))
