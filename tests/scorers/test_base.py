"""What every scorer does, and what only those beyond the paper do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cogsl.scorers import SCORERS, Nodes
from tests.scorers.scoring import Array, close, make, scores_of

N = 12
BELIEFS = torch.tensor([[0.9, 0.1], [0.3, 0.7], [0.5, 0.5]] * 4, dtype=torch.float64)


def nodes() -> Nodes:
    source = torch.Generator().manual_seed(1)
    return Nodes(torch.randn(N, 2, dtype=torch.float64, generator=source), BELIEFS)


def scope() -> Array:
    return (np.random.default_rng(0).random((N, N)) < 0.4).astype(float) + np.eye(N)


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_scores_of_some_rows_are_those_of_these_nodes_with_all(name: str) -> None:
    scorer, rows = make(SCORERS[name], 2), slice(3, 9)
    scorer.trust_in(50)
    whole = scores_of(scorer, nodes(), scope())
    close(scores_of(scorer, nodes(), scope(), rows), whole[rows])


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_nodes_that_reach_the_same_get_equal_rows_from_the_paper_s_scorer_alone(name: str) -> None:
    scorer = make(SCORERS[name], 2)
    scorer.trust_in(100)
    weights = np.exp(scores_of(scorer, nodes(), np.ones((N, N))))
    rows = weights / weights.sum(axis=1, keepdims=True)
    apart = float(np.abs(rows[0] - rows[1]).max())
    assert (apart < 1e-12) == (name == "linear")
    assert name == "linear" or apart > 0.01


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_a_scorer_that_asks_for_no_beliefs_needs_none(name: str) -> None:
    scorer = make(SCORERS[name], 2)
    if not scorer.uses_beliefs:
        without = Nodes(nodes().embeddings)
        close(scores_of(scorer, without, scope()), scores_of(scorer, nodes(), scope()))
    else:
        with pytest.raises(AssertionError):
            scores_of(scorer, Nodes(nodes().embeddings), scope())
