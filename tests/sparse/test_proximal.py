from __future__ import annotations

import pytest
import torch
from torch import Tensor

from cogsl.sparse.proximal import (
    LeadingThreshold,
    SymmetricThreshold,
    singular_value_threshold_,
    soft_threshold_,
)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def with_spectrum(values: Tensor, *, seed: int = 0) -> Tensor:
    """Return a symmetric matrix with these eigenvalues in a random basis."""
    n = len(values)
    basis = torch.linalg.qr(torch.randn(n, n, generator=generator(seed), dtype=values.dtype)).Q
    matrix: Tensor = (basis * values) @ basis.T
    return matrix


def shrunk_by_svd(matrix: Tensor, threshold: float) -> Tensor:
    U, values, Vt = torch.linalg.svd(matrix)
    shrunk: Tensor = U @ torch.diag((values - threshold).clamp(min=0.0)) @ Vt
    return shrunk


def few_large(n: int = 300, rank: int = 12) -> Tensor:
    """Return eigenvalues of both signs: some well above 1, the others below 0.1."""
    small = torch.linspace(-0.1, 0.1, n - rank, dtype=torch.float64)
    large = torch.linspace(1.5, 9.0, rank, dtype=torch.float64)
    large[::2] *= -1
    return torch.cat([small, large])


def test_soft_threshold_entry_by_entry_and_in_place() -> None:
    matrix = torch.tensor([[2.0, -2.0], [0.5, -0.5], [1.0, 0.0]])
    assert soft_threshold_(matrix, 0.75) is matrix
    assert matrix.tolist() == [[1.25, -1.25], [0.0, 0.0], [0.25, 0.0]]


def test_singular_values_are_lowered_by_hand() -> None:
    # singular values 3 and 1 along the axes
    matrix = torch.tensor([[0.0, -3.0], [1.0, 0.0]])
    left = singular_value_threshold_(matrix, 1.0)
    torch.testing.assert_close(matrix, torch.tensor([[0.0, -2.0], [0.0, 0.0]]))
    assert left.rank == 1
    assert left.nuclear_norm == pytest.approx(2.0)


def test_singular_value_threshold_is_the_minimum_of_its_objective() -> None:
    Z = torch.randn(6, 6, generator=generator(), dtype=torch.float64)
    S = Z.clone()
    singular_value_threshold_(S, 0.8)

    def objective(matrix: Tensor) -> float:
        nuclear = torch.linalg.matrix_norm(matrix, ord="nuc")
        return float(0.5 * (matrix - Z).square().sum() + 0.8 * nuclear)

    for seed in range(20):
        change = torch.randn(6, 6, generator=generator(seed), dtype=torch.float64)
        assert objective(S) < objective(S + 1e-3 * change)


@pytest.mark.parametrize("threshold", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("small", [1000, 10])
def test_the_symmetric_operator_equals_that_of_singular_values(
    threshold: float, small: int
) -> None:
    matrix = with_spectrum(few_large())
    expected = matrix.clone()
    kept = singular_value_threshold_(expected, threshold)
    found = matrix.clone()
    left = SymmetricThreshold(generator=generator(), small=small)(found, threshold)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)
    assert torch.equal(found, found.T)
    assert left.rank == kept.rank
    assert left.nuclear_norm == pytest.approx(kept.nuclear_norm)


def count_whole(monkeypatch: pytest.MonkeyPatch, n: int) -> list[int]:
    """Note each decomposition of an n x n matrix from now on."""
    whole, decompose = [], torch.linalg.eigh

    def noted(matrix: Tensor) -> tuple[Tensor, Tensor]:
        if len(matrix) == n:
            whole.append(n)
        values, vectors = decompose(matrix)
        return values, vectors

    monkeypatch.setattr(torch.linalg, "eigh", noted)
    return whole


def test_a_block_is_as_good_as_its_tolerance_says(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = SymmetricThreshold(generator=generator(), tolerance=0.01, small=10)
    matrix, threshold = with_spectrum(few_large()), 0.3
    operator(matrix.clone(), threshold)
    whole = count_whole(monkeypatch, len(matrix))
    for seed in range(5):
        noise = torch.randn(300, 300, generator=generator(seed), dtype=torch.float64)
        matrix += 2e-3 * (noise + noise.T)
        expected, found = shrunk_by_svd(matrix, threshold), matrix.clone()
        left = operator(found, threshold)
        assert left.rank == 12
        assert (found - expected).norm() <= 0.01 * threshold * 12**0.5
        assert (found - expected).norm() > 0.0
    assert whole == []


def test_a_block_grows_until_it_holds_all_that_is_above_the_threshold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operator = SymmetricThreshold(generator=generator(), small=10)
    matrix = with_spectrum(few_large(rank=12))
    operator(matrix.clone(), 0.3)
    whole = count_whole(monkeypatch, 300)
    matrix += with_spectrum(few_large(rank=60), seed=5)
    expected, found = shrunk_by_svd(matrix, 0.3), matrix.clone()
    left = operator(found, 0.3)
    assert whole == []
    assert left.rank == 72
    assert (found - expected).norm() <= 0.01 * 0.3 * 72**0.5


def test_all_vectors_are_computed_where_a_block_would_hold_most_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operator = SymmetricThreshold(generator=generator(), small=10)
    operator(with_spectrum(few_large(rank=12)), 0.3)
    whole = count_whole(monkeypatch, 300)
    matrix = with_spectrum(few_large(rank=250), seed=3)
    expected = shrunk_by_svd(matrix, 0.3)
    assert operator(matrix, 0.3).rank == 250
    assert whole == [300]
    torch.testing.assert_close(matrix, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 9, 17])
def test_matrices_of_any_size_are_put_together_again(n: int) -> None:
    values = torch.arange(1.0, n + 1, dtype=torch.float64)
    matrix = with_spectrum(values)
    expected = shrunk_by_svd(matrix, 0.5)
    SymmetricThreshold(generator=generator())(matrix, 0.5)
    torch.testing.assert_close(matrix, expected)


def test_nothing_is_left_below_the_threshold() -> None:
    operator = SymmetricThreshold(generator=generator(), small=10)
    for _ in range(2):
        matrix = with_spectrum(few_large())
        assert operator(matrix, 10.0) == (0, 0.0)
        assert not matrix.any()


# Truncated ----------------------------------------------------------------------------------------


def test_only_the_leading_values_are_lowered() -> None:
    values = torch.tensor([9.0, -7.0, 5.0, -0.4, 0.3, 0.2] + [0.0] * 34, dtype=torch.float64)
    lowered = torch.tensor([8.0, -6.0, 5.0, -0.4, 0.3, 0.2] + [0.0] * 34, dtype=torch.float64)
    matrix = with_spectrum(values)
    left = LeadingThreshold(generator=generator(), rank=2)(matrix, 1.0)
    torch.testing.assert_close(matrix, with_spectrum(lowered))
    assert torch.equal(matrix, matrix.T)
    assert left.rank == 2
    assert left.nuclear_norm == pytest.approx(14.0)


def test_leading_values_below_the_threshold_are_taken_away() -> None:
    values = torch.tensor([9.0, -7.0, 0.5, 0.1] + [0.0] * 36, dtype=torch.float64)
    lowered = torch.tensor([8.0, -6.0, 0.0, 0.1] + [0.0] * 36, dtype=torch.float64)
    matrix = with_spectrum(values)
    left = LeadingThreshold(generator=generator(), rank=3)(matrix, 1.0)
    torch.testing.assert_close(matrix, with_spectrum(lowered))
    assert left.rank == 2


def test_truncated_it_is_the_operator_of_a_matrix_of_low_rank() -> None:
    values = torch.zeros(300, dtype=torch.float64)
    values[:20] = torch.linspace(-4.0, 5.0, 20)
    matrix = with_spectrum(values)
    expected = shrunk_by_svd(matrix, 0.7)
    LeadingThreshold(generator=generator(), rank=20)(matrix, 0.7)
    torch.testing.assert_close(matrix, expected)


def test_what_is_not_lowered_is_off_by_the_threshold_at_most() -> None:
    threshold, rank = 0.3, 30
    noise = torch.randn(200, 200, generator=generator(), dtype=torch.float64)
    matrix = (noise + noise.T) / 8
    expected = shrunk_by_svd(matrix, threshold)
    operator = LeadingThreshold(generator=generator(), rank=rank)
    for _ in range(10):  # so that the vectors are the leading ones
        found = matrix.clone()
        operator(found, threshold)
    assert float(torch.linalg.matrix_norm(found - matrix, ord=2)) <= threshold * (1 + 1e-9)
    difference = found - expected
    assert float(torch.linalg.matrix_norm(difference, ord=2)) <= threshold * 1.001
    assert float(difference.norm()) <= threshold * (200 - rank) ** 0.5


def test_truncated_it_follows_a_matrix_that_changes_with_one_product_a_call() -> None:
    """Also a direction that was not there before is found after some calls."""
    operator, matrix = LeadingThreshold(generator=generator(), rank=12), with_spectrum(few_large())
    operator(matrix.clone(), 0.3)
    new = torch.randn(300, generator=generator(7), dtype=torch.float64)
    matrix += 12.0 * torch.outer(new, new) / new.square().sum()
    values = torch.linalg.eigvalsh(matrix)
    values = values[values.abs().argsort(descending=True)][:12]
    for _ in range(8):
        changed = matrix.clone()
        left = operator(changed, 0.3)
    assert left.nuclear_norm == pytest.approx(float((values.abs() - 0.3).sum()), rel=1e-4)
    found = torch.linalg.eigvalsh(changed)
    found = found[found.abs().argsort(descending=True)][:12]
    torch.testing.assert_close(
        found.abs().sort()[0], values.abs().sort()[0] - 0.3, atol=1e-3, rtol=0
    )


@pytest.mark.parametrize("n", [1, 2, 9, 17])
def test_more_leading_values_than_there_are_means_all(n: int) -> None:
    matrix = with_spectrum(torch.arange(1.0, n + 1, dtype=torch.float64))
    operator = LeadingThreshold(generator=generator(), rank=20)
    for _ in range(2):
        expected = shrunk_by_svd(matrix, 0.5)
        operator(matrix, 0.5)
        torch.testing.assert_close(matrix, expected)
