"""Three nodes, two of whom are sure of their class."""

from __future__ import annotations

import math

import numpy as np
import torch

from cogsl.scorers import AgreementScorer, Nodes
from tests.scorers.scoring import Array, close, make, scores_of

NODES = Nodes(
    torch.tensor([[0.0], [1.0], [0.0]], dtype=torch.float64),
    torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], dtype=torch.float64),
)


def scorer(n_labels: int) -> AgreementScorer:
    made = make(AgreementScorer, 1)
    with torch.no_grad():
        made.weight.fill_(math.log(3.0))
        made.scale.fill_(2.0)
    made.trust_in(n_labels)
    return made


def weights(made: AgreementScorer) -> Array:
    return np.exp(scores_of(made, NODES, np.ones((3, 3))))


def test_scores_by_hand() -> None:
    # With 20 labels the beliefs become (3/4, 1/4), (1/2, 1/2) and (1/4, 3/4), which agree by 5/8,
    # 1/2 and 3/8. The far end in the middle counts three times, agreement by its square.
    same, other, half = 25 / 64, 9 / 64, 1 / 4
    expected = [[same, 3 * half, other], [half, 3 * half, half], [other, 3 * half, same]]
    close(weights(scorer(20)), np.array(expected))


def test_without_labels_it_is_the_paper_s_scorer() -> None:
    found = weights(scorer(0))
    close(found / found[0, 0], np.array([[1.0, 3.0, 1.0]] * 3))


def test_the_more_labels_the_more_beliefs_count() -> None:
    ratios = [weights(scorer(n))[0, 2] / weights(scorer(n))[0, 0] for n in (0, 10, 100, 10_000)]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] == 1.0
    assert ratios[-1] < 1e-5


def test_trust_is_kept_with_the_parameters() -> None:
    other = scorer(0)
    other.load_state_dict(scorer(20).state_dict())
    close(weights(other), weights(scorer(20)))
