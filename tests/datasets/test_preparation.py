from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cogsl.datasets.preparation import (
    binary,
    csr_from_parts,
    parts_from_csr,
    row_normalise,
    standardise,
)

COUNTS = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])


def test_rows_sum_to_one_and_zero_rows_stay_zero() -> None:
    given = csr_array(COUNTS)
    expected = [[0.25, 0, 0.75], [0, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(row_normalise(given).toarray(), expected)
    np.testing.assert_array_equal(given.toarray(), COUNTS)


def test_binary_features_say_whether_not_how_often() -> None:
    np.testing.assert_array_equal(binary(csr_array(COUNTS)).toarray(), COUNTS > 0)


def test_columns_have_zero_mean_and_unit_variance_unless_they_are_constant() -> None:
    made = standardise(np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 1.0]]))
    np.testing.assert_allclose(made, [[-1, 0, -1], [1, 0, 1]])


def test_a_matrix_comes_back_from_its_parts() -> None:
    again = csr_from_parts(parts_from_csr(csr_array(COUNTS), "a"), "a")
    np.testing.assert_array_equal(again.toarray(), COUNTS)
