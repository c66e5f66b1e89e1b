"""Attacks on a matrix: a view, before it is normalised."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.attacks import EdgeAddition, EdgeAttack, EdgeDeletion
from tests.attacks.graphs import random_graph

EDGE_ATTACKS = [EdgeDeletion(ratio=0.2), EdgeAddition(ratio=0.2)]


def one_way() -> np.ndarray:
    """Return a full diagonal, pairs with one entry, and pairs with two that differ."""
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((12, 12)) < 0.4, rng.uniform(1.0, 2.0, (12, 12)), 0.0)
    np.fill_diagonal(dense, 3.0)
    return dense


@pytest.mark.parametrize("attack", EDGE_ATTACKS, ids=["deletion", "addition"])
def test_on_a_symmetric_matrix_the_same_pairs_are_attacked_as_on_the_graph(
    attack: EdgeAttack,
) -> None:
    graph = random_graph()
    by_graph = attack.apply(graph, seed=5).adjacency.toarray()
    by_matrix = attack.apply_to_matrix(graph.adjacency, seed=5).toarray()
    np.testing.assert_allclose(by_matrix, by_graph, rtol=1e-6)


def test_a_dropped_pair_loses_both_entries_and_all_else_stays() -> None:
    before = one_way()
    after = EdgeDeletion(ratio=0.2).apply_to_matrix(csr_array(before), seed=0).toarray()
    assert not after[before != after].any()
    left_one_way = (after == 0) & (before != 0) & (after.T != 0)
    assert not left_one_way.any()
    n_pairs = np.count_nonzero(np.triu(before + before.T, 1))
    n_left = np.count_nonzero(np.triu(after + after.T, 1))
    assert n_pairs - n_left == round(0.2 * n_pairs)
    np.testing.assert_array_equal(after.diagonal(), before.diagonal())


def test_an_added_pair_gets_the_mean_both_ways() -> None:
    before = one_way()
    after = EdgeAddition(ratio=0.1).apply_to_matrix(csr_array(before), seed=0).toarray()
    new = (after != 0) & (before == 0) & (before.T == 0)
    np.testing.assert_array_equal(new, new.T)
    pairs = np.triu(before + before.T, 1)
    assert np.count_nonzero(new) == 2 * round(0.1 * np.count_nonzero(pairs))
    np.testing.assert_allclose(after[new], pairs[pairs > 0].mean() / 2)
    np.testing.assert_array_equal(after[~new], before[~new])


def test_a_view_with_too_little_room_is_filled() -> None:
    before = one_way()
    after = EdgeAddition(ratio=3.0).apply_to_matrix(csr_array(before), seed=0).toarray()
    assert (after + after.T).all()
    given = (before + before.T) != 0
    np.testing.assert_array_equal(after[given], before[given])
    n_given, n_free = (np.count_nonzero(np.triu(where, 1)) for where in (given, ~given))
    assert EdgeAddition(ratio=3.0).ratio_on(csr_array(before)) == n_free / n_given < 3.0


@pytest.mark.parametrize("attack", EDGE_ATTACKS, ids=["deletion", "addition"])
def test_a_view_with_room_is_attacked_as_strongly_as_was_said(attack: EdgeAttack) -> None:
    assert attack.ratio_on(csr_array(one_way())) == attack.ratio
    assert attack.ratio_on(csr_array((3, 3))) == attack.ratio  # no pair at all
