from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from cogsl.errors import InputError
from cogsl.sparse.neighbours import cosine_neighbours
from tests.random_graphs import cosine_knn, random_problem

FloatArray = npt.NDArray[np.float32]


def neighbours(features: FloatArray | csr_array, k: int) -> list[list[int]]:
    found = cosine_neighbours(features, k)
    return [list(part) for part in np.split(found.indices, found.indptr[1:-1])]


def rows(*values: list[float]) -> FloatArray:
    return np.array(values, dtype=np.float32)


def test_neighbours_by_hand() -> None:
    # Angles 0, 10, 80 and 90 degrees: lengths do not count.
    angles = np.radians([0, 10, 80, 90])
    features = np.column_stack([np.cos(angles), np.sin(angles)]) * [[1], [5], [0.1], [2]]
    assert neighbours(features.astype(np.float32), 2) == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_an_opposite_row_is_farther_than_an_orthogonal_one() -> None:
    features = rows([1, 0], [-1, 0], [0, 1])
    expected = [[0, 2], [1, 2], [0, 2]]
    assert neighbours(features, 2) == expected
    assert neighbours(csr_array(features), 2) == expected


def test_a_node_is_its_own_neighbour_even_if_earlier_ones_are_its_duplicates() -> None:
    features = rows([1, 2], [2, 4], [1, 2], [3, 6], [1, 2])
    assert neighbours(features, 1) == [[0], [1], [2], [3], [4]]
    assert neighbours(features, 2) == [[0, 1], [0, 1], [0, 2], [0, 3], [0, 4]]


def test_duplicates_tie_whatever_their_scale() -> None:
    # In float64 the cosines of 0 with its multiples differ in the last bits.
    rng = np.random.default_rng(0)
    row = rng.uniform(0.1, 1, 50).astype(np.float32)
    factors = np.array([1, 2, 0.5, 4, 8, 0.25], dtype=np.float32)
    features = np.vstack([factors[:, None] * row, rng.uniform(0.1, 1, (3, 50))])
    assert neighbours(features.astype(np.float32), 3)[0] == [0, 1, 2]
    assert neighbours(features.astype(np.float32), 3)[5] == [0, 1, 5]


def test_a_zero_row_is_equally_far_from_all_and_has_itself() -> None:
    features = rows([1, 0], [1, 1], [0, 0], [-1, 0])
    expected = [[0, 1], [0, 1], [0, 2], [2, 3]]
    assert neighbours(features, 2) == expected
    assert neighbours(csr_array(features), 2) == expected


def test_one_hot_features_leave_the_lowest_indices() -> None:
    assert neighbours(csr_array(np.eye(4, dtype=np.float32)), 2) == [[0, 1], [0, 1], [0, 2], [0, 3]]


def test_more_neighbours_than_nodes_give_all_nodes() -> None:
    features = rows([1, 0], [0, 1], [1, 1])
    assert neighbours(features, 99) == [[0, 1, 2]] * 3


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_agree_with_a_plain_sort(seed: int) -> None:
    problem = random_problem(seed)
    expected = cosine_knn(problem.features, problem.n_neighbours)
    found = cosine_neighbours(problem.features.astype(np.float32), problem.n_neighbours)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@st.composite
def awkward_features(draw: st.DrawFn) -> FloatArray:
    """Draw few distinct values, so that duplicates, zero rows and ties abound."""
    n, width = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.choice([-1, 0, 0, 0.1, 0.3, 1, 2], (n, width)).astype(np.float32)


@given(awkward_features(), st.integers(1, 14))
def test_sparse_and_dense_features_and_any_blocks_give_the_same(
    features: FloatArray, k: int
) -> None:
    whole = cosine_neighbours(features, k).toarray()
    for form in (features, csr_array(features)):
        by_row = cosine_neighbours(form, k, block_bytes=1)
        np.testing.assert_array_equal(by_row.toarray(), whole)
    np.testing.assert_array_equal(cosine_neighbours(csr_array(features), k).toarray(), whole)


@given(awkward_features(), st.integers(1, 14))
def test_every_row_has_k_sorted_ones_and_itself(features: FloatArray, k: int) -> None:
    n = len(features)
    found = cosine_neighbours(features, k)
    assert found.shape == (n, n)
    assert found.dtype == np.float32
    assert found.has_canonical_format
    np.testing.assert_array_equal(np.diff(found.indptr), min(k, n))
    np.testing.assert_array_equal(found.data, 1.0)
    np.testing.assert_array_equal(found.diagonal(), 1.0)


@given(awkward_features(), st.integers(1, 14))
def test_no_node_left_out_is_nearer_than_one_taken(features: FloatArray, k: int) -> None:
    X = features.astype(np.float64)
    length = np.linalg.norm(X, axis=1)
    unit = X / np.where(length > 0, length, 1)[:, None]
    similarity = unit @ unit.T
    taken = cosine_neighbours(features, k).toarray() > 0
    for i, row in enumerate(similarity):
        others = taken[i] & (np.arange(len(row)) != i)
        worst_taken = row[others].min(initial=2.0)
        best_left = row[~taken[i]].max(initial=-2.0)
        assert worst_taken >= best_left - 1e-9


def test_the_order_of_stored_entries_changes_nothing() -> None:
    # The same two rows, with the columns of the second stored backwards.
    data = np.array([0.1, 0.2, 0.7, 0.7, 0.2, 0.1], dtype=np.float32)
    shuffled = csr_array((data, [0, 1, 2, 2, 1, 0], [0, 3, 6]), shape=(2, 3))
    before = shuffled.copy()
    assert neighbours(shuffled, 1) == [[0], [1]]
    assert neighbours(shuffled, 2) == [[0, 1], [0, 1]]
    np.testing.assert_array_equal(shuffled.indices, before.indices)


def test_features_are_not_altered() -> None:
    features = rows([1, 2], [3, 4], [0, 0])
    sparse = csr_array(features)
    for array in (features, sparse.data, sparse.indices, sparse.indptr):
        array.setflags(write=False)
    cosine_neighbours(features, 2)
    cosine_neighbours(sparse, 2)


def test_no_neighbours_at_all_are_refused() -> None:
    with pytest.raises(InputError, match=r"'k' parameter .* must be >= 1. Got 0"):
        cosine_neighbours(rows([1, 0]), 0)
