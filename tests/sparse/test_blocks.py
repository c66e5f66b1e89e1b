from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogsl.sparse.blocks import GRID, blocks, snap, top_of_rows


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 60))
def test_blocks_cover_each_row_once_and_in_order(n: int, row_bytes: int, block_bytes: int) -> None:
    found = list(blocks(n, row_bytes=row_bytes, block_bytes=block_bytes))
    assert [i for block in found for i in range(block.start, block.stop)] == list(range(n))
    widest = max(block.stop - block.start for block in found)
    assert widest == 1 or widest * row_bytes <= block_bytes


def test_the_largest_entries_by_hand() -> None:
    values = np.array([[0.1, 0.9, -0.5, 0.4], [0.0, 0.2, 0.3, -1.0]])
    top = top_of_rows(values, 2, always=np.array([1, 3]))
    np.testing.assert_array_equal(top, [[1, 3], [2, 3]])


def test_of_equal_entries_the_lower_column_is_kept() -> None:
    values = np.full((1, 6), 0.5)
    np.testing.assert_array_equal(top_of_rows(values, 3, always=np.array([4])), [[0, 1, 4]])


def test_entries_that_differ_by_rounding_are_equal() -> None:
    values = np.array([[0.0, 0.3, 0.1 + 0.2, 0.3]])  # 0.1 + 0.2 is the largest by one bit
    np.testing.assert_array_equal(top_of_rows(values, 2, always=np.array([0])), [[0, 1]])


@pytest.mark.parametrize("k", [4, 5, 100])
def test_all_columns_are_kept_when_there_are_not_more(k: int) -> None:
    values = np.zeros((2, 4))
    top = top_of_rows(values, k, always=np.array([0, 1]))
    np.testing.assert_array_equal(top, [[0, 1, 2, 3], [0, 1, 2, 3]])


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12))
def test_a_partial_sort_keeps_what_a_full_sort_would(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.0, -0.25, 0.0, 0.5, 1.0], (3, n))
    always = rng.integers(0, n, 3)
    top = top_of_rows(values, k, always=always)
    for row, itself, columns in zip(values, always, top, strict=True):
        ranked = sorted(range(n), key=lambda j: (j != itself, -row[j], j))
        assert list(columns) == sorted(ranked[:k])


def test_the_extremes_of_value_and_column_do_not_overflow() -> None:
    values = np.array([[1.0, -1.0, 1.0, 1.0 + 1e-15, -1.0]])
    np.testing.assert_array_equal(top_of_rows(values, 3, always=np.array([4])), [[0, 2, 4]])


def test_snapping_moves_a_number_by_half_the_grid_at_most() -> None:
    values = np.random.default_rng(0).uniform(-1, 1, 1000)
    snapped = snap(values)
    assert np.abs(snapped - values).max() <= GRID / 2
    np.testing.assert_array_equal(snap(snapped), snapped)
