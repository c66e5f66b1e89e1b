from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from cogsl.sparse import Pattern, SparseMatrix, symmetric_normalise, use_kernels
from cogsl.sparse.double import (
    NormalisedPairs,
    Pairs,
    constant_product,
    pair_product,
    pair_sampled,
)
from cogsl.sparse.kernels import KERNELS
from tests.sparse.strategies import matrices


@pytest.fixture(params=sorted(KERNELS))
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    with use_kernels(request.param):
        yield request.param


def one_way(n: int = 6, seed: int = 0) -> sp.csr_array:
    """A matrix with entries in one direction, in both, on the diagonal, and an empty node 2."""
    rng = np.random.default_rng(seed)
    mask = rng.random((n, n)) < 0.4
    mask[2, :] = mask[:, 2] = False
    mask[0, 0] = mask[0, 1] = mask[1, 0] = True
    return sp.csr_array(mask.astype(np.float64))


def random(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()


def chances(pairs: Pairs) -> Tensor:
    generator = torch.Generator().manual_seed(9)
    return torch.rand(len(pairs), generator=generator, dtype=torch.float64).requires_grad_()


def as_matrix(pairs: Pairs, numbers: Tensor) -> Tensor:
    """Return A as a dense matrix, entry by entry."""
    matrix = torch.zeros(pairs.n_nodes, pairs.n_nodes, dtype=torch.float64)
    ends = zip(pairs.upper.row.tolist(), pairs.upper.col.tolist(), strict=True)
    for (i, j), number in zip(ends, numbers.tolist(), strict=True):
        matrix[i, j] = matrix[j, i] = number
    return matrix


def test_three_pairs_by_hand() -> None:
    # 0-1 is stored both ways, 1-2 backwards, 0-3 forwards; 3's loop is no pair.
    rows, columns = [0, 1, 2, 0, 3], [1, 0, 1, 3, 3]
    pairs = Pairs.from_scipy(sp.csr_array((np.ones(5), (rows, columns)), shape=(4, 4)))
    assert len(pairs) == 3
    assert pairs.upper.row.tolist() == [0, 0, 1]
    assert pairs.upper.col.tolist() == [1, 3, 2]
    assert pairs.both.col.tolist() == [1, 3, 0, 2, 1, 0]
    assert pairs.pair.tolist() == [0, 1, 0, 2, 2, 1]
    numbers, x = torch.tensor([2.0, 3.0, 5.0]), torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    assert pair_product(pairs, numbers, x).flatten().tolist() == [3020.0, 502.0, 50.0, 3.0]
    assert pair_sampled(pairs, x, x + 1).tolist() == [11 + 20, 1001 + 2000, 1010 + 1100]


@given(matrices(square=True))
def test_pairs_are_what_is_stored_off_the_diagonal(matrix: sp.csr_array) -> None:
    pairs = Pairs.from_scipy(matrix)
    mask = matrix.toarray() > 0
    expected = np.triu(mask | mask.T, 1)
    assert np.array_equal(pairs.upper.to_scipy().toarray() > 0, expected)
    assert np.array_equal(pairs.both.to_scipy().toarray() > 0, expected | expected.T)
    numbers = torch.arange(1.0, len(pairs) + 1, dtype=torch.float64)
    x = torch.eye(pairs.n_nodes, dtype=torch.float64)
    assert torch.equal(pair_product(pairs, numbers, x), as_matrix(pairs, numbers))


def test_pair_product_passes_both_gradchecks(kernels: str) -> None:
    pairs = Pairs.from_scipy(one_way())
    inputs = chances(pairs), random(6, 3)
    assert gradcheck(lambda a, x: pair_product(pairs, a, x), inputs)
    assert gradgradcheck(lambda a, x: pair_product(pairs, a, x), inputs)


def test_pair_sampled_passes_both_gradchecks(kernels: str) -> None:
    pairs = Pairs.from_scipy(one_way())
    inputs = random(6, 3), random(6, 3, seed=1)
    assert gradcheck(lambda a, b: pair_sampled(pairs, a, b), inputs)
    assert gradgradcheck(lambda a, b: pair_sampled(pairs, a, b), inputs)


def test_normalised_pairs_pass_both_gradchecks(kernels: str) -> None:
    pairs = Pairs.from_scipy(one_way())
    inputs = chances(pairs), random(6, 3)
    assert gradcheck(lambda a, x: NormalisedPairs(pairs, a) @ x, inputs)
    assert gradgradcheck(lambda a, x: NormalisedPairs(pairs, a) @ x, inputs)


@pytest.mark.parametrize("sparse", [False, True])
def test_constant_product_passes_both_gradchecks_of_a_curved_function(sparse: bool) -> None:
    matrix = SparseMatrix.from_scipy(one_way()[:, :4], torch.float64)
    constant = matrix if sparse else torch.tensor(one_way()[:, :4].toarray())
    weight = random(4, 2)
    assert gradcheck(lambda w: constant_product(constant, w).exp(), (weight,))
    assert gradgradcheck(lambda w: constant_product(constant, w).exp(), (weight,))


def test_a_third_derivative_is_right_too() -> None:
    pairs = Pairs.from_scipy(one_way())
    numbers = chances(pairs)
    dense = as_matrix(pairs, numbers.detach())
    x = torch.ones(6, 1, dtype=torch.float64)
    # f = 1' A^3 1 has the third differential 6 * 1' dA^3 1 in the direction dA = A.
    f = x.T @ pair_product(
        pairs, numbers, pair_product(pairs, numbers, pair_product(pairs, numbers, x))
    )
    for _ in range(3):
        (gradient,) = torch.autograd.grad(f, numbers, create_graph=True)
        f = gradient @ numbers.detach()
    torch.testing.assert_close(f, 6 * (x.T @ dense @ dense @ dense @ x).squeeze())


@pytest.mark.parametrize("values", ["fractions", "zeros and ones"])
def test_normalised_pairs_agree_with_symmetric_normalise(values: str) -> None:
    pairs = Pairs.from_scipy(one_way())
    numbers = chances(pairs).detach()
    if values == "zeros and ones":
        numbers = numbers.round()
        assert 0 < numbers.sum() < len(pairs)
    looped = sp.csr_array((as_matrix(pairs, numbers) + torch.eye(6)).numpy())
    pattern = Pattern.from_scipy(looped)
    normal = symmetric_normalise(pattern, torch.tensor(looped.data))
    x = random(6, 3).detach()
    expected = torch.tensor(pattern.to_scipy(normal).toarray()) @ x
    torch.testing.assert_close(NormalisedPairs(pairs, numbers) @ x, expected)


def test_no_pairs_at_all_are_no_hindrance(kernels: str) -> None:
    pairs = Pairs.from_scipy(sp.csr_array((3, 3)))
    numbers, x = torch.empty(0, dtype=torch.float64, requires_grad=True), random(3, 2)
    product = NormalisedPairs(pairs, numbers) @ x
    assert torch.equal(product, x)
    (gradient,) = torch.autograd.grad(product.sum(), numbers)
    assert gradient.shape == (0,)
