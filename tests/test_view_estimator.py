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
from cogsl.scorers import SCORERS, Nodes
from cogsl.sparse import Pattern
from cogsl.view_estimator import EstimationPlan, ViewEstimator
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
