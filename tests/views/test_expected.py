"""What a view is expected to come to, held against what it comes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cogsl.cost import GraphSize
from cogsl.datasets.synthetic import Synthetic
from cogsl.sparse import Pattern, union
from cogsl.views import VIEWS

CASES: list[tuple[str, dict[str, Any]]] = [
    ("adjacency", {"scope": 1}),
    ("adjacency", {"scope": 2}),
    ("subgraph", {"scope": 1, "subgraph_share": 0.5}),
    ("subgraph", {"scope": 1, "subgraph_share": 0.2}),
    ("knn", {"scope": 1, "knn_neighbours": 10}),
    ("diffusion", {"scope": 16}),
    ("diffusion", {"scope": 32, "teleport": 0.05}),
]


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_entries_are_about_as_expected(name: str, settings: dict[str, Any]) -> None:
    graph = Synthetic(nodes=2000, degree_exponent=None, mean_degree=8.0).load()
    view = VIEWS[name](**settings)
    expected = view.expect(GraphSize.of(graph))
    built = view.build(graph, generator=np.random.default_rng(0))
    pattern = union([Pattern.from_scipy(built.matrix), Pattern.from_scipy(built.scope)])
    assert built.matrix.nnz == pytest.approx(expected.entries, rel=0.02)
    assert built.scope.nnz == pytest.approx(expected.scope, rel=0.15)
    assert pattern.symmetrised().nnz == pytest.approx(expected.symmetric, rel=0.25)
    assert expected.seconds > 0


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_no_view_has_more_entries_than_pairs(name: str) -> None:
    tiny = GraphSize(nodes=5, entries=16, features=2, classes=2, train=2)
    expected = VIEWS[name](**{"scope": 3}).expect(tiny)
    assert max(expected.entries, expected.scope, expected.symmetric) <= 25
