from __future__ import annotations

import math

import pytest
import torch

from cogsl.fusion import AttentionFusion, FusionPlan, fuse
from cogsl.sparse import Pattern, SparseMatrix
from cogsl.training import adam, descend


def fusion(n_views: int = 2) -> AttentionFusion:
    return AttentionFusion(n_views, epsilon=1.0, lam=0.5, dtype=torch.float64)


def outputs(n_views: int, n: int = 3) -> list[torch.Tensor]:
    return [torch.zeros(n, 2, dtype=torch.float64) for _ in range(n_views)]


@pytest.mark.parametrize("n_views", [2, 3])
def test_it_starts_from_the_average(n_views: int) -> None:
    weights = fusion(n_views)(outputs(n_views))
    torch.testing.assert_close(weights, torch.full((3, n_views), 1 / n_views).double())


def test_weights_are_the_softmax_of_the_scores_for_every_node() -> None:
    made = fusion()
    with torch.no_grad():
        made.scores.copy_(torch.tensor([math.log(3.0), 0.0]))
    expected = torch.tensor([[0.75, 0.25]] * 3, dtype=torch.float64)
    torch.testing.assert_close(made(outputs(2)), expected)


def test_training_moves_the_weight_to_the_view_that_fits() -> None:
    eye = torch.arange(4, dtype=torch.int32)
    pattern = Pattern(eye, eye[:-1], 3)
    right, wrong = (
        SparseMatrix(pattern, torch.full((3,), value, dtype=torch.float64)) for value in (1.0, -1.0)
    )
    plan = FusionPlan.of([pattern, pattern])
    made = fusion()
    optimiser = adam(made.parameters(), lr=0.1)
    losses = []
    for _ in range(60):
        final = fuse(plan, [wrong, right], made(outputs(2)))
        loss = (final.values - 1.0).square().sum()
        losses.append(float(loss.detach()))
        descend(loss, optimiser)
    assert losses[0] == pytest.approx(3.0)
    assert losses[-1] < 0.05
    assert float(made(outputs(2))[0, 1].detach()) > 0.9
