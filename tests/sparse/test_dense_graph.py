from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.sparse import dense_graph
from cogsl.sparse.blocks import blocks
from cogsl.sparse.dense_graph import (
    NormalisedGraph,
    dense_adjacency,
    entries_above,
    gram_matrix,
)


def random_matrix(n: int, columns: int, *, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(n, columns, generator=generator, dtype=torch.float64)


def formed(matrix: Tensor) -> Tensor:
    """Return D^-1/2 (S + I) D^-1/2 as it is written."""
    looped = matrix + torch.eye(len(matrix), dtype=matrix.dtype)
    scale = torch.diag(looped.sum(dim=1) ** -0.5)
    return scale @ looped @ scale


def test_a_dense_adjacency_is_a_copy() -> None:
    adjacency = csr_array(np.array([[0, 2], [2, 0]], dtype=np.float32))
    dense = dense_adjacency(adjacency, torch.float64)
    assert dense.tolist() == [[0.0, 2.0], [2.0, 0.0]]
    dense.zero_()
    assert adjacency.sum() == 4


def test_normalised_graph_by_hand() -> None:
    # degrees with the loop: 4 and 4, so every entry of S + I is divided by 4
    view = NormalisedGraph(torch.tensor([[0.0, 3.0], [3.0, 0.0]]))
    assert (view @ torch.eye(2)).tolist() == [[0.25, 0.75], [0.75, 0.25]]


def test_products_equal_those_with_the_matrix_that_is_formed() -> None:
    matrix, right = random_matrix(7, 7), random_matrix(7, 3, seed=1)
    torch.testing.assert_close(NormalisedGraph(matrix) @ right, formed(matrix) @ right)


def test_gradient_of_two_layers_equals_autograd_of_the_matrix_that_is_formed() -> None:
    matrix, first, second = (random_matrix(6, n, seed=n) for n in (6, 4, 3))
    mix = random_matrix(4, 3, seed=9)

    def loss(view: Tensor | NormalisedGraph) -> Tensor:
        return ((view @ ((view @ first).tanh() @ mix)) * second).sum()

    view = NormalisedGraph(matrix, tracked=True)
    left, right = view.gradient(loss(view))
    S = matrix.clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(formed(S)), [S])
    torch.testing.assert_close(left @ right.T, expected)
    assert left.shape == (6, 1 + 4 + 3)


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_gram_matrix_of_sparse_and_dense_features_agree(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = blocks
    monkeypatch.setattr(
        dense_graph,
        "blocks",
        lambda n, row_bytes: cut(n, row_bytes=row_bytes, block_bytes=block_bytes),
    )
    x = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 1]], dtype=np.float32)
    expected = [[5.0, 0.0, 2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 10.0]]
    assert gram_matrix(x, torch.float64).tolist() == expected
    assert gram_matrix(csr_array(x), torch.float64).tolist() == expected


def test_entries_above_are_the_means_of_both_ways_off_the_diagonal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dense_graph, "blocks", lambda n, row_bytes: [slice(0, 2), slice(2, 3)])
    matrix = torch.tensor([[1.0, 0.4, 0.1], [0.2, 1.0, 0.5], [0.1, 0.3, 1.0]])
    sparse = entries_above(matrix, 0.1)
    assert sparse.nnz == 4
    assert sparse.dtype == np.float32
    np.testing.assert_allclose(sparse.toarray(), [[0, 0.3, 0], [0.3, 0, 0.4], [0, 0.4, 0]])
