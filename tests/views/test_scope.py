from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, eye_array

from cogsl.views.scope import hops, top_entries
from tests.sparse.strategies import matrices


def path(n: int) -> csr_array:
    """Return the adjacency of the path 0 - 1 - ... - (n - 1), with self-loops."""
    return csr_array(np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
def test_hops_on_a_path_are_the_nodes_at_most_k_apart(k: int) -> None:
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    np.testing.assert_array_equal(hops(path(5), k).toarray(), distance <= k)


def test_hops_follow_the_direction_of_entries() -> None:
    chain = csr_array(np.eye(3) + np.eye(3, k=1))  # 0 -> 1 -> 2
    np.testing.assert_array_equal(hops(chain, 2).toarray(), np.triu(np.ones((3, 3))))


def test_an_isolated_node_has_itself_in_any_number_of_hops() -> None:
    matrix = csr_array(np.array([[1.0, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]))
    np.testing.assert_array_equal(hops(matrix, 7).toarray()[2], [0, 0, 1])


@given(matrices(square=True), st.integers(1, 4))
def test_hops_are_the_pattern_of_the_power(matrix: csr_array, k: int) -> None:
    looped = csr_array(matrix + eye_array(matrix.shape[0]))
    power = np.linalg.matrix_power((looped.toarray() > 0).astype(int), k)
    found = hops(looped, k)
    np.testing.assert_array_equal(found.toarray(), power > 0)
    assert found.dtype == np.float32
    assert found.has_canonical_format


def test_more_walks_than_a_byte_can_count_are_not_lost() -> None:
    full = csr_array(np.ones((256, 256)))  # 256 walks of length 2 between any two nodes
    assert hops(full, 2).nnz == 256 * 256


def test_a_scope_shares_no_memory_with_its_view() -> None:
    matrix = path(4)
    for k in (1, 2):
        scope = hops(matrix, k)
        for mine in (scope.data, scope.indices, scope.indptr):
            for theirs in (matrix.data, matrix.indices, matrix.indptr):
                assert not np.shares_memory(mine, theirs)


def test_a_view_without_self_loops_is_refused() -> None:
    with pytest.raises(AssertionError, match="self-loops"):
        hops(csr_array(np.array([[0.0, 1], [1, 1]])), 1)


def test_top_entries_by_hand() -> None:
    matrix = csr_array(np.array([[0.1, 0.5, 0.3], [0.2, 0.2, 0.2], [0, 0.4, 0.9]]))
    expected = [[0.1, 0.5, 0], [0.2, 0.2, 0], [0, 0.4, 0.9]]
    np.testing.assert_array_equal(top_entries(matrix, 2).toarray(), expected)


@given(matrices(square=True), st.integers(1, 10), st.booleans())
def test_top_entries_are_those_of_a_sort(matrix: csr_array, h: int, ties: bool) -> None:
    if ties:
        matrix.data = np.ceil(matrix.data * 2)
    found = top_entries(matrix, h).toarray()
    for i, row in enumerate(matrix.toarray()):
        stored = np.flatnonzero(row)
        ranked = stored[np.lexsort((stored, -row[stored], stored != i))]
        expected = np.zeros_like(row)
        expected[ranked[:h]] = row[ranked[:h]]
        np.testing.assert_array_equal(found[i], expected)
