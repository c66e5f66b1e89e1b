from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, eye_array

from cogsl.sparse import resolvent
from cogsl.sparse.resolvent import chebyshev_series, exact_resolvent, visit_resolvent

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def contraction(n: int, *, seed: int) -> csr_array:
    """Draw a symmetric matrix whose largest eigenvalue is 1 or -1 in absolute value."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.uniform(-1, 1, (n, n)) * (rng.random((n, n)) < 4 / n))
    G = half + half.T
    return csr_array(G / max(np.abs(np.linalg.eigvalsh(G)).max(), 1e-3))


def iterated(G: csr_array, *, damping: float, tolerance: float) -> FloatArray:
    S = np.zeros(G.shape)

    def add(rows: IntArray, block: FloatArray) -> None:
        S[rows] += block  # so that a row visited twice counts twice

    visit_resolvent(G, add, damping=damping, tolerance=tolerance)
    return S


def test_the_resolvent_of_two_joined_nodes_by_hand() -> None:
    # (I - c G)^-1 = 1 / (1 - c^2) [[1, c], [c, 1]] for G = [[0, 1], [1, 0]].
    G = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    expected = 0.2 / (1 - 0.64) * np.array([[1, 0.8], [0.8, 1]])
    np.testing.assert_allclose(exact_resolvent(G, damping=0.8).toarray(), expected, atol=1e-11)
    found = iterated(G, damping=0.8, tolerance=1e-12)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("damping", [0.0, 0.3, 0.8, 0.95])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_no_iterated_entry_is_off_by_more_than_the_tolerance(
    damping: float, tolerance: float
) -> None:
    for seed in range(3):
        G = contraction(30, seed=seed)
        exact = exact_resolvent(G, damping=damping).toarray()
        found = iterated(G, damping=damping, tolerance=tolerance)
        assert np.abs(found - exact).max() <= tolerance + 1e-11


@given(st.floats(0, 0.99), st.floats(1e-12, 0.5))
def test_the_series_is_as_near_to_its_function_as_it_says(damping: float, tolerance: float) -> None:
    x = np.cos(np.linspace(0, np.pi, 201))
    first, *others = chebyshev_series(damping, tolerance)
    found = np.polynomial.chebyshev.chebval(x, [first / 2, *others])
    assert np.abs(found - (1 - damping) / (1 - damping * x)).max() <= tolerance + 1e-13


def test_the_series_has_no_more_terms_than_it_needs() -> None:
    for damping in (0.3, 0.8, 0.95):
        first, *others = chebyshev_series(damping, 1e-6)
        # All terms have one sign at x = 1: one term fewer is off there by more than allowed.
        shorter = first / 2 + sum(others[:-1])
        assert abs(shorter - 1) > 1e-6


def test_the_terms_halve_at_a_damping_of_four_fifths() -> None:
    terms = chebyshev_series(0.8, 1e-7)
    np.testing.assert_allclose(terms, 2 / 3 * 0.5 ** np.arange(len(terms)))


def test_without_damping_the_resolvent_is_the_identity() -> None:
    G = contraction(6, seed=0)
    np.testing.assert_array_equal(exact_resolvent(G, damping=0.0).toarray(), np.eye(6))
    np.testing.assert_array_equal(iterated(G, damping=0.0, tolerance=1e-7), np.eye(6))


def test_narrow_and_wide_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    G = contraction(40, seed=3)
    whole = iterated(G, damping=0.8, tolerance=1e-7)
    monkeypatch.setattr(resolvent, "CACHE_BYTES", 1)
    for n_columns in (1, 7):
        monkeypatch.setattr(resolvent, "LEAST_COLUMNS", n_columns)
        cut = iterated(G, damping=0.8, tolerance=1e-7)
        np.testing.assert_allclose(cut, whole, rtol=0, atol=1e-14)


def test_no_block_is_wider_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolvent, "CACHE_BYTES", 3 * 8 * 40)
    monkeypatch.setattr(resolvent, "LEAST_COLUMNS", 1)
    shapes = []
    visit_resolvent(
        contraction(40, seed=3),
        lambda rows, block: shapes.append((len(rows), *block.shape)),
        damping=0.8,
        tolerance=1e-7,
    )
    assert sorted(shapes) == [(1, 1, 40), *[(3, 3, 40)] * 13]


def test_the_bits_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    G = contraction(40, seed=3)
    monkeypatch.setattr(resolvent, "CACHE_BYTES", 1)
    monkeypatch.setattr(resolvent, "LEAST_COLUMNS", 2)
    results = []
    for n_threads in (1, 4):
        monkeypatch.setattr(torch, "get_num_threads", lambda n=n_threads: n)
        results.append(iterated(G, damping=0.8, tolerance=1e-7).tobytes())
    assert results[0] == results[1]


def test_an_error_of_the_visitor_comes_out() -> None:
    def refuse(rows: IntArray, block: FloatArray) -> None:
        raise ArithmeticError("no")

    with pytest.raises(ArithmeticError, match="no"):
        visit_resolvent(contraction(5, seed=0), refuse, damping=0.8, tolerance=1e-7)


def test_nodes_that_are_not_joined_have_exact_zeros() -> None:
    G = csr_array(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]]))
    for S in (
        exact_resolvent(G, damping=0.8).toarray(),
        iterated(G, damping=0.8, tolerance=1e-7),
    ):
        np.testing.assert_array_equal(S[:2, 2], 0.0)
        np.testing.assert_array_equal(S[2, :2], 0.0)


def test_a_read_only_matrix_without_entries_off_the_diagonal_works() -> None:
    G = eye_array(5, format="csr")
    for part in (G.data, G.indices, G.indptr):
        part.setflags(write=False)
    found = iterated(G, damping=0.8, tolerance=1e-10)
    np.testing.assert_allclose(found, np.eye(5), atol=1e-10)
