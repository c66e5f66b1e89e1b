from __future__ import annotations

import pytest
import torch

from cogsl.fusion import AverageFusion


@pytest.mark.parametrize("n_views", [2, 3])
def test_every_view_counts_the_same_whatever_it_predicts(n_views: int) -> None:
    source = torch.Generator().manual_seed(0)
    outputs = [
        torch.randn(4, 3, generator=source, dtype=torch.float64).log_softmax(dim=1)
        for _ in range(n_views)
    ]
    fusion = AverageFusion(n_views, epsilon=1.0, lam=0.5, dtype=torch.float64)
    weights = fusion(outputs)
    assert weights.tolist() == [[1 / n_views] * n_views] * 4
    assert weights.dtype == torch.float64
    assert list(fusion.parameters()) == []
