from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.sparse.undirected import edges_of, is_canonical, undirected

Entry = tuple[int, int, float]


@pytest.mark.parametrize(
    ("entries", "pairs", "n_duplicates", "n_one_way"),
    [
        ([], {}, 0, 0),
        ([(0, 1, 1.0), (1, 0, 1.0)], {(0, 1): 1.0}, 0, 0),
        ([(1, 0, 1.0)], {(0, 1): 1.0}, 0, 1),
        ([(0, 1, 1.0), (1, 0, 2.0)], {(0, 1): 2.0}, 0, 1),
        ([(2, 1, 1.0), (2, 1, 4.0), (1, 2, 4.0)], {(1, 2): 4.0}, 1, 0),
        ([(0, 1, 1.0), (0, 2, 2.0), (2, 0, 2.0)], {(0, 1): 1.0, (0, 2): 2.0}, 0, 1),
    ],
)
def test_entries_become_symmetric_and_what_was_done_is_counted(
    entries: list[Entry], pairs: dict[tuple[int, int], float], n_duplicates: int, n_one_way: int
) -> None:
    table = np.array(entries, dtype=np.float64).reshape(-1, 3)
    rows, cols = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    made = undirected(rows, cols, table[:, 2].astype(np.float32), 3)
    expected = np.zeros((3, 3))
    for (i, j), weight in pairs.items():
        expected[i, j] = expected[j, i] = weight
    np.testing.assert_array_equal(made.matrix.toarray(), expected)
    assert (made.n_duplicates, made.n_one_way) == (n_duplicates, n_one_way)


def test_edges_come_in_order_whatever_that_of_storage() -> None:
    data = np.array([3.0, 2.0, 2.0, 3.0], dtype=np.float32)
    shuffled = csr_array((data, np.array([2, 1, 0, 0]), np.array([0, 2, 3, 4])), shape=(3, 3))
    assert not shuffled.has_sorted_indices
    for matrix in (shuffled, shuffled.sorted_indices()):
        edges = edges_of(matrix)
        assert edges.low.tolist() == [0, 0]
        assert edges.high.tolist() == [1, 2]
        assert edges.weights.tolist() == [2.0, 3.0]


def test_indices_are_32_bit_where_they_fit() -> None:
    made = undirected(np.array([0]), np.array([1]), np.ones(1, dtype=np.float32), 2)
    assert made.matrix.indices.dtype == np.int32


PATH = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 3.0), (2, 1, 3.0)]


def matrix_of(entries: list[Entry]) -> csr_array:
    table = np.array(entries, dtype=np.float64)
    places = (table[:, 0].astype(np.int32), table[:, 1].astype(np.int32))
    return csr_array((table[:, 2].astype(np.float32), places), shape=(3, 3))


def test_a_matrix_that_is_ready_is_recognised() -> None:
    assert is_canonical(matrix_of(PATH))


@pytest.mark.parametrize(
    "matrix",
    [
        matrix_of(PATH[:3]),  # one way
        matrix_of([*PATH[:3], (2, 1, 2.0)]),  # another weight
        matrix_of([*PATH, (2, 2, 1.0)]),  # a loop
        matrix_of([(0, 1, 0.0), (1, 0, 0.0)]),  # a zero
        matrix_of([(0, 1, np.inf), (1, 0, np.inf)]),
        matrix_of([(0, 1, -1.0), (1, 0, -1.0)]),
        matrix_of(PATH).astype(np.float64),
        matrix_of(PATH)[:2],  # not square
        csr_array((np.ones(2, np.float32), [2, 1], [0, 2, 2, 2]), shape=(3, 3)),  # not sorted
        csr_array((np.ones(4, np.float32), [1, 1, 0, 0], [0, 2, 4, 4]), shape=(3, 3)),  # twice
    ],
)
def test_a_matrix_that_is_not_ready_is_not(matrix: csr_array) -> None:
    assert not is_canonical(matrix)


def test_what_is_made_is_ready() -> None:
    table = np.array([(2, 1, 1.0), (0, 1, 4.0), (0, 1, 5.0)])
    rows, cols = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    assert is_canonical(undirected(rows, cols, table[:, 2].astype(np.float32), 3).matrix)
