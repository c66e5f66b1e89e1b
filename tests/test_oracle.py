"""The oracle checked by hand, so that a difference to it is the library's fault."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from tests import oracle
from tests.random_graphs import RandomProblem, random_problem

SEEDS = range(12)


def matrix(rows: list[list[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def same(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-6)


def same_exactly(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-13)


def dense_adjacency(problem: RandomProblem) -> Tensor:
    return torch.from_numpy(problem.adjacency.toarray())


PATH = matrix([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


# --------------------------------------------------------------------------- basic views


def test_normalise_divides_by_the_roots_of_both_degrees() -> None:
    a, b = 1 / 2, 1 / math.sqrt(6)
    same_exactly(
        oracle.normalise(oracle.with_self_loops(PATH)),
        matrix([[a, b, 0], [b, 1 / 3, b], [0, b, a]]),
    )


def test_normalise_uses_row_sums_on_both_sides_of_an_asymmetric_view() -> None:
    same_exactly(oracle.normalise(matrix([[1, 3], [0, 1]])), matrix([[1 / 4, 3 / 2], [0, 1]]))


def test_normalise_gives_zeros_and_finite_gradients_for_a_zero_row() -> None:
    V = matrix([[0, 0, 0], [2, 0, 2], [0, 0, 4]]).requires_grad_()
    normal = oracle.normalise(V)
    same_exactly(normal, matrix([[0, 0, 0], [0, 0, 1 / 2], [0, 0, 1]]))
    (gradient,) = torch.autograd.grad(normal.sum(), V)
    assert bool(gradient.isfinite().all())


def test_adjacency_view_of_an_isolated_node_is_its_self_loop() -> None:
    view = oracle.adjacency_view(matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 1)
    same_exactly(view.matrix, matrix([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]))
    assert view.scope.tolist() == [[True, True, False], [True, True, False], [False, False, True]]


def test_hops_follow_the_direction_of_the_entries() -> None:
    chain = matrix([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    assert oracle.hops(chain, 1).tolist() == (chain != 0).tolist()
    assert oracle.hops(chain, 2).int().tolist() == [
        [1, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 0, 1],
    ]
    assert bool(oracle.hops(chain, 3)[0].all())


def test_top_entries_break_ties_by_the_lower_index_even_within_rounding() -> None:
    values = matrix([[1, 3, 3, 3], [0.3, 0.1 + 0.2, 0, 1], [2, 1, 4, 3]])
    assert oracle.top_entries(values, 2).int().tolist() == [
        [0, 1, 1, 0],
        [1, 0, 0, 1],
        [0, 0, 1, 1],
    ]
    assert bool(oracle.top_entries(values, 9).all())


def test_knn_joins_self_and_the_most_similar_and_ties_go_to_the_lower_index() -> None:
    X = matrix([[1, 0], [2, 2], [0, 3]])  # node 1 is as similar to 0 as to 2
    assert oracle.knn_graph(X, 2).tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 1]]


def test_knn_of_a_node_without_features_keeps_itself() -> None:
    X = matrix([[1, 0], [0, 1], [0, 0]])
    assert oracle.knn_graph(X, 2)[2].tolist() == [1, 0, 1]


def test_knn_keeps_itself_beside_many_duplicates() -> None:
    assert oracle.knn_graph(matrix([[1, 2]] * 4), 2)[3].tolist() == [1, 0, 0, 1]


def test_knn_view_is_normalised_by_its_row_sums() -> None:
    view = oracle.knn_view(matrix([[1, 0], [2, 2], [0, 3]]), 2, 2)
    same_exactly(view.matrix, matrix([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]))
    assert view.scope.int().tolist() == [[1, 1, 0], [1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_diffusion_on_a_complete_graph_has_its_closed_form(n: int) -> None:
    # D^-1/2 (A + I) D^-1/2 is the projector J/n, so that S = alpha I + (1 - alpha) J/n.
    A = torch.ones(n, n, dtype=torch.float64) - torch.eye(n, dtype=torch.float64)
    expected = 0.2 * torch.eye(n, dtype=torch.float64) + 0.8 / n
    same_exactly(oracle.diffusion(A, 0.2), expected)


def test_diffusion_view_of_a_triangle_keeps_itself_and_the_lower_of_two_equals() -> None:
    A = torch.ones(3, 3, dtype=torch.float64) - torch.eye(3, dtype=torch.float64)
    view = oracle.diffusion_view(A, 0.2, 2)
    assert view.scope.int().tolist() == [[1, 1, 0], [1, 1, 0], [1, 0, 1]]
    # A kept row holds 0.2 + 0.8/3 and 0.8/3: the sum is the same in each.
    other = (0.8 / 3) / (0.2 + 1.6 / 3)
    own = 1 - other
    same_exactly(view.matrix, matrix([[own, other, 0], [other, own, 0], [other, 0, own]]))


def test_diffusion_view_has_no_neighbour_that_cannot_be_reached() -> None:
    view = oracle.diffusion_view(matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 0.2, 3)
    assert view.scope.int().tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert view.matrix[2, 2] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_diffusion_is_the_sum_of_its_walks(seed: int) -> None:
    A = dense_adjacency(random_problem(seed))
    step = oracle.normalise(oracle.with_self_loops(A))
    walk = torch.eye(len(A), dtype=A.dtype)
    total = torch.zeros_like(walk)
    for _ in range(150):  # 0.8^150 is 3e-15
        total += 0.2 * walk
        walk = 0.8 * step @ walk
    same_exactly(oracle.diffusion(A, 0.2), total)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_diffusion_scope_always_holds_the_node_itself(seed: int, weighted: bool) -> None:
    A = dense_adjacency(random_problem(seed, weighted=weighted))
    assert bool(oracle.diffusion_view(A, 0.2, 1).scope.diagonal().all())


# ------------------------------------------------------------------------- view estimator


def test_embedding_is_the_rectified_convolution() -> None:
    V = matrix([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    X = matrix([[1, 0], [3, 2], [-1, 5]])
    W = matrix([[1, -1], [0, 1]])
    # V X = [[2, 1], [2, 1], [-1, 5]]
    same_exactly(oracle.embed(V, X, W), matrix([[2, 0], [2, 0], [0, 6]]))
    mask = matrix([[2, 2], [0, 2], [2, 0]])
    same_exactly(oracle.embed(V, X, W, mask), matrix([[4, 0], [0, 0], [0, 0]]))


def test_paper_scores_take_the_first_half_from_the_row_and_the_second_from_the_column() -> None:
    Z = matrix([[1, 0], [0, 2], [1, 1]])
    w = torch.tensor([1.0, 10.0, 100.0, 1000.0], dtype=torch.float64)
    # z_i . (1, 10) = 1, 20, 11;  z_j . (100, 1000) = 100, 2000, 1100;  b = 0.5
    expected = [[101.5, 2001.5, 1101.5], [120.5, 2020.5, 1120.5], [111.5, 2011.5, 1111.5]]
    same_exactly(oracle.paper_scores(Z, w, torch.tensor(0.5)), matrix(expected))


def test_probabilities_are_a_softmax_over_the_scope_alone() -> None:
    scores = matrix([[0, math.log(3), 50], [math.log(2), 0, 0], [9, 9, -7]])
    scope = torch.tensor([[1, 1, 0], [1, 1, 1], [0, 0, 1]], dtype=torch.bool)
    expected = matrix([[1 / 4, 3 / 4, 0], [1 / 2, 1 / 4, 1 / 4], [0, 0, 1]])
    same_exactly(oracle.probabilities(scores, scope), expected)


def test_an_empty_row_of_the_scope_is_refused() -> None:
    with pytest.raises(AssertionError, match="empty"):
        oracle.probabilities(PATH, torch.zeros(3, 3, dtype=torch.bool))


def test_the_row_half_and_the_bias_cancel_from_the_probabilities() -> None:
    draw = torch.Generator().manual_seed(0)
    Z = torch.rand(5, 3, generator=draw, dtype=torch.float64)
    w = torch.randn(6, generator=draw, dtype=torch.float64).requires_grad_()
    b = torch.tensor(0.7, dtype=torch.float64).requires_grad_()
    scope = torch.rand(5, 5, generator=draw) < 0.5
    scope.fill_diagonal_(True)
    P = oracle.probabilities(oracle.paper_scores(Z, w, b), scope)
    from_columns = (Z @ w[3:])[None, :].expand(5, 5)
    same_exactly(P, oracle.probabilities(from_columns, scope))
    weights = torch.rand(5, 5, generator=draw, dtype=torch.float64)
    grad_w, grad_b = torch.autograd.grad((P * weights).sum(), [w, b])
    assert float(grad_w[:3].abs().max()) < 1e-14
    assert float(grad_b.abs()) < 1e-14
    assert float(grad_w[3:].abs().max()) > 1e-3


def test_cosine_scores_by_hand() -> None:
    Z = matrix([[1, 0], [3, 3], [0, 0]])
    r = math.sqrt(0.5)
    plain = matrix([[1, r, 0], [r, 1, 0], [0, 0, 0]])
    same_exactly(oracle.cosine_scores(Z, torch.eye(2, dtype=torch.float64), 4.0), 4 * plain)
    # z Q = [1, 1], [3, 0], [0, 0]: the projection multiplies from the right.
    same_exactly(oracle.cosine_scores(Z, matrix([[1, 1], [0, -1]]), 1.0), plain)


def test_the_row_does_not_cancel_from_the_cosine_scorer() -> None:
    Z = matrix([[1, 0], [0, 1], [1, 1]])
    scores = oracle.cosine_scores(Z, torch.eye(2, dtype=torch.float64), 5.0)
    P = oracle.probabilities(scores, torch.ones(3, 3, dtype=torch.bool))
    assert P.argmax(dim=1).tolist() == [0, 1, 2]


def test_a_zero_embedding_has_a_finite_gradient_under_the_cosine_scorer() -> None:
    Z = matrix([[1, 0], [0, 0]]).requires_grad_()
    scores = oracle.cosine_scores(Z, torch.eye(2, dtype=torch.float64), 5.0)
    (gradient,) = torch.autograd.grad(scores[0].sum(), Z)
    assert bool(gradient.isfinite().all())


def test_combine_adds_mu_times_the_probabilities() -> None:
    V, P = matrix([[1, 2], [0, 1]]), matrix([[0.25, 0.75], [0, 1]])
    same_exactly(oracle.combine(V, P, 0.4), matrix([[1.1, 2.3], [0, 1.4]]))


def test_finish_symmetrises_adds_self_loops_and_normalises() -> None:
    # V + V^T + I = [[3, 3], [3, 6]], its row sums 6 and 9
    expected = matrix([[1 / 2, 3 / math.sqrt(54)], [3 / math.sqrt(54), 2 / 3]])
    same_exactly(oracle.finish(matrix([[1, 2], [1, 2.5]])), expected)


def test_a_view_is_estimated_by_hand_from_end_to_end() -> None:
    view = oracle.BasicView(torch.eye(2, dtype=torch.float64), torch.ones(2, 2, dtype=torch.bool))
    X = matrix([[math.log(3)], [-1]])
    unit = torch.tensor(1.0, dtype=torch.float64)
    parameters = oracle.PaperEstimator(matrix([[1]]), torch.stack([5 * unit, unit]), unit)
    # z = (log 3, 0), so P has rows (3/4, 1/4); V + P = [[1.75, 0.25], [0.75, 1.25]];
    # symmetric with self-loops [[4.5, 1], [1, 3.5]], its row sums 5.5 and 4.5
    off = 1 / math.sqrt(5.5 * 4.5)
    expected = matrix([[4.5 / 5.5, off], [off, 3.5 / 4.5]])
    same_exactly(oracle.estimate(view, X, parameters, 1.0), expected)


# --------------------------------------------------------------------- classifier and fusion


def test_classifier_convolves_twice() -> None:
    V = matrix([[0, 1], [0.5, 0]])
    X = matrix([[2], [1]])
    weights = matrix([[1, -1]]), matrix([[math.log(2), 0], [1, 0]])
    # relu(V X W0) = [[1, 0], [1, 0]]; the first class leads by log(2), times V's row sums 1, 0.5
    two = math.sqrt(2)
    relu = matrix([[2 / 3, 1 / 3], [two / (1 + two), 1 / (1 + two)]])
    same_exactly(oracle.classify(V, X, oracle.Classifier(*weights)), relu)
    # elu(V X W0) = [[1, 1/e - 1], [1, 1/e - 1]]; it leads by log(2) + 1/e - 1
    odds = 2 * math.exp(math.exp(-1) - 1)
    root = math.sqrt(odds)
    expected = matrix([[odds / (1 + odds), 1 / (1 + odds)], [root / (1 + root), 1 / (1 + root)]])
    parameters, elu = oracle.Classifier(*weights), torch.nn.functional.elu
    same_exactly(oracle.classify(V, X, parameters, activation=elu), expected)
    masked = oracle.classify(V, X, parameters, matrix([[1, 1], [0, 0]]), elu)
    same_exactly(masked, matrix([[1 / 2, 1 / 2], [root / (1 + root), 1 / (1 + root)]]))


@pytest.mark.parametrize("lam", [0.1, 0.5, 0.9])
def test_fusion_prefers_the_sharper_prediction(lam: float) -> None:
    sharp, smooth = matrix([[0.8, 0.1, 0.1]]), matrix([[0.4, 0.3, 0.3]])
    beta = oracle.adaptive_weights([sharp, smooth], 1.0, lam)
    first = 0.8**lam * 0.7 ** (1 - lam)
    second = 0.4**lam * 0.1 ** (1 - lam)
    same_exactly(beta, matrix([[first, second]]) / (first + second))
    assert float(beta[0, 0]) > 0.5


def test_fusion_prefers_the_larger_margin_at_the_same_maximum() -> None:
    near, far = matrix([[0.5, 0.4, 0.1]]), matrix([[0.5, 0.25, 0.25]])
    beta = oracle.adaptive_weights([near, far], 0.1, 0.5)
    # The maximum cancels: (0.1 / 0.25)^(eps (1 - lam)) is the ratio.
    ratio = 0.4**0.05
    same_exactly(beta, matrix([[ratio / (1 + ratio), 1 / (1 + ratio)]]))
    assert float(beta[0, 1]) > 0.5


def test_importance_does_not_depend_on_where_the_classes_stand() -> None:
    O = matrix([[0.1, 0.2, 0.7], [0.7, 0.1, 0.2], [0.2, 0.7, 0.1]])  # noqa: E741
    same_exactly(oracle.importance(O, 1.0, 0.0), torch.full((3,), 0.5, dtype=torch.float64))


def test_a_tied_prediction_has_its_margin_held_at_the_floor() -> None:
    tied = matrix([[0.5, 0.5]])
    same_exactly(oracle.importance(tied, 0.5, 0.0), torch.tensor([1e-4], dtype=torch.float64))


def test_fusion_weights_of_three_views_sum_to_one_and_vary_by_node() -> None:
    draw = torch.Generator().manual_seed(1)
    outputs = [torch.rand(4, 3, generator=draw, dtype=torch.float64).softmax(1) for _ in range(3)]
    beta = oracle.adaptive_weights(outputs, 1.0, 0.3)
    assert beta.shape == (4, 3)
    same_exactly(beta.sum(dim=1), torch.ones(4, dtype=torch.float64))
    assert float(beta.std(dim=0).min()) > 0
    same_exactly(oracle.adaptive_weights(outputs, 0.0, 0.3), oracle.average_weights(outputs))


def test_fusion_mixes_rows() -> None:
    first, second = matrix([[1, 0], [3, 4]]), matrix([[2, 4], [6, 7]])
    fused = oracle.fuse([first, second], matrix([[0.25, 0.75], [1, 0]]))
    same_exactly(fused, matrix([[1.75, 3], [3, 4]]))


def test_attention_weighs_whole_views_by_a_softmax() -> None:
    scores = torch.tensor([0.0, math.log(3)], dtype=torch.float64)
    expected = matrix([[0.25, 0.75]] * 3)
    same_exactly(oracle.attention_weights(scores, 3), expected)


# -------------------------------------------------------------------------------- losses


def test_classification_loss_by_hand() -> None:
    labels, train = torch.tensor([0, 1, 1]), torch.tensor([0, 2])
    first = matrix([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]])
    second = matrix([[0.25, 0.75], [0.9, 0.1], [0.75, 0.25]])
    final = matrix([[0.5, 0.5], [0.9, 0.1], [0.875, 0.125]])
    # in units of log 2 the three cross-entropies are 1, 2 and (1 + 3) / 2
    loss = oracle.classification_loss([first, second, final], labels, train)
    assert float(loss) == pytest.approx((0.35 * 1 + 0.35 * 2 + 0.3 * 2) * math.log(2))
    alone = oracle.classification_loss([first, final], labels, train)
    assert float(alone) == pytest.approx((0.7 * 1 + 0.3 * 2) * math.log(2))


def test_encoder_has_a_slope_below_zero() -> None:
    V, X = matrix([[0, 1], [1, 0]]), matrix([[1], [-2]])
    encoder = oracle.Encoder(matrix([[1, -1]]), torch.tensor(0.25, dtype=torch.float64))
    same_exactly(oracle.encode(V, X, encoder), matrix([[-0.5, 2], [1, -0.25]]))


def test_encoder_and_projection_agree_with_torch_layers() -> None:
    draw = torch.Generator().manual_seed(2)
    H, first, second = torch.randn(3, 4, 4, generator=draw)
    a, b = torch.randn(2, 4, generator=draw)
    inner = torch.nn.functional.elu(torch.nn.functional.linear(H, first, a))
    expected = torch.nn.functional.linear(inner, second, b)
    same(oracle.project(H, oracle.Projection(first, a, second, b)), expected)
    slope = torch.tensor(0.3)
    expected = torch.nn.functional.prelu(H @ first, slope)
    same(oracle.encode(torch.eye(4), H, oracle.Encoder(first, slope)), expected)


def test_projection_by_hand() -> None:
    vector = torch.tensor([1.0, -1.0], dtype=torch.float64)
    parameters = oracle.Projection(
        matrix([[1, 2], [0, 1]]), vector, matrix([[0, 1], [1, 0]]), vector
    )
    # W0 h + b0 = (1 + 0 + 1, 0 - 1), ELU gives (2, 1/e - 1), swapped and shifted by b1
    expected = matrix([[1 / math.e - 1 + 1, 2 - 1]])
    same_exactly(oracle.project(matrix([[1, 0]]), parameters), expected)


def test_infonce_of_two_orthogonal_nodes_by_hand() -> None:
    H = matrix([[1, 0], [0, 5]])
    loss = oracle.infonce(H, 3 * H, torch.tensor([0, 1]), 0.5)
    assert float(loss) == pytest.approx(math.log(1 + math.exp(-2)))


def test_infonce_contrasts_rows_one_way_and_columns_the_other() -> None:
    H, K = matrix([[1, 0], [0, 1]]), matrix([[1, 0], [1, 0]])
    # sim = [[1, 1], [0, 0]], tau = 1. Rows: log 2 twice. Columns: e/(e+1) and 1/(1+e).
    rows = 2 * math.log(2)
    columns = -math.log(math.e / (math.e + 1)) - math.log(1 / (math.e + 1))
    both = (rows + columns) / 4
    batch = torch.tensor([0, 1])
    assert float(oracle.infonce(H, K, batch, 1.0)) == pytest.approx(both)
    assert float(oracle.infonce(K, H, batch, 1.0)) == pytest.approx(both)


def test_infonce_sees_the_batch_alone_and_in_any_order() -> None:
    draw = torch.Generator().manual_seed(3)
    H, K = torch.randn(2, 9, 4, generator=draw, dtype=torch.float64)
    batch = torch.tensor([7, 2, 4])
    loss = oracle.infonce(H, K, batch, 0.4)
    same_exactly(loss, oracle.infonce(H[batch], K[batch], torch.arange(3), 0.4))
    same_exactly(loss, oracle.infonce(H, K, batch.flip(0), 0.4))
    assert not torch.allclose(loss, oracle.infonce(H, K, torch.arange(9), 0.4))


def test_infonce_agrees_with_cross_entropy_both_ways() -> None:
    draw = torch.Generator().manual_seed(4)
    H, K = torch.randn(2, 6, 4, generator=draw, dtype=torch.float64)
    similarity = torch.nn.functional.cosine_similarity(H[:, None], K[None], dim=2) / 0.3
    target = torch.arange(6)
    forth = torch.nn.functional.cross_entropy(similarity, target)
    back = torch.nn.functional.cross_entropy(similarity.T, target)
    same_exactly(oracle.infonce(H, K, target, 0.3), (forth + back) / 2)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_views_that_tell_no_node_apart_lose_the_log_of_the_batch(m: int) -> None:
    projected = [torch.ones(5, 3, dtype=torch.float64)] * (m + 1)
    loss = oracle.mutual_information_loss(projected, torch.tensor([0, 1, 4]), 0.5)
    share = 1.0 if m > 1 else 0.7  # one view has no pair of estimated views
    assert float(loss) == pytest.approx(share * math.log(3))


def test_mutual_information_loss_weighs_its_pairs() -> None:
    draw = torch.Generator().manual_seed(5)
    a, b, c, final = torch.randn(4, 6, 3, generator=draw, dtype=torch.float64)
    batch = torch.arange(6)

    def pair(u: Tensor, v: Tensor) -> Tensor:
        return oracle.infonce(u, v, batch, 0.5)

    two = oracle.mutual_information_loss([a, b, final], batch, 0.5)
    same_exactly(two, 0.3 * pair(a, b) + 0.35 * pair(a, final) + 0.35 * pair(b, final))
    three = oracle.mutual_information_loss([a, b, c, final], batch, 0.5)
    between = pair(a, b) + pair(a, c) + pair(b, c)
    against = pair(a, final) + pair(b, final) + pair(c, final)
    same_exactly(three, 0.1 * between + 0.7 / 3 * against)


def test_eta_rises_between_its_bounds() -> None:
    assert oracle.eta_at(0, 1e-3) == 0.05
    assert oracle.eta_at(50, 1e-3) == 0.05  # log 1.05 is 0.0488
    assert oracle.eta_at(80, 1e-3) == pytest.approx(math.log(1.08))
    assert oracle.eta_at(200, 1e-3) == 0.1


# ------------------------------------------------------------------------------ in one go


def rebuilt(parameters: oracle.Parameters, change: Callable[[Tensor], Tensor]) -> oracle.Parameters:
    """Apply ``change`` to every tensor, in a fixed order; none of them has a bias."""
    attention = parameters.attention
    return oracle.Parameters(
        estimators=[
            type(each)(*map(change, oracle.tensors([each]))) for each in parameters.estimators
        ],
        classifiers=[
            oracle.Classifier(*map(change, oracle.tensors([each])))
            for each in parameters.classifiers
        ],
        encoders=[
            oracle.Encoder(*map(change, oracle.tensors([each]))) for each in parameters.encoders
        ],
        projection=oracle.Projection(*map(change, parameters.projection)),
        attention=None if attention is None else change(attention),
    )


class Case:
    """A random problem with its basic views and random parameters."""

    def __init__(self, seed: int, scorer: str, fusion: str, n_nodes: int | None = None) -> None:
        problem = random_problem(seed, n_nodes=n_nodes)
        self.draw = torch.Generator().manual_seed(seed)
        self.X = torch.from_numpy(problem.features)
        self.A = dense_adjacency(problem)
        self.k = problem.n_neighbours
        self.labels = torch.from_numpy(problem.labels)
        self.train = torch.from_numpy(problem.train)
        self.batch = torch.arange(0, problem.n_nodes, 2)
        self.settings = oracle.Settings(mu=[0.5, 0.3, 0.9], fusion=fusion, epsilon=1.0, lam=0.4)
        self.parameters = self._parameters(scorer, problem.n_features, problem.n_classes)

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.draw, dtype=torch.float64).requires_grad_()

    def _estimator(
        self, scorer: str, n_features: int
    ) -> oracle.PaperEstimator | oracle.CosineEstimator:
        weight = self._normal(n_features, 3)
        if scorer == "paper":
            return oracle.PaperEstimator(weight, self._normal(6), self._normal())
        return oracle.CosineEstimator(weight, self._normal(3, 3), self._normal())

    def _parameters(self, scorer: str, n_features: int, n_classes: int) -> oracle.Parameters:
        return oracle.Parameters(
            estimators=[self._estimator(scorer, n_features) for _ in range(3)],
            classifiers=[
                oracle.Classifier(self._normal(n_features, 4), self._normal(4, n_classes))
                for _ in range(4)
            ],
            encoders=[
                oracle.Encoder(self._normal(n_features, 3), self._normal()) for _ in range(4)
            ],
            projection=oracle.Projection(
                self._normal(3, 3), self._normal(3), self._normal(3, 3), self._normal(3)
            ),
            attention=self._normal(3),
        )

    def views(self) -> list[oracle.BasicView]:
        return [
            oracle.adjacency_view(self.A, 2),
            oracle.knn_view(self.X, self.k, 1),
            oracle.diffusion_view(self.A, 0.2, 4),
        ]

    def run(
        self, masks: oracle.Masks | None = None, views: list[oracle.BasicView] | None = None
    ) -> oracle.Outcome:
        return oracle.run(
            views or self.views(),
            self.X,
            self.labels,
            self.train,
            self.batch,
            self.parameters,
            self.settings,
            masks,
        )


@pytest.mark.parametrize("fusion", ["adaptive", "average", "attention"])
@pytest.mark.parametrize("scorer", ["paper", "cosine"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_pass_gives_probabilities_and_symmetric_estimates(
    seed: int, scorer: str, fusion: str
) -> None:
    case = Case(seed, scorer, fusion)
    outcome = case.run()
    n = len(case.A)
    for estimated in outcome.estimated:
        same_exactly(estimated, estimated.T)
        assert bool((estimated.diagonal() > 0).all())
    for prediction in [*outcome.predictions, outcome.fusion_weights]:
        same_exactly(prediction.sum(dim=1), torch.ones(n, dtype=torch.float64))
    same_exactly(outcome.objective, outcome.cls_loss - 0.1 * outcome.mi_loss)


@pytest.mark.parametrize("fusion", ["adaptive", "average", "attention"])
@pytest.mark.parametrize("scorer", ["paper", "cosine"])
def test_gradients_are_those_of_finite_differences(scorer: str, fusion: str) -> None:
    case = Case(3, scorer, fusion, n_nodes=8)
    views = case.views()
    leaves: list[Tensor] = []

    def collect(leaf: Tensor) -> Tensor:
        leaves.append(leaf)
        return leaf

    rebuilt(case.parameters, collect)

    def objective(*moved: Tensor) -> Tensor:
        following = iter(moved)
        case.parameters = rebuilt(case.parameters, lambda _: next(following))
        return case.run(views=views).objective

    assert torch.autograd.gradcheck(objective, leaves, eps=1e-6, atol=1e-6, fast_mode=True)


def test_every_view_has_its_own_parameters_and_the_final_one_the_last() -> None:
    case = Case(8, "paper", "attention")
    outcome, parameters = case.run(), case.parameters
    assert parameters.attention is not None
    share = parameters.attention.softmax(dim=0)
    mixed = sum((share[k] * outcome.estimated[k] for k in range(3)), torch.zeros_like(case.A))
    same_exactly(outcome.final, mixed)
    for k, view in enumerate(case.views()):
        expected = oracle.estimate(view, case.X, parameters.estimators[k], case.settings.mu[k])
        same_exactly(outcome.estimated[k], expected)
    for k, V in enumerate([*outcome.estimated, outcome.final]):
        predicted = oracle.classify(V, case.X, parameters.classifiers[k])
        encoded = oracle.encode(V, case.X, parameters.encoders[k])
        same_exactly(outcome.predictions[k], predicted)
        same_exactly(outcome.projected[k], oracle.project(encoded, parameters.projection))


def test_the_estimators_learn_through_the_fusion_weights() -> None:
    case = Case(4, "cosine", "adaptive")
    outcome = case.run()
    weight = case.parameters.estimators[0].weight
    total = (outcome.fusion_weights * torch.tensor([1.0, 0.0, 0.0])).sum()
    (gradient,) = torch.autograd.grad(total, weight)
    assert float(gradient.abs().max()) > 1e-6


def test_the_numbering_of_nodes_does_not_matter() -> None:
    case = Case(5, "cosine", "adaptive")
    views, n = case.views(), len(case.A)
    order = torch.randperm(n, generator=case.draw)
    place = torch.argsort(order)  # node order[i] is called i: node v is called place[v]
    before = case.run()
    moved = [
        oracle.BasicView(view.matrix[order][:, order], view.scope[order][:, order])
        for view in views
    ]
    after = oracle.run(
        moved,
        case.X[order],
        case.labels[order],
        place[case.train],
        place[case.batch],
        case.parameters,
        case.settings,
    )
    same_exactly(after.final, before.final[order][:, order])
    same_exactly(after.predictions[-1], before.predictions[-1][order])
    same_exactly(after.objective, before.objective)


def test_masks_of_ones_change_nothing_and_embeddings_of_zeros_make_the_scope_uniform() -> None:
    case = Case(6, "paper", "adaptive")
    n = len(case.A)
    ones = oracle.Masks(
        [torch.ones(n, 3, dtype=torch.float64)] * 3, [torch.ones(n, 4, dtype=torch.float64)] * 4
    )
    same_exactly(case.run(ones).objective, case.run().objective)
    zeros = oracle.Masks([0 * mask for mask in ones.embeddings if mask is not None], ones.hidden)
    view = case.views()[0]
    uniform = view.scope.double() / view.scope.sum(dim=1, keepdim=True)
    expected = oracle.finish(view.matrix + 0.5 * uniform)
    same_exactly(case.run(zeros).estimated[0], expected)


def test_a_hidden_layer_of_zeros_makes_that_view_undecided_and_no_other() -> None:
    case = Case(6, "paper", "average")
    zeros = torch.zeros(len(case.A), 4, dtype=torch.float64)
    for silent in range(4):
        hidden = [zeros if k == silent else None for k in range(4)]
        outcome = case.run(oracle.Masks([None] * 3, hidden))
        undecided = [bool((each.std(dim=1) < 1e-12).all()) for each in outcome.predictions]
        assert undecided == [k == silent for k in range(4)]


def test_single_precision_follows_double() -> None:
    case = Case(7, "paper", "adaptive")
    double = case.run()

    case.parameters = rebuilt(case.parameters, lambda leaf: leaf.detach().float())
    case.X, case.A = case.X.float(), case.A.float()
    outcome = case.run()
    assert outcome.objective.dtype == torch.float32
    torch.testing.assert_close(outcome.objective.double(), double.objective, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(outcome.final.double(), double.final, rtol=1e-4, atol=1e-5)


# ---------------------------------------------------------------------- random problems


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_problem_is_as_awkward_as_it_says(seed: int) -> None:
    problem = random_problem(seed)
    n = problem.n_nodes
    A, K = problem.adjacency.toarray(), problem.knn.toarray()
    assert 8 <= n <= 30
    assert np.array_equal(A, A.T)
    assert not A.diagonal().any()
    assert A.any()
    assert (A.sum(axis=1) == 0).sum() >= 2
    assert not np.array_equal(K, K.T)
    assert (K.sum(axis=1) == problem.n_neighbours).all()
    assert K.diagonal().all()
    assert (problem.features.any(axis=1)).sum() == n - 1
    assert 0.3 < (problem.features == 0).mean() < 0.9
    assert set(problem.labels[problem.train]) == set(range(problem.n_classes))
    split = np.concatenate([problem.train, problem.val, problem.test])
    assert sorted(split) == list(range(n))
    assert min(len(problem.train), len(problem.val), len(problem.test)) > 0
    for values in (A, problem.features):
        assert np.array_equal(values, values.astype(np.float32))


def test_a_random_problem_depends_on_its_seed_alone() -> None:
    first, second, other = random_problem(1), random_problem(1), random_problem(2)
    assert np.array_equal(first.features, second.features)
    assert np.array_equal(first.adjacency.toarray(), second.adjacency.toarray())
    assert np.array_equal(first.train, second.train)
    assert first.features.shape != other.features.shape or not np.array_equal(
        first.features, other.features
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_knn_agrees_with_a_sort_of_each_row(seed: int) -> None:
    problem = random_problem(seed)
    graph = oracle.knn_graph(torch.from_numpy(problem.features), problem.n_neighbours)
    assert np.array_equal(graph.numpy(), problem.knn.toarray())
