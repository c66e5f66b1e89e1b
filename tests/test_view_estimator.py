"""Three nodes by hand: a view and a scope that are not symmetric.

V X = (2, 3, -2), so Z = (2, 3, 0); with W = ln 2 the scores are exp(w_ij) = 2^z_j = 4, 8, 1.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.nn import Propagated
from cogsl.sparse import Pattern
from cogsl.view_estimator import (
    SCORERS,
    AgreementScorer,
    CosineScorer,
    EstimationPlan,
    LinearScorer,
    Nodes,
    ViewEstimator,
)
from cogsl.views.base import BasicView

Array = npt.NDArray[np.float64]

MU = 0.6
V = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
SCOPE = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
X = torch.tensor([[1.0], [3.0], [-2.0]], dtype=torch.float64)
Z = np.array([[2.0], [3.0], [0.0]])
P = np.array([[4 / 12, 8 / 12, 0.0], [0.0, 8 / 9, 1 / 9], [4 / 5, 0.0, 1 / 5]])

BELIEFS = torch.tensor([[0.9, 0.1], [0.3, 0.7], [0.5, 0.5]] * 4, dtype=torch.float64)  # 12 nodes


def plan(view: Array = V, scope: Array = SCOPE) -> EstimationPlan:
    return EstimationPlan.of(BasicView(csr_array(view), csr_array(scope)), torch.float64)


def estimator(*, mu: float = MU, rate: float = 0.0) -> ViewEstimator:
    made = ViewEstimator(
        1,
        1,
        scorer="linear",
        mu=mu,
        rate=rate,
        generator=torch.Generator().manual_seed(0),
        dtype=torch.float64,
    )
    with torch.no_grad():
        made.weight.fill_(1.0)
        made.scorer.weight.fill_(math.log(2.0))
    return made


def dense(pattern: Pattern, values: Tensor) -> Array:
    result: Array = pattern.to_scipy(values).toarray()
    return result


def softmax_over(scope: Array, scores: Array) -> Array:
    weights = np.where(scope > 0, np.exp(scores), 0.0)
    result: Array = weights / weights.sum(axis=1, keepdims=True)
    return result


def close(result: Array, expected: Array) -> None:
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


# Equations (2) to (5) ---------------------------------------------------------------------------


def test_embedding_is_the_positive_part_of_the_convolution() -> None:
    close(estimator().embed(Propagated(plan().basic, X)).detach().numpy(), Z)


def test_probabilities_by_hand() -> None:
    scope = plan().scope
    close(dense(scope, estimator().probabilities(scope, Nodes(torch.tensor(Z)))), P)


def test_estimated_view_is_the_basic_one_plus_mu_p_made_symmetric_looped_and_normalised() -> None:
    estimated = V + MU * P
    whole = estimated + estimated.T + np.eye(3)
    root = np.sqrt(whole.sum(axis=1))
    result = estimator()(plan(), Propagated(plan().basic, X))
    close(dense(result.pattern, result.values), whole / np.outer(root, root))


def test_constant_part_holds_the_view_its_mirror_and_the_self_loops() -> None:
    made = plan()
    close(dense(made.pattern, made.constant), V + V.T + np.eye(3))
    stored = dense(made.pattern, torch.ones(made.pattern.nnz))
    assert np.array_equal(stored, (V + SCOPE + V.T + SCOPE.T + np.eye(3)) > 0)


def test_without_weight_the_estimate_changes_nothing() -> None:
    result = estimator(mu=0.0)(plan(), Propagated(plan().basic, X))
    whole = V + V.T + np.eye(3)
    root = np.sqrt(whole.sum(axis=1))
    close(dense(result.pattern, result.values), whole / np.outer(root, root))


# What follows from them -------------------------------------------------------------------------


def random_plan(seed: int, n: int = 12) -> tuple[EstimationPlan, Tensor]:
    """Return a plan whose view and scope are not symmetric, and features."""
    rng = np.random.default_rng(seed)
    view = np.where(rng.random((n, n)) < 0.2, rng.random((n, n)), 0.0) + np.eye(n)
    scope = np.where(rng.random((n, n)) < 0.3, 1.0, 0.0) + np.eye(n)
    return plan(view, scope), torch.tensor(rng.normal(size=(n, 5)))


def random_estimator(scorer: str, rate: float = 0.0) -> ViewEstimator:
    source = torch.Generator().manual_seed(1)
    made = ViewEstimator(
        5, 4, scorer=scorer, mu=MU, rate=rate, generator=source, dtype=torch.float64
    )
    made.scorer.trust_in(10)
    return made


@pytest.mark.parametrize("scorer", sorted(SCORERS))
@pytest.mark.parametrize("seed", [0, 1])
def test_result_is_symmetric_whatever_the_view_and_scope(scorer: str, seed: int) -> None:
    made, features = random_plan(seed)
    result = random_estimator(scorer)(made, Propagated(made.basic, features), BELIEFS)
    matrix = dense(result.pattern, result.values)
    assert result.symmetric
    assert not np.array_equal(made.scope.to_scipy().toarray(), made.scope.to_scipy().toarray().T)
    close(matrix, matrix.T)


@pytest.mark.parametrize("scorer", sorted(SCORERS))
def test_probabilities_of_each_node_sum_to_one_on_its_scope_alone(scorer: str) -> None:
    made, features = random_plan(0)
    model = random_estimator(scorer)
    nodes = Nodes(model.embed(Propagated(made.basic, features)), BELIEFS)
    probabilities = model.probabilities(made.scope, nodes)
    matrix = dense(made.scope, probabilities)
    close(matrix.sum(axis=1), np.ones(12))
    assert float(probabilities.detach().min()) > 0


def test_root_of_the_degrees_is_what_the_normalised_view_leaves_unchanged() -> None:
    estimated = V + MU * P
    root = np.sqrt((estimated + estimated.T + np.eye(3)).sum(axis=1))
    result = estimator()(plan(), Propagated(plan().basic, X))
    close(dense(result.pattern, result.values) @ root, root)


def test_dropout_acts_only_with_a_generator() -> None:
    made, features = random_plan(0)
    model = random_estimator("linear", rate=0.5)
    plain = model(made, Propagated(made.basic, features)).values
    assert torch.equal(
        plain, random_estimator("linear")(made, Propagated(made.basic, features)).values
    )
    first, again, other = (
        model(
            made, Propagated(made.basic, features), generator=torch.Generator().manual_seed(seed)
        ).values
        for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, plain)


@pytest.mark.parametrize("scorer", sorted(SCORERS))
def test_gradient_reaches_every_parameter(scorer: str) -> None:
    made, features = random_plan(0)
    model = random_estimator(scorer)
    loss = model(made, Propagated(made.basic, features), BELIEFS).values.square().sum()
    for grad in torch.autograd.grad(loss, list(model.parameters())):
        assert float(grad.abs().max()) > 0


# Cancellation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "bias"), [(0.0, 0.0), (1.7, -3.0), (-0.4, 12.0)])
def test_own_embedding_and_bias_of_equation_3_cancel_in_equation_4(own: float, bias: float) -> None:
    scores = own * Z + math.log(2.0) * Z.T + bias  # w_ij = W [z_i || z_j] + b
    scope = plan().scope
    close(
        softmax_over(SCOPE, scores),
        dense(scope, estimator().probabilities(scope, Nodes(torch.tensor(Z)))),
    )


def test_cancellation_is_documented_where_the_equation_lives() -> None:
    text = LinearScorer.__doc__ or ""
    assert "cancel" in text
    assert "p_ij depends on z_j alone" in text


def test_nodes_of_equal_scope_get_equal_rows_from_the_paper_s_scorer_alone() -> None:
    everywhere = plan(scope=np.ones((3, 3))).scope
    embeddings = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    nodes = Nodes(embeddings, BELIEFS[:3])
    rows = {}
    for name, scorer in SCORERS.items():
        made = scorer(2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        made.trust_in(100)
        rows[name] = softmax_over(np.ones((3, 3)), dense(everywhere, made(everywhere, nodes)))
    close(rows["linear"][0], rows["linear"][1])
    for name in SCORERS.keys() - {"linear"}:
        assert float(np.abs(rows[name][0] - rows[name][1]).max()) > 0.1


def test_agreement_scorer_by_hand() -> None:
    scorer = AgreementScorer(1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    with torch.no_grad():
        scorer.weight.fill_(math.log(3.0))
        scorer.scale.fill_(2.0)
    embeddings = torch.tensor([[0.0], [1.0], [0.0]], dtype=torch.float64)
    beliefs = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], dtype=torch.float64)
    everywhere = plan(scope=np.ones((3, 3))).scope

    def weights() -> Array:
        return dense(everywhere, scorer(everywhere, Nodes(embeddings, beliefs)).exp())

    # 20 labels: the beliefs become (3/4, 1/4), (1/2, 1/2) and (1/4, 3/4), who agree
    # by 5/8, 1/2 and 3/8. The far end in the middle counts three times, agreement by its square.
    scorer.trust_in(20)
    same, other, half = 25 / 64, 9 / 64, 1 / 4
    expected = [[same, 3 * half, other], [half, 3 * half, half], [other, 3 * half, same]]
    close(weights(), np.array(expected))
    scorer.trust_in(0)
    close(weights(), np.array([[half, 3 * half, half]] * 3))


def test_agreement_of_some_rows_is_that_of_these_nodes_with_all() -> None:
    scorer = AgreementScorer(2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    embeddings = torch.randn(12, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    scope = random_plan(0)[0].scope
    scorer.trust_in(50)
    nodes, rows = Nodes(embeddings, BELIEFS), slice(3, 9)
    some = Pattern.from_scipy(scope.to_scipy()[rows])
    whole = dense(scope, scorer(scope, nodes))[rows]
    close(dense(some, scorer(some, nodes, rows)), whole)


def test_cosine_scorer_by_hand() -> None:
    scorer = CosineScorer(2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    with torch.no_grad():
        scorer.weight.copy_(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        scorer.scale.fill_(10.0)
    embeddings = torch.tensor([[1.5, 4.0], [0.0, 7.0], [0.0, 0.0]], dtype=torch.float64)
    scores = scorer(plan().scope, Nodes(embeddings))  # rows become (3, 4), (0, 7), (0, 0)
    close(dense(plan().scope, scores), np.array([[10.0, 8.0, 0], [0, 10.0, 0.0], [0.0, 0, 0.0]]))


def test_cosine_scorer_has_a_finite_gradient_for_nodes_without_an_embedding() -> None:
    scorer = CosineScorer(2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    embeddings = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    scores = scorer(plan().scope, Nodes(embeddings)).sum()
    for grad in torch.autograd.grad(scores, [embeddings, scorer.weight, scorer.scale]):
        assert bool(torch.isfinite(grad).all())
