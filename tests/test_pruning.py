from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cogsl.errors import InputError, SettingValueError
from cogsl.pruning import strongest

Entries = dict[tuple[int, int], float]

PATH: Entries = {(0, 1): 0.9, (1, 2): 0.5, (2, 3): 0.7, (0, 3): 0.1, (1, 3): 0.5}


def symmetric(upper: Entries, n: int = 5, *, dtype: Any = np.float32) -> sp.csr_array:
    """Return the matrix of edges (i, j), i < j; the last node is isolated unless it is named."""
    ends = np.array(list(upper)).T
    half = sp.coo_array((np.array(list(upper.values()), dtype=dtype), ends), shape=(n, n))
    return sp.csr_array(half + half.T)


def edges(matrix: sp.csr_array) -> Entries:
    upper = sp.triu(matrix).tocoo()
    ends = zip(*upper.coords, upper.data, strict=True)
    return {(int(i), int(j)): round(float(w), 6) for i, j, w in ends}


def some(*kept: tuple[int, int]) -> Entries:
    return {edge: PATH[edge] for edge in kept}


def test_without_a_condition_every_edge_stays() -> None:
    assert edges(strongest(symmetric(PATH))) == PATH


def test_so_many_edges_stay_as_are_asked_for() -> None:
    assert edges(strongest(symmetric(PATH), n_edges=2)) == some((0, 1), (2, 3))
    assert edges(strongest(symmetric(PATH), n_edges=99)) == PATH


def test_of_equal_edges_the_one_of_lower_indices_stays() -> None:
    assert edges(strongest(symmetric(PATH), n_edges=3)) == some((0, 1), (2, 3), (1, 2))


def test_edges_of_at_least_a_weight_stay() -> None:
    kept = edges(strongest(symmetric(PATH), min_weight=0.5))
    assert kept == some((0, 1), (1, 2), (2, 3), (1, 3))


def test_an_edge_stays_if_it_is_among_the_strongest_of_either_end() -> None:
    # 0: 1; 1: 0; 2: 3; 3: 2. None takes its second: (1, 2) and (1, 3) go.
    assert edges(strongest(symmetric(PATH), per_node=1)) == some((0, 1), (2, 3))
    # 0: 1, 3; 1: 0, 2 (before 3, equally strong); 2: 3, 1; 3: 2, 1. So 0 keeps (0, 3), 3 does not.
    assert edges(strongest(symmetric(PATH), per_node=2)) == PATH


def test_of_a_nodes_equal_neighbours_the_lower_one_stays() -> None:
    star = {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 2.0, (0, 3): 1.0, (3, 4): 2.0}
    kept = edges(strongest(symmetric(star), per_node=1))  # 0 takes 1; 2 and 3 have stronger ones
    assert kept == {(0, 1): 1.0, (1, 2): 2.0, (3, 4): 2.0}


def test_conditions_hold_together_and_the_number_counts_what_meets_the_others() -> None:
    kept = strongest(symmetric(PATH), per_node=1, n_edges=1)
    assert edges(kept) == some((0, 1))
    kept = strongest(symmetric(PATH), min_weight=0.6, per_node=2)
    assert edges(kept) == some((0, 1), (2, 3))


def test_zeros_and_the_diagonal_are_no_edges() -> None:
    matrix = sp.csr_array(symmetric({(0, 1): 0.2}, 3) + sp.eye_array(3, dtype=np.float32))
    matrix.data[matrix.indices == 2] = 0.0
    assert edges(strongest(matrix, n_edges=3)) == {(0, 1): 0.2}
    assert strongest(matrix, n_edges=3).nnz == 2


def test_weights_may_be_negative_and_keep_their_type() -> None:
    matrix = symmetric({(0, 1): -0.5, (1, 2): -2.0}, 3, dtype=np.float64)
    kept = strongest(matrix, n_edges=1)
    assert edges(kept) == {(0, 1): -0.5}
    assert kept.dtype == np.float64


def test_a_graph_without_edges_stays_one() -> None:
    empty = sp.csr_array(np.zeros((3, 3), dtype=np.float32))
    assert strongest(empty, n_edges=2, min_weight=0.1, per_node=1).nnz == 0


def test_the_input_is_left_as_it_was() -> None:
    matrix = symmetric(PATH)
    before = matrix.copy()
    strongest(matrix, n_edges=1)
    assert (matrix - before).count_nonzero() == 0


@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), levels=st.integers(1, 5))
def test_the_strongest_of_each_node_are_those_of_a_sort_by_hand(
    seed: int, k: int, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    half = np.triu(rng.integers(0, levels + 1, (n, n)), 1).astype(np.float64)
    weights = half + half.T  # few levels: many ties, and zeros where there is no edge
    wanted = np.zeros_like(weights)
    for i in range(n):
        ranked = sorted((j for j in range(n) if weights[i, j]), key=lambda j: (-weights[i, j], j))
        for j in ranked[:k]:
            wanted[i, j] = wanted[j, i] = weights[i, j]
    found = strongest(sp.csr_array(weights), per_node=k)
    assert np.array_equal(found.toarray(), wanted)
    assert found.has_canonical_format


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"n_edges": 0}, "'n_edges' must be a whole number >= 1, or None for all edges. Got 0"),
        ({"n_edges": 2.5}, "Got 2.5 instead"),
        ({"per_node": True}, "'per_node' must be a whole number"),
        ({"per_node": -1}, "Got -1 instead"),
        ({"min_weight": float("nan")}, "'min_weight' must be a finite number"),
        ({"min_weight": "heavy"}, "Got 'heavy' instead"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingValueError, match=message):
        strongest(symmetric(PATH), **choice)


@pytest.mark.parametrize(
    "matrix",
    [
        sp.csr_array(np.array([[0.0, 1.0], [2.0, 0.0]])),
        sp.csr_array(np.array([[0.0, 1.0], [0.0, 0.0]])),
        sp.csr_array(np.array([[0.0, np.nan], [np.nan, 0.0]])),
        sp.csr_array((2, 3)),
    ],
)
def test_a_matrix_that_is_not_symmetric_is_refused(matrix: sp.csr_array) -> None:
    with pytest.raises(InputError, match="must be a symmetric matrix"):
        strongest(matrix, n_edges=1)
