from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cogsl.fusion import FUSIONS, FusionPlan, fuse
from cogsl.sparse import SparseMatrix

FIRST = np.array([[4.0, 0.0, 2.0], [0.0, 8.0, 0.0], [0.0, 0.0, 1.0]])
SECOND = np.array([[0.0, 10.0, 2.0], [6.0, 4.0, 0.0], [0.0, 0.0, 3.0]])
WEIGHTS = [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]
FUSED = [[2.0, 5.0, 2.0], [4.5, 5.0, 0.0], [0.0, 0.0, 1.0]]


def matrix(values: np.ndarray) -> SparseMatrix:
    return SparseMatrix.from_scipy(csr_array(values), torch.float64)


def test_final_view_by_hand_row_by_row() -> None:
    views = [matrix(FIRST), matrix(SECOND)]
    plan = FusionPlan.of([view.pattern for view in views])
    final = fuse(plan, views, torch.tensor(WEIGHTS, dtype=torch.float64))
    assert final.to_scipy().toarray().tolist() == FUSED
    assert not final.symmetric


def test_final_view_stores_the_union_of_the_views_entries() -> None:
    views = [matrix(FIRST), matrix(SECOND)]
    plan = FusionPlan.of([view.pattern for view in views])
    assert np.array_equal(plan.pattern.to_scipy().toarray() > 0, (FIRST + SECOND) > 0)


def test_three_views_are_fused_as_two_are() -> None:
    views = [matrix(FIRST), matrix(SECOND), matrix(FIRST)]
    plan = FusionPlan.of([view.pattern for view in views])
    thirds = torch.full((3, 3), 1 / 3, dtype=torch.float64)
    final = fuse(plan, views, thirds).to_scipy().toarray()
    np.testing.assert_allclose(final, (2 * FIRST + SECOND) / 3, rtol=0, atol=1e-14)


def test_gradient_of_views_and_weights_passes_gradcheck() -> None:
    views = [matrix(FIRST), matrix(SECOND)]
    plan = FusionPlan.of([view.pattern for view in views])
    values = [view.values.requires_grad_() for view in views]
    weights = torch.tensor(WEIGHTS, dtype=torch.float64, requires_grad=True)

    def final(a: torch.Tensor, b: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
        pair = [SparseMatrix(view.pattern, v) for view, v in zip(views, (a, b), strict=True)]
        return fuse(plan, pair, beta).values

    assert torch.autograd.gradcheck(final, (*values, weights))


@pytest.mark.parametrize("name", sorted(FUSIONS))
@pytest.mark.parametrize("n_views", [2, 4])
def test_every_fusion_gives_each_node_weights_that_sum_to_one(name: str, n_views: int) -> None:
    fusion = FUSIONS[name](n_views, epsilon=0.1, lam=0.5, dtype=torch.float32)
    source = torch.Generator().manual_seed(0)
    outputs = [torch.randn(7, 3, generator=source).log_softmax(dim=1) for _ in range(n_views)]
    weights = fusion(outputs)
    assert weights.shape == (7, n_views)
    assert weights.dtype == torch.float32
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(7))
