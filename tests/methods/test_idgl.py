from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.cost import GraphSize
from cogsl.errors import SettingValueError
from cogsl.graph import Graph
from cogsl.methods.idgl import IDGL
from cogsl.methods.idgl_graphs import (
    AnchorGraph,
    EmbeddingGraph,
    LearnedGraph,
    Regulariser,
    SparseGraph,
)
from cogsl.methods.idgl_metric import (
    above,
    node_anchor_affinities,
    similarity_graph,
    weighted_units,
)
from cogsl.methods.idgl_network import Learner, Network, mixed, relative_change
from cogsl.methods.idgl_settings import FULL_NODES, USUAL_ANCHORS
from cogsl.nn import FeatureMatrix
from cogsl.sparse import SparseMatrix, similarity
from tests.common.graphs import two_groups

DOUBLE = torch.float64


def close(found: Tensor, expected: Any, atol: float = 1e-10) -> None:
    expected = torch.as_tensor(expected, dtype=found.dtype)
    torch.testing.assert_close(found, expected, rtol=0, atol=atol)


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def dense_of(matrix: SparseMatrix) -> Tensor:
    """Return a sparse matrix as a dense one that carries the gradient."""
    pattern = matrix.pattern
    index = torch.stack([pattern.row.long(), pattern.col.long()])
    shape = matrix.shape
    return torch.sparse_coo_tensor(index, matrix.values, shape, check_invariants=True).to_dense()


def dense_similarity(vectors: Tensor, weights: Tensor, threshold: float) -> Tensor:
    """Return A by the formula, with PyTorch's cosines."""
    cosine = torch.nn.functional.cosine_similarity
    heads = [cosine((w * vectors)[:, None], (w * vectors)[None], dim=2) for w in weights]
    mean = torch.stack(heads).mean(dim=0)
    return torch.where(mean > threshold, mean, 0.0)


def bag_of_words(n: int = 23, d: int = 9, seed: int = 0) -> csr_array:
    words = np.random.default_rng(seed)
    return csr_array(words.random((n, d)) * (words.random((n, d)) < 0.3))


def both_kinds(n: int = 23) -> list[tuple[FeatureMatrix, Tensor]]:
    """Return dense features and sparse ones (with a row of zeros), each beside its dense form."""
    words = bag_of_words(n).toarray()
    words[3] = 0.0
    dense = torch.randn(n, 6, dtype=DOUBLE, generator=rng(1))
    sparse = SparseMatrix.from_scipy(csr_array(words), DOUBLE)
    return [(dense, dense), (sparse, torch.from_numpy(words))]


# The similarity -----------------------------------------------------------------------------------

# With w_1 = (1, 1) the cosines of (1, 0), (1, 1), (0, 2) are 1/sqrt(2), 0, 1/sqrt(2); with
# w_2 = (1, 0) the first two nodes are equal and the third is a zero vector.
NODES = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], dtype=DOUBLE)
HEADS = torch.tensor([[1.0, 1.0], [1.0, 0.0]], dtype=DOUBLE)
HALF = math.sqrt(0.5)
BY_HAND = [
    [1.0, (HALF + 1.0) / 2, 0.0],
    [(HALF + 1.0) / 2, 1.0, HALF / 2],
    [0.0, HALF / 2, 0.5],
]


def test_similarity_of_three_nodes_and_two_heads_by_hand() -> None:
    units = weighted_units(NODES, HEADS)
    close(units @ units.T, BY_HAND)


@pytest.mark.parametrize("sparse", [False, True])
def test_only_similarities_above_epsilon_are_kept(sparse: bool) -> None:
    features = SparseMatrix.from_scipy(csr_array(NODES.numpy()), DOUBLE) if sparse else NODES
    graph = similarity_graph(features, HEADS, 0.4)
    expected = np.where(np.array(BY_HAND) > 0.4, BY_HAND, 0.0)
    close(dense_of(graph), expected)
    assert graph.pattern.nnz == np.count_nonzero(expected) == 5


def test_a_similarity_that_equals_epsilon_is_dropped() -> None:
    alike = torch.tensor([0.6, 0.75, 0.5], dtype=DOUBLE)
    close(above(alike, 0.6), [0.0, 0.75, 0.0])


@pytest.mark.parametrize("threshold", [0.0, 0.35])
@pytest.mark.parametrize("kind", [0, 1], ids=["dense", "sparse"])
def test_stored_similarities_and_their_gradient_are_those_of_the_formula(
    kind: int, threshold: float
) -> None:
    features, plain = both_kinds()[kind]
    weights = torch.rand(3, plain.shape[1], dtype=DOUBLE, generator=rng(2)).requires_grad_()
    slopes = torch.randn(23, 23, dtype=DOUBLE, generator=rng(3))
    found = dense_of(similarity_graph(features, weights, threshold))
    expected = dense_similarity(plain, weights, threshold)
    close(found.detach(), expected.detach())
    ours, theirs = (torch.autograd.grad((a * slopes).sum(), weights)[0] for a in (found, expected))
    assert theirs.abs().max() > 0.1
    close(ours, theirs)


@pytest.mark.parametrize("kind", [0, 1], ids=["dense", "sparse"])
def test_with_all_nodes_as_anchors_affinities_are_the_full_similarities(kind: int) -> None:
    features, plain = both_kinds()[kind]
    weights = torch.rand(2, plain.shape[1], dtype=DOUBLE, generator=rng(2)).requires_grad_()
    R = node_anchor_affinities(features, torch.arange(23), weights, 0.2)
    A = dense_of(similarity_graph(features, weights, 0.2))
    close(R.detach(), A.detach())
    slopes = torch.randn(23, 23, dtype=DOUBLE, generator=rng(3))
    ours, theirs = (torch.autograd.grad((a * slopes).sum(), weights)[0] for a in (R, A))
    close(ours, theirs)


def test_affinities_to_some_anchors_are_columns_of_the_full_similarities() -> None:
    anchors = torch.tensor([1, 4, 20])
    for features, plain in both_kinds():
        weights = torch.rand(2, plain.shape[1], dtype=DOUBLE, generator=rng(2))
        full = dense_similarity(plain, weights, 0.2)
        close(node_anchor_affinities(features, anchors, weights, 0.2), full[:, anchors])


# Graphs -------------------------------------------------------------------------------------------


def example_units(n: int = 23) -> Tensor:
    return weighted_units(
        torch.randn(n, 4, dtype=DOUBLE, generator=rng(4)).relu(),
        torch.rand(2, 4, dtype=DOUBLE, generator=rng(5)),
    )


def as_graphs(units: Tensor, threshold: float) -> list[tuple[LearnedGraph, Tensor]]:
    """Return each form of graph made from units, beside the dense matrix that it regularises."""
    A = above(units @ units.T, threshold)
    plain = A.detach()
    stored = SparseMatrix.from_scipy(csr_array(plain.numpy()), DOUBLE)
    pattern = stored.pattern
    values = A[pattern.row.long(), pattern.col.long()]
    sparse = SparseGraph(SparseMatrix(pattern, values))
    R = A[:, ::2]
    between = R.T @ torch.diag(1.0 / R.sum(dim=1).clamp(min=1e-12)) @ R
    return [(sparse, A), (EmbeddingGraph(units, threshold), A), (AnchorGraph(R), between)]


FORMS = pytest.mark.parametrize("form", [0, 1, 2], ids=["sparse", "embedding", "anchor"])


@pytest.fixture(params=[1 << 5, 1 << 18], ids=["many-strips", "one-strip"])
def strips(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "_BLOCK_NUMBERS", request.param)


def row_normalised(A: Tensor) -> Tensor:
    return A / A.sum(dim=1, keepdim=True).clamp(min=1e-12)


@pytest.mark.usefixtures("strips")
@FORMS
def test_messages_and_their_gradients_are_those_of_the_dense_graph(form: int) -> None:
    units = example_units().requires_grad_()
    messages = torch.randn(23, 3, dtype=DOUBLE, generator=rng(6)).requires_grad_()
    slopes = torch.randn(23, 3, dtype=DOUBLE, generator=rng(7))
    graph, _ = as_graphs(units, 0.3)[form]
    A = above(units @ units.T, 0.3)
    R = A[:, ::2]
    matrix = row_normalised(R) @ row_normalised(R.T) if form == 2 else row_normalised(A)
    for _ in range(2):  # the second time the degrees are known
        found, expected = graph.spread(messages), matrix @ messages
        close(found.detach(), expected.detach())
        for one, two in zip(
            torch.autograd.grad((found * slopes).sum(), (units, messages), retain_graph=True),
            torch.autograd.grad((expected * slopes).sum(), (units, messages), retain_graph=True),
            strict=True,
        ):
            assert two.abs().max() > 0.01
            close(one, two)
    close(graph.rows(slice(5, 12)), matrix[5:12].detach())


@pytest.mark.usefixtures("strips")
@FORMS
@pytest.mark.parametrize(
    "shares", [(0.7, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.3), (0.7, 0.5, 0.3)]
)
def test_each_regulariser_and_its_gradient_is_that_of_the_dense_formula(
    form: int, shares: tuple[float, float, float]
) -> None:
    units = example_units().requires_grad_()
    graph, A = as_graphs(units, 0.3)[form]
    n = len(A)
    X = torch.randn(n, 5, dtype=DOUBLE, generator=rng(8))
    alpha, beta, gamma = shares
    degrees = A.sum(dim=1)
    laplacian = torch.diag(degrees) - A
    expected = alpha / n**2 * torch.trace(X.T @ laplacian @ X)
    expected = expected - beta / n * degrees.clamp(min=1e-12).log().sum()
    expected = expected + gamma / n**2 * torch.linalg.matrix_norm(A) ** 2
    found = Regulariser(alpha, beta, gamma, X @ X.T if alpha else None)(graph)
    close(found.detach(), expected.detach())
    one, two = (torch.autograd.grad(y, units, retain_graph=True)[0] for y in (found, expected))
    assert two.abs().max() > 1e-4
    close(one, two)


# A = [[1, 1/2, 0], [1/2, 1, 0], [0, 0, 1]] and x = 0, 2, 5: the only two joined nodes are 2 apart.
SMALL = torch.tensor([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]], dtype=DOUBLE)
X_SMALL = torch.tensor([[0.0], [2.0], [5.0]], dtype=DOUBLE)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((1.0, 0.0, 0.0), 0.5 * 2.0**2 / 9),
        ((0.0, 1.0, 0.0), -2.0 * math.log(1.5) / 3),
        ((0.0, 0.0, 1.0), 3.5 / 9),
    ],
    ids=["smoothness", "connectivity", "sparsity"],
)
def test_each_regulariser_by_hand(shares: tuple[float, float, float], expected: float) -> None:
    graph = SparseGraph(SparseMatrix.from_scipy(csr_array(SMALL.numpy()), DOUBLE))
    gram = X_SMALL @ X_SMALL.T if shares[0] else None
    close(Regulariser(*shares, gram)(graph), expected)


def test_a_node_like_no_other_gets_no_messages_and_no_gradient() -> None:
    vectors = torch.tensor([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]], dtype=DOUBLE, requires_grad=True)
    graph = EmbeddingGraph(weighted_units(vectors, HEADS[:1]), 0.3)
    spread = graph.spread(torch.ones(3, 1, dtype=DOUBLE))
    close(spread.detach(), [[1.0], [0.0], [1.0]])
    loss = spread.sum() + Regulariser(0.0, 1.0, 1.0, None)(graph)
    (grad,) = torch.autograd.grad(loss, vectors)
    assert bool(grad.isfinite().all())


# Anchors ------------------------------------------------------------------------------------------


def test_two_step_messages_by_hand() -> None:
    # Node 0 knows anchor a, node 1 both, node 2 anchor b three times as well.
    R = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]], dtype=DOUBLE)
    messages = torch.tensor([[2.0], [4.0], [8.0]], dtype=DOUBLE)
    a, b = (2 + 4) / 2, (4 + 3 * 8) / 4
    close(AnchorGraph(R).spread(messages), [[a], [(a + b) / 2], [b]])


def test_with_all_nodes_as_anchors_messages_go_twice_through_the_full_graph() -> None:
    """R = A then, so two steps are f(A) f(A^T) X, and the rows of that still sum to 1."""
    units = example_units()
    (full, _), _, _ = as_graphs(units, 0.3)
    A = above(units @ units.T, 0.3)
    graph = AnchorGraph(A)
    messages = torch.randn(23, 3, dtype=DOUBLE, generator=rng(6))
    lengths = A.sum(dim=1).clamp(min=1e-12)
    dense = torch.diag(1 / lengths) @ A @ torch.diag(1 / lengths) @ A.T
    close(graph.spread(messages), dense @ messages)
    close(graph.spread(messages), full.spread(full.spread(messages)))
    close(graph.between_anchors.sum(dim=1), graph.degrees)


def test_anchor_graph_is_symmetric_and_its_row_sums_are_the_anchors_degrees() -> None:
    R = torch.rand(9, 4, dtype=DOUBLE, generator=rng())
    graph = AnchorGraph(R)
    close(graph.between_anchors, graph.between_anchors.T)
    close(graph.between_anchors.sum(dim=1), graph.degrees)


# Combination and turns ----------------------------------------------------------------------------


def test_combination_by_hand() -> None:
    given, first, current = (torch.tensor([x]) for x in (10.0, 2.0, 4.0))
    # 0.6 * 10 + 0.4 * (0.25 * 4 + 0.75 * 2) = 7
    close(mixed(given, first, current, skip=0.6, update=0.25), [7.0], 1e-6)
    close(mixed(given, first, None, skip=0.6, update=0.25), [6.8], 1e-6)


def stored(matrix: Tensor) -> SparseGraph:
    return SparseGraph(SparseMatrix.from_scipy(csr_array(matrix.numpy()), matrix.dtype))


@pytest.mark.usefixtures("strips")
def test_relative_change_is_measured_against_the_first_graph_or_the_current_affinities() -> None:
    one, two = (
        example_units(),
        weighted_units(
            torch.rand(23, 8, dtype=DOUBLE, generator=rng(9)), torch.ones(1, 8, dtype=DOUBLE)
        ),
    )
    A, B = (above(units @ units.T, 0.3) for units in (one, two))
    first = stored(2.0 * SMALL)  # only its norm counts
    start, before, after = stored(A), EmbeddingGraph(one, 0.3), EmbeddingGraph(two, 0.3)
    expected = float((B - A).square().sum()) / 14.0
    assert relative_change(first, start, after) == pytest.approx(expected, rel=1e-10)
    assert relative_change(first, before, after) == pytest.approx(expected, rel=1e-10)
    anchored = relative_change(AnchorGraph(B), AnchorGraph(A), AnchorGraph(B))
    assert anchored == pytest.approx(float((B - A).square().sum() / B.square().sum()))


def small_network(*, anchors: Tensor | None = None, sparse: bool = False) -> Network:
    n = 12
    features = both_kinds(n)[sparse][0]
    adjacency = torch.eye(n, dtype=DOUBLE) + torch.diag(torch.ones(n - 1, dtype=DOUBLE), 1)
    adjacency = (adjacency + adjacency.T) / 4.0
    learner = Learner(features, hidden=4, heads=2, threshold=0.1, anchors=anchors, generator=rng(1))
    return Network(
        SparseMatrix.from_scipy(csr_array(adjacency.numpy()), DOUBLE),
        learner,
        n_classes=3,
        skip=0.6,
        update=0.25,
        rate=0.5,
        later_rate=0.0,
        generator=rng(2),
    )


def test_turns_end_when_the_graph_rests_or_there_were_enough() -> None:
    network = small_network()
    endless = list(network.turns(most=30, tolerance=0.0, generator=None))
    graphs = [turn.graph for turn in endless]
    moves = [relative_change(graphs[0], one, two) for one, two in itertools.pairwise(graphs)]
    assert moves[0] > 0.1  # from the features' graph to the embeddings'
    assert moves[8] < moves[1]
    for k in (0, 2, 5):
        tolerance = moves[k]
        expected = 1 + next(t for t, move in enumerate(moves, 1) if move <= tolerance)
        found = list(network.turns(most=30, tolerance=tolerance, generator=None))
        assert len(found) == expected
    assert len(list(network.turns(most=3, tolerance=0.0, generator=None))) == 4
    assert len(list(network.turns(most=0, tolerance=0.0, generator=None))) == 1


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("anchors", [None, [0, 2, 3, 7, 11]], ids=["full", "anchors"])
def test_whole_loss_and_every_gradient_are_those_of_the_dense_formulas(
    anchors: list[int] | None, sparse: bool
) -> None:
    network = small_network(
        anchors=None if anchors is None else torch.tensor(anchors), sparse=sparse
    )
    X = both_kinds(12)[sparse][1]
    labels = torch.arange(12) % 3
    learner, shares = network.learner, (0.4, 0.3, 0.2)
    penalty = learner.regulariser(*shares)
    turns = network.turns(most=3, tolerance=0.0, generator=None)
    losses = [
        torch.nn.functional.nll_loss(turn.output, labels) + penalty(turn.graph) for turn in turns
    ]
    found = losses[0] + torch.stack(losses[1:]).mean()
    expected = _dense_loss(network, X, labels, anchors, shares)
    close(found.detach(), expected.detach())
    parameters = dict(network.named_parameters())
    for name, parameter in parameters.items():
        one, two = (
            torch.autograd.grad(y, parameter, retain_graph=True)[0] for y in (found, expected)
        )
        assert two.abs().max() > 1e-6, name
        close(one, two)


def _dense_loss(
    network: Network,
    X: Tensor,
    labels: Tensor,
    anchors: list[int] | None,
    shares: tuple[float, float, float],
) -> Tensor:
    """Return L^(1) + the mean of three later L^(t), all with dense matrices."""
    learner, L0 = network.learner, dense_of(network.given)
    W0, W1 = network.first, network.second
    chosen = list(range(12)) if anchors is None else anchors
    f = row_normalised

    def graph(vectors: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return the normalised graph, and the one that is regularised."""
        R = dense_similarity(vectors, weights, 0.1)[:, chosen]
        if anchors is None:
            return f(R), R
        return f(R) @ f(R.T), R.T @ torch.diag(1 / R.sum(dim=1).clamp(min=1e-12)) @ R

    def loss(combined: Tensor, A: Tensor, Z: Tensor) -> Tensor:
        n, x, degrees = len(A), X[chosen], A.sum(dim=1)
        alpha, beta, gamma = shares
        smooth = alpha * torch.trace(x.T @ (torch.diag(degrees) - A) @ x) / n**2
        rest = gamma * A.square().sum() / n**2 - beta * degrees.clamp(min=1e-12).log().mean()
        output = (combined @ Z @ W1).log_softmax(dim=1)
        return torch.nn.functional.nll_loss(output, labels) + smooth + rest

    first, regularised = graph(X, learner.feature_weights)
    combined = 0.6 * L0 + 0.4 * first
    Z = (combined @ X @ W0).relu()
    total, later = loss(combined, regularised, Z), []
    for _ in range(3):
        current, regularised = graph(Z, learner.embedding_weights)
        combined = 0.6 * L0 + 0.4 * (0.25 * current + 0.75 * first)
        Z = (combined @ X @ W0).relu()
        later.append(loss(combined, regularised, Z))
    return total + torch.stack(later).mean()


# The method ---------------------------------------------------------------------------------------


def test_a_large_graph_gets_anchors_and_a_small_one_none_unless_told() -> None:
    assert IDGL().anchors_for(FULL_NODES) is None
    assert IDGL().anchors_for(FULL_NODES + 1) == USUAL_ANCHORS
    assert IDGL(anchors=7).anchors_for(100) == 7
    assert IDGL(anchors=7).anchors_for(5) == 5


def test_regularisers_are_as_told_and_else_those_of_the_version() -> None:
    assert IDGL().weights_for(100) == (0.4, 0.0, 0.2)
    assert IDGL(anchors=9).weights_for(100) == (0.0, 0.03, 0.0)
    assert IDGL(anchors=9, smoothness=0.5, connectivity=0.0).weights_for(100) == (0.5, 0.0, 0.0)


def two_vocabularies() -> Graph:
    """Return two groups that mostly use words of their own, few of them each."""
    graph = two_groups(60)
    words = np.random.default_rng(3)
    own = np.arange(20)[None, :] % 2 == graph.labels[:, None]
    used = words.random((60, 20)) < np.where(own, 0.4, 0.1)
    return dataclasses.replace(graph, features=csr_array(used.astype(np.float32)))


@pytest.mark.parametrize("anchors", [None, 20])
def test_groups_with_words_of_their_own_are_told_apart(anchors: int | None) -> None:
    graph = two_vocabularies()
    first, again = (
        IDGL(anchors=anchors, epochs=30, max_turns=3).fit(graph, seed=0) for _ in range(2)
    )
    assert (first.predict() == graph.labels)[graph.test].mean() > 0.9
    assert np.array_equal(first.predict_proba(), again.predict_proba())


def combined_graph(method: IDGL, graph: Graph, seed: int) -> np.ndarray:
    """Return the dense A~ of the method's last turn, of a fit with one epoch."""
    captured: dict[str, np.ndarray] = {}

    class Watched(IDGL):
        def _learned(self, graph: Graph, network: Network) -> Graph:
            first, *later = self._turns(network, self.max_turns)
            matrices = [dense_of(network.given), first.graph.rows(slice(0, graph.n_nodes))]
            matrices.append(later[-1].graph.rows(slice(0, graph.n_nodes)))
            captured["A"] = mixed(*matrices, skip=self.skip, update=self.update).numpy()
            return super()._learned(graph, network)

    watched = Watched(**method.get_params()).fit(graph, seed=seed)
    assert watched.learned_graph_ is not None
    captured["learned"] = watched.learned_graph_.adjacency.toarray()
    return np.stack([captured["A"], captured["learned"]])


@pytest.mark.parametrize("anchors", [None, 9])
def test_learned_graph_is_the_symmetric_combination_of_given_and_learned_graphs(
    anchors: int | None,
) -> None:
    graph = two_groups()
    method = IDGL(epochs=1, anchors=anchors, kept_neighbours=24)
    A, learned = combined_graph(method, graph, seed=0)
    np.testing.assert_allclose(A.sum(axis=1).mean(), 1.0, atol=0.1)
    expected = (A + A.T) / 2
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(learned, expected, atol=1e-6)


def test_learned_graph_keeps_the_largest_entries_of_each_row() -> None:
    graph = two_groups()
    method = IDGL(epochs=1, epsilon=0.0, kept_neighbours=3)
    A, learned = combined_graph(method, graph, seed=0)
    np.fill_diagonal(A, 0.0)
    third = np.sort(A, axis=1)[:, [-3]]
    kept = np.where(third <= A, A, 0.0)
    np.testing.assert_allclose(learned, (kept + kept.T) / 2, atol=1e-6)


def test_a_graph_without_edges_gets_those_of_nearest_neighbours() -> None:
    graph = two_groups(edges=False)
    near = Graph.from_features(graph.features, neighbours=4)
    joined = dataclasses.replace(graph, adjacency=near.adjacency)
    settings: dict[str, Any] = {"epochs": 3, "knn_neighbours": 4}
    alone, helped = (IDGL(**settings).fit(g, seed=0).predict_proba() for g in (graph, joined))
    assert np.array_equal(alone, helped)


def test_no_turn_follows_in_the_first_epochs_and_none_of_them_is_kept() -> None:
    method = IDGL(epochs=6, first_epochs=4, max_turns=3, tolerance=0.0).fit(two_groups(), seed=0)
    assert [record["turns"] for record in method.history_] == [0, 0, 0, 0, 3, 3]
    assert not any(record["kept"] for record in method.history_[:4])
    assert method.best_iter_ >= 4


def test_turns_begin_after_half_of_the_epochs() -> None:
    method = IDGL(epochs=5, max_turns=2, tolerance=0.0).fit(two_groups(), seed=0)
    assert [record["turns"] for record in method.history_] == [0, 0, 2, 2, 2]


def test_epochs_without_turns_are_estimated_to_take_less_time() -> None:
    size = GraphSize(nodes=1_000, entries=4_000, features=20, classes=3, train=30)
    none, half = (IDGL(epochs=8, first_epochs=n).estimate(size).seconds for n in (0, None))
    assert half < none


def test_patience_counts_from_the_first_epoch_that_may_be_kept() -> None:
    method = IDGL(epochs=30, first_epochs=20, patience=1).fit(two_groups(), seed=0)
    assert method.n_iter_ > 20


def test_some_epoch_must_be_left_to_be_kept() -> None:
    with pytest.raises(SettingValueError, match="must be below 'epochs', 5"):
        IDGL(epochs=5, first_epochs=5).fit(two_groups(), seed=0)


def test_history_tells_the_turns() -> None:
    method = IDGL(epochs=2, first_epochs=0, max_turns=4, tolerance=0.0).fit(two_groups(), seed=0)
    assert [record["turns"] for record in method.history_] == [4, 4]
    none = IDGL(epochs=2, max_turns=0).fit(two_groups(), seed=0)
    assert [record["turns"] for record in none.history_] == [0, 0]


@pytest.mark.parametrize("name", ["epsilon", "update", "skip", "smoothness", "sparsity"])
def test_each_share_matters(name: str) -> None:
    changes: list[dict[str, Any]] = [{}, {name: 0.85}]
    plain, other = (
        IDGL(epochs=4, **change).fit(two_groups(), seed=0).predict_proba() for change in changes
    )
    assert not np.array_equal(plain, other)


def test_estimate_of_the_full_version_counts_pairs_and_that_of_anchors_nodes() -> None:
    sizes = [GraphSize(n, 10 * n, 64, 5, 100) for n in (2_000, 4_000)]
    full = [IDGL().estimate(size).iteration.peak_bytes for size in sizes]
    few = [IDGL(anchors=100).estimate(size).iteration.peak_bytes for size in sizes]
    assert 2.5 < full[1] / full[0] < 4
    assert few[1] / few[0] < 2.1


def test_a_number_of_dense_features_is_estimated_to_take_less_than_one_of_sparse_ones() -> None:
    sizes = [GraphSize(3_000, 9_000, 4_000, 5, 100, entries) for entries in (None, 12_000_000)]
    dense, sparse = (IDGL().estimate(size).seconds for size in sizes)
    assert 2 * dense < sparse
