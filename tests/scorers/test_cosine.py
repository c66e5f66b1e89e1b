"""A scorer by the direction of embeddings."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array

from cogsl.scorers import CosineScorer, Nodes
from cogsl.sparse import Pattern
from tests.scorers.scoring import close, make, scores_of

SCOPE = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])


def test_scores_by_hand() -> None:
    scorer = make(CosineScorer, 2)
    with torch.no_grad():
        scorer.weight.copy_(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        scorer.scale.fill_(10.0)
    embeddings = torch.tensor([[1.5, 4.0], [0.0, 7.0], [0.0, 0.0]], dtype=torch.float64)
    found = scores_of(scorer, Nodes(embeddings), SCOPE)  # rows become (3, 4), (0, 7), (0, 0)
    close(found, np.array([[10.0, 8.0, 0], [0, 10.0, 0.0], [0.0, 0, 0.0]]))


def test_the_gradient_is_finite_for_nodes_without_an_embedding() -> None:
    scorer = make(CosineScorer, 2)
    embeddings = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    total = scorer(Pattern.from_scipy(csr_array(SCOPE)), Nodes(embeddings)).sum()
    for grad in torch.autograd.grad(total, [embeddings, scorer.weight, scorer.scale]):
        assert bool(torch.isfinite(grad).all())
