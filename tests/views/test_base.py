from __future__ import annotations

import numpy as np
from hypothesis import given
from scipy.sparse import csr_array

from cogsl.views.base import normalise, with_self_loops
from tests.sparse.strategies import matrices


def test_normalising_by_hand_uses_row_sums_on_both_sides() -> None:
    V = csr_array(np.array([[1.0, 3.0], [0.0, 16.0]]))  # row sums 4 and 16, roots 2 and 4
    np.testing.assert_allclose(normalise(V).toarray(), np.array([[1 / 4, 3 / 8], [0, 1]]))


def test_a_row_of_zeros_stays_zero() -> None:
    V = csr_array(np.array([[0.0, 0.0], [5.0, 4.0]]))
    np.testing.assert_allclose(normalise(V).toarray(), np.array([[0, 0], [0, 4 / 9]]))


@given(matrices(square=True))
def test_normalising_is_the_formula_and_leaves_its_input(matrix: csr_array) -> None:
    before = matrix.toarray()
    degree = before.sum(axis=1)
    root = np.diag([x**-0.5 if x > 0 else 0.0 for x in degree])
    found = normalise(matrix)
    np.testing.assert_allclose(found.toarray(), root @ before @ root, atol=1e-14)
    assert found.dtype == np.float64
    for mine in (found.data, found.indices, found.indptr):
        for theirs in (matrix.data, matrix.indices, matrix.indptr):
            assert not np.shares_memory(mine, theirs)


def test_weights_too_large_for_the_sums_of_float32_are_normalised() -> None:
    V = csr_array(np.full((2, 2), 3e38, dtype=np.float32))
    np.testing.assert_allclose(normalise(V).toarray(), np.full((2, 2), 0.5))


def test_self_loops_weigh_one_and_are_sorted() -> None:
    A = csr_array(np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]], dtype=np.float32))
    looped = with_self_loops(A)
    np.testing.assert_array_equal(looped.toarray(), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    assert looped.has_canonical_format
