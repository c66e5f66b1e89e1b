from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cogsl.pruning import strongest


def triangle_with_tail() -> sp.csr_array:
    """Edges 0-1: 3, 0-2: 1, 1-2: 2, 2-3: 1."""
    entries = {(0, 1): 3.0, (0, 2): 1.0, (1, 2): 2.0, (2, 3): 1.0}
    rows, columns = zip(*entries, strict=True)
    upper = sp.coo_array((list(entries.values()), (rows, columns)), shape=(4, 4))
    return sp.csr_array(upper + upper.T)


def edges(matrix: sp.csr_array) -> dict[tuple[int, int], float]:
    assert abs(matrix - matrix.T).sum() == 0
    upper = sp.triu(matrix).tocoo()
    return {(int(i), int(j)): float(w) for i, j, w in zip(*upper.coords, upper.data, strict=True)}


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ({}, [(0, 1), (0, 2), (1, 2), (2, 3)]),
        ({"n_edges": 2}, [(0, 1), (1, 2)]),
        ({"n_edges": 3}, [(0, 1), (0, 2), (1, 2)]),  # of equals, the first
        ({"n_edges": 0}, []),
        ({"n_edges": 9}, [(0, 1), (0, 2), (1, 2), (2, 3)]),
        ({"min_weight": 2.0}, [(0, 1), (1, 2)]),
        ({"per_node": 1}, [(0, 1), (1, 2), (2, 3)]),  # 2-3 is the heaviest that node 3 has
        ({"per_node": 2}, [(0, 1), (0, 2), (1, 2), (2, 3)]),
        ({"per_node": 0}, []),
    ],
)
def test_the_strongest_edges_stay_with_their_weights(
    choice: dict[str, Any], left: list[tuple[int, int]]
) -> None:
    given = edges(triangle_with_tail())
    assert edges(strongest(triangle_with_tail(), **choice)) == {pair: given[pair] for pair in left}


def test_a_node_keeps_its_strongest_edges_whatever_the_order_of_nodes() -> None:
    matrix, order = triangle_with_tail(), np.array([2, 0, 3, 1])
    moved = strongest(sp.csr_array(matrix[order][:, order]), per_node=1)
    back = np.argsort(order)
    assert edges(sp.csr_array(moved[back][:, back])) == edges(strongest(matrix, per_node=1))
