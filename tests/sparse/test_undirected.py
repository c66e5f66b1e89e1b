from __future__ import annotations

import numpy as np
import pytest

from cogsl.sparse.undirected import undirected

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


def test_indices_are_32_bit_where_they_fit() -> None:
    made = undirected(np.array([0]), np.array([1]), np.ones(1, dtype=np.float32), 2)
    assert made.matrix.indices.dtype == np.int32
