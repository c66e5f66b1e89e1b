from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given

from cogsl.sparse import Pattern, union
from tests.sparse.strategies import matrices


def _mask(pattern: Pattern) -> np.ndarray:
    return pattern.to_scipy().toarray() > 0


@given(matrices(square=True), matrices(square=True))
def test_union_stores_what_either_stores(a: sp.csr_array, b: sp.csr_array) -> None:
    if a.shape != b.shape:
        b = sp.csr_array(a.shape)
    total = union([Pattern.from_scipy(a), Pattern.from_scipy(b)])
    assert np.array_equal(_mask(total), (a.toarray() > 0) | (b.toarray() > 0))


@given(matrices(square=True))
def test_positions_lead_each_entry_to_its_place(matrix: sp.csr_array) -> None:
    part = Pattern.from_scipy(matrix)
    whole = part.symmetrised()
    values = torch.zeros(whole.nnz, dtype=torch.float64)
    values[whole.positions_of(part).long()] = torch.tensor(matrix.data)
    assert np.array_equal(whole.to_scipy(values).toarray(), matrix.toarray())


def test_positions_of_an_entry_that_is_not_there_are_refused() -> None:
    small = Pattern.from_scipy(sp.csr_array(np.array([[1.0, 0.0], [0.0, 0.0]])))
    other = Pattern.from_scipy(sp.csr_array(np.array([[0.0, 0.0], [0.0, 1.0]])))
    with pytest.raises(ValueError, match="lacks"):
        small.positions_of(other)


@given(matrices())
def test_transpose_brings_the_values_along(matrix: sp.csr_array) -> None:
    pattern, order = Pattern.from_scipy(matrix).transposed
    values = torch.tensor(matrix.data)[order.long()]
    assert np.array_equal(pattern.to_scipy(values).toarray(), matrix.toarray().T)
    assert pattern.n_rows == matrix.shape[1]
    assert pattern.n_cols == matrix.shape[0]


@given(matrices(square=True))
def test_symmetrised_is_symmetric_with_a_whole_diagonal(matrix: sp.csr_array) -> None:
    whole = Pattern.from_scipy(matrix).symmetrised()
    mask, given_mask = _mask(whole), matrix.toarray() > 0
    assert np.array_equal(mask, given_mask | given_mask.T | np.eye(len(mask), dtype=bool))
    assert np.array_equal(whole.diagonal.numpy(), np.flatnonzero(whole.row == whole.col))


@given(matrices(square=True))
def test_mirror_of_a_symmetric_pattern_is_an_involution(matrix: sp.csr_array) -> None:
    whole = Pattern.from_scipy(matrix).symmetrised()
    mirror = whole.transposed[1].long()
    assert torch.equal(mirror[mirror], torch.arange(whole.nnz))
    assert torch.equal(whole.row[mirror], whole.col)


@given(matrices())
def test_rows_are_the_rows_asked_for_in_that_order(matrix: sp.csr_array) -> None:
    index = torch.arange(matrix.shape[0] - 1, -1, -1)
    pattern, where = Pattern.from_scipy(matrix).rows(index)
    values = torch.tensor(matrix.data)[where.long()]
    assert np.array_equal(pattern.to_scipy(values).toarray(), matrix.toarray()[::-1])


def test_missing_diagonal_is_refused() -> None:
    with pytest.raises(ValueError, match="diagonal"):
        _ = Pattern.from_scipy(sp.csr_array((2, 2))).diagonal


def test_unsorted_columns_are_sorted() -> None:
    matrix = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2, 2])), (2, 2))
    assert Pattern.from_scipy(matrix).col.tolist() == [0, 1]


@given(matrices())
def test_used_columns_hold_every_entry_and_nothing_else(matrix: sp.csr_array) -> None:
    pattern = Pattern.from_scipy(matrix)
    used = pattern.used_columns
    assert used.tolist() == np.flatnonzero((matrix.toarray() > 0).any(axis=0)).tolist()
    narrow = pattern.columns(used).to_scipy(torch.tensor(matrix.data)).toarray()
    assert np.array_equal(narrow, matrix.toarray()[:, used.numpy()])
