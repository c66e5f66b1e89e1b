"""The paper's scorer; its scores by hand stand in ``test_view_estimator.py``, with Eq. (4)."""

from __future__ import annotations

import math

import numpy as np
import torch

from cogsl.scorers import LinearScorer, Nodes
from tests.scorers.scoring import close, make, scores_of


def test_the_score_is_that_of_the_far_end() -> None:
    scorer = make(LinearScorer, 1)
    with torch.no_grad():
        scorer.weight.fill_(math.log(2.0))
    nodes = Nodes(torch.tensor([[2.0], [3.0]], dtype=torch.float64))
    close(np.exp(scores_of(scorer, nodes, np.ones((2, 2)))), np.array([[4.0, 8.0], [4.0, 8.0]]))


def test_cancellation_is_documented_where_the_equation_lives() -> None:
    text = LinearScorer.__doc__ or ""
    assert "cancel" in text
    assert "p_ij depends on z_j alone" in text
