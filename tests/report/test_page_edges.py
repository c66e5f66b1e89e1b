"""The edges in a page, by hand and read back."""

from __future__ import annotations

import numpy as np
import pytest

from cogsl.report.page import render_page
from cogsl.report.page_changes import changes_of, least_weight, rows_of
from cogsl.report.page_edges import EXACT, both_edges, fit_edges, pack_edges, steps_of
from cogsl.sparse.undirected import edges_of
from tests.report.page_inputs import (
    GIVEN,
    WEIGHTS,
    data_of,
    edges_in,
    large,
    matrix,
    regraphed,
    tiny,
)


def test_both_graphs_can_be_read_back_from_the_page() -> None:
    expected = {pair: (float(pair in GIVEN), WEIGHTS.get(pair, 0.0)) for pair in {*GIVEN, *WEIGHTS}}
    found = edges_in(render_page(tiny()))
    assert found.keys() == expected.keys()
    assert all(found[pair] == pytest.approx(expected[pair]) for pair in expected)


def test_a_larger_graph_can_be_read_back() -> None:
    learned = large(500)
    found = edges_in(render_page(learned))
    assert learned.learned is not None
    for place, adjacency in enumerate((learned.given.graph.adjacency, learned.learned)):
        edges = edges_of(adjacency)
        ends = zip(edges.low.tolist(), edges.high.tolist(), strict=True)
        expected = dict(zip(ends, edges.weights.tolist(), strict=True))
        assert {pair: w[place] for pair, w in found.items() if w[place]} == expected


def test_as_many_edges_stand_as_were_given() -> None:
    edges = edges_of(matrix(WEIGHTS, 6))
    assert least_weight(edges, 4) == pytest.approx(0.6)
    assert least_weight(edges, 6) == least_weight(edges, 0) == pytest.approx(0.1)
    assert least_weight(edges, 99) == pytest.approx(0.1)
    assert least_weight(edges.some(np.arange(0)), 4) == 0.0


def test_before_and_after_by_hand() -> None:
    changes = changes_of(tiny())
    assert changes.strongest is not None
    assert changes.whole is not None
    found = changes.strongest
    assert (found.kept, found.added, found.dropped) == (2, 2, 2)
    assert (changes.whole.kept, changes.whole.added, changes.whole.dropped) == (3, 3, 1)
    rows = {row[0]: row[1:] for row in rows_of(changes)}
    assert rows["Edges"] == ["4", "4", "6"]
    assert rows["Homophily of the labelled part"] == ["0.750", "0.667", "0.500"]
    assert rows["Neighbours, least to most"] == ["0 to 2", "0 to 2", "1 to 3"]
    assert rows["Isolated nodes"] == ["1", "1", "0"]
    assert rows["Connected parts"] == ["2", "2", "1"]
    assert rows["Kept edges"] == ["", "2 (100.0\u00a0%)", "3 (66.7\u00a0%)"]
    assert rows["Added edges"] == ["", "2 (0.0\u00a0%)", "3 (0.0\u00a0%)"]
    assert rows["Dropped edges"] == ["", "2 (50.0\u00a0%)", "1 (100.0\u00a0%)"]


def test_few_weights_are_exact() -> None:
    steps = steps_of(np.array([0.0, 0.5, 0.25, 0.5], dtype=np.float32), pivot=0.5)
    assert steps.values.tolist() == [0.25, 0.5]
    assert steps.places.tolist() == [0, 2, 1, 2]
    assert steps.rounding == 0.0


def test_many_weights_are_rounded_by_little_and_the_pivot_parts_them() -> None:
    weights = np.random.default_rng(0).gamma(2.0, 0.1, 3 * EXACT).astype(np.float32) + 1e-3
    pivot = float(np.sort(weights)[EXACT])
    steps = steps_of(weights, pivot)
    assert len(steps.values) <= 1000
    rounded = steps.values[steps.places - 1]
    assert (rounded <= weights).all()
    assert (weights / rounded <= 1 + steps.rounding + 1e-6).all()
    assert 0 < steps.rounding < 0.02
    assert np.array_equal(rounded >= np.float32(pivot), weights >= np.float32(pivot))


def test_pairs_too_weak_to_stand_are_left_out_first_then_each_kind_in_equal_shares() -> None:
    given, learned = edges_of(matrix(dict.fromkeys(GIVEN, 1.0), 6)), edges_of(matrix(WEIGHTS, 6))
    edges = both_edges(given, learned, 6, least=0.6)
    first = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 5), (3, 4), (4, 5)]
    assert edges.kinds.tolist() == [0, 1, 2, 0, 2, 1, 3]  # in the order of their ends
    for most in range(1, 8):
        chosen = edges.strongest(most)
        pairs = set(zip(chosen.low.tolist(), chosen.high.tolist(), strict=True))
        assert pairs == set(first[:most])


def test_no_room_leaves_no_edges() -> None:
    edges = both_edges(edges_of(matrix({}, 6)), edges_of(matrix(WEIGHTS, 6)), 6, least=0.6)
    packed, n_shown = fit_edges(edges, 0)
    assert n_shown == 0
    assert packed["distances"]["length"] == 0
    whole, n_all = fit_edges(edges, 10**6)
    assert n_all == 6
    assert whole == pack_edges(edges)


@pytest.mark.parametrize("weights", [{}, WEIGHTS])
def test_graphs_without_edges_have_a_page(weights: dict[tuple[int, int], float]) -> None:
    bare = regraphed(tiny(learned=matrix(weights, 6)), adjacency=matrix({}, 6))
    data = data_of(render_page(bare))
    assert data["edges"]["all"] == len(weights)
    assert ("No edges were given" in data["words"]) == bool(weights)
    assert ("has no edges" in data["words"]) == (not weights)
