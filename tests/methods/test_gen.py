from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array

from cogsl.cost import GraphSize
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods import gen
from cogsl.methods.gen import GEN
from cogsl.methods.gen_em import (
    Parameters,
    block_numbers,
    count_pairs,
    fit_models,
    log_likelihood,
    maximise,
    posterior,
)
from cogsl.methods.gen_network import Backbone
from cogsl.methods.gen_structure import (
    Structure,
    estimate_structure,
    neighbour_graph,
    posterior_graph,
    presence,
)
from cogsl.seeding import Seeds
from tests.common.graphs import two_groups

Array = npt.NDArray[Any]
QUICK: dict[str, Any] = {"iterations": 3, "epochs": 10, "knn_neighbours": 5}


def symmetric(upper: Array) -> Array:
    """Return the matrix with this part above its diagonal, 0 on it."""
    above = np.triu(upper, 1)
    result: Array = above + above.T
    return result


class Drawn:
    """A graph from a block model, and noisy observations of it; all of it dense."""

    def __init__(
        self,
        omega: Array,
        *,
        alpha: float = 0.7,
        beta: float = 0.05,
        n_observations: int = 4,
        n: int = 40,
        seed: int = 0,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.omega, self.M = np.asarray(omega, dtype=float), n_observations
        self.classes = rng.integers(len(omega), size=n)
        rates = self.omega[self.classes[:, None], self.classes]
        self.graph = symmetric(rng.random((n, n)) < rates)
        shown = np.where(self.graph, alpha, beta)
        self.observations = [symmetric(rng.random((n, n)) < shown) for _ in range(n_observations)]
        self.seen = np.sum(self.observations, axis=0)

    @property
    def sparse(self) -> list[csr_array]:
        return [csr_array(observation.astype(np.int8)) for observation in self.observations]

    @property
    def counts(self) -> Array:
        seen = csr_array(self.seen.astype(np.int8))
        return count_pairs(seen, self.classes, len(self.omega), self.M)


OMEGA = np.array([[0.5, 0.05, 0.1], [0.05, 0.4, 0.02], [0.1, 0.02, 0.3]])


# An independent version of both models that holds all N x N pairs.


def dense_joint(drawn: Drawn, omega: Array, alpha: float, beta: float) -> tuple[Array, Array]:
    E, M = drawn.seen, drawn.M
    prior = omega[drawn.classes[:, None], drawn.classes]
    return (
        prior * alpha**E * (1 - alpha) ** (M - E),
        (1 - prior) * beta**E * (1 - beta) ** (M - E),
    )


def dense_posterior(drawn: Drawn, omega: Array, alpha: float, beta: float) -> Array:
    edge, none = dense_joint(drawn, omega, alpha, beta)
    result: Array = edge / (edge + none)
    return result


def dense_maximum(drawn: Drawn, Q: Array) -> tuple[Array, float, float]:
    i, j = np.triu_indices(len(Q), 1)
    q, e = Q[i, j], drawn.seen[i, j]
    omega = np.zeros_like(drawn.omega)
    for r in range(len(omega)):
        for s in range(len(omega)):
            ends = {(r, s), (s, r)}
            inside = np.array(
                [pair in ends for pair in zip(drawn.classes[i], drawn.classes[j], strict=True)]
            )
            omega[r, s] = q[inside].mean() if inside.any() else 0.0
    alpha = (q * e).sum() / (drawn.M * q.sum())
    beta = ((1 - q) * e).sum() / (drawn.M * (1 - q).sum())
    return omega, float(alpha), float(beta)


def as_blocks(omega: Array) -> Array:
    """Return Omega's entries in the order of blocks, B."""
    flat = np.empty(block_numbers(len(omega)).max() + 1)
    flat[block_numbers(len(omega))] = omega
    return flat


def test_posterior_of_three_nodes_by_hand() -> None:
    classes = np.array([0, 0, 1])
    parameters = Parameters(as_blocks(np.array([[0.5, 0.25], [0.25, 0.9]])), alpha=0.8, beta=0.1)
    table = posterior(parameters, 2)
    same, other = block_numbers(2)[0]
    # Nodes 0 and 1: seen twice, one class. 0 and 2: seen once. 1 and 2: never.
    both = 0.5 * 0.8**2 / (0.5 * 0.8**2 + 0.5 * 0.1**2)
    once = 0.25 * 0.8 * 0.2 / (0.25 * 0.8 * 0.2 + 0.75 * 0.1 * 0.9)
    never = 0.25 * 0.2**2 / (0.25 * 0.2**2 + 0.75 * 0.9**2)
    assert table[same, 2] == pytest.approx(both, rel=1e-12)
    np.testing.assert_allclose(table[other], [never, once, table[other, 2]], rtol=1e-12)
    seen = csr_array(symmetric(np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]])).astype(np.int8))
    expected = symmetric(np.array([[0, both, once], [0, 0, 0], [0, 0, 0]]))
    found = posterior_graph(seen, classes, 2, table, 0.3)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6)
    assert posterior_graph(seen, classes, 2, table, 0.4).nnz == 2


def test_pairs_of_three_nodes_by_hand() -> None:
    seen = csr_array(symmetric(np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]])).astype(np.int8))
    counts = count_pairs(seen, np.array([0, 0, 1]), 2, 2)
    expected = {(0, 0): [0, 0, 1], (0, 1): [1, 1, 0], (1, 1): [0, 0, 0]}
    for (r, s), row in expected.items():
        assert counts[block_numbers(2)[r, s]].tolist() == row


@pytest.mark.parametrize("seed", range(3))
def test_table_gives_what_all_pairs_give(seed: int) -> None:
    drawn = Drawn(OMEGA, seed=seed)
    omega, alpha, beta = OMEGA + 0.07, 0.6, 0.11
    parameters = Parameters(as_blocks(omega), alpha, beta)
    Q = dense_posterior(drawn, omega, alpha, beta)
    table = posterior(parameters, drawn.M)
    numbers = block_numbers(3)[drawn.classes[:, None], drawn.classes]
    np.testing.assert_allclose(table[numbers, drawn.seen.astype(int)], Q, rtol=0, atol=1e-10)

    found = maximise(table, drawn.counts)
    expected = dense_maximum(drawn, Q)
    np.testing.assert_allclose(found.omega, as_blocks(expected[0]), rtol=0, atol=1e-10)
    assert found.alpha == pytest.approx(expected[1], abs=1e-10)
    assert found.beta == pytest.approx(expected[2], abs=1e-10)

    edge, none = dense_joint(drawn, omega, alpha, beta)
    total = np.log(edge + none)[np.triu_indices(len(Q), 1)].sum()
    assert log_likelihood(parameters, drawn.counts) == pytest.approx(total, rel=1e-12)


def test_em_is_the_em_of_all_pairs() -> None:
    drawn = Drawn(OMEGA, seed=4)
    dense = dense_maximum(drawn, drawn.seen / drawn.M)
    for _ in range(12):
        dense = dense_maximum(drawn, dense_posterior(drawn, *dense))
    found = fit_models(drawn.counts, tolerance=0.0, max_iterations=12).parameters
    np.testing.assert_allclose(found.omega, as_blocks(dense[0]), rtol=0, atol=1e-10)
    assert (found.alpha, found.beta) == pytest.approx(dense[1:], abs=1e-10)


@pytest.mark.parametrize(("alpha", "beta"), [(0.8, 0.05), (0.5, 0.1)])
def test_em_finds_the_rates_and_blocks_that_a_graph_was_drawn_with(
    alpha: float, beta: float
) -> None:
    drawn = Drawn(OMEGA, alpha=alpha, beta=beta, n_observations=5, n=500, seed=1)
    found = fit_models(drawn.counts, tolerance=1e-9, max_iterations=2000).parameters
    assert found.alpha == pytest.approx(alpha, abs=0.01)
    assert found.beta == pytest.approx(beta, abs=0.005)
    np.testing.assert_allclose(found.omega, as_blocks(OMEGA), atol=0.02)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("alpha", "beta"), [(0.9, 0.01), (0.4, 0.3), (0.2, 0.2)])
def test_likelihood_never_falls(seed: int, alpha: float, beta: float) -> None:
    drawn = Drawn(OMEGA, alpha=alpha, beta=beta, seed=seed)
    likelihoods = fit_models(drawn.counts, tolerance=0.0, max_iterations=60).likelihoods
    steps = np.diff(likelihoods)
    assert steps[0] > 0
    assert (steps >= -1e-9 * abs(likelihoods[0])).all()


def test_em_stops_at_the_first_turn_in_which_nothing_moves_by_more_than_the_tolerance() -> None:
    counts = Drawn(OMEGA).counts

    def after(turns: int) -> Parameters:
        return fit_models(counts, tolerance=0.0, max_iterations=turns).parameters

    for tolerance in (1e-3, 1e-4, 1e-6):
        fit = fit_models(counts, tolerance=tolerance, max_iterations=400)
        turns = len(fit.likelihoods) - 1
        assert 3 <= turns < 400
        assert after(turns).change(after(turns - 1)) <= tolerance
        assert after(turns - 1).change(after(turns - 2)) > tolerance
    assert len(fit_models(counts, tolerance=0.0, max_iterations=7).likelihoods) == 8


def test_pairs_that_more_observations_show_are_likelier_edges() -> None:
    drawn = Drawn(OMEGA, n=120)
    fit = fit_models(drawn.counts, tolerance=1e-6, max_iterations=500)
    assert fit.parameters.alpha > fit.parameters.beta
    assert (np.diff(fit.posterior, axis=1) > 0).all()


def test_wrong_edges_of_one_observation_weigh_less_than_edges_of_several() -> None:
    drawn = Drawn(OMEGA, beta=0.02, n=120)
    structure = settled(drawn, threshold=0.0)
    weights = structure.graph.toarray()
    wrong = (drawn.graph == 0) & (drawn.seen == 1)
    right = (drawn.graph == 1) & (drawn.seen >= 2)
    assert weights[wrong].mean() < 0.3
    assert weights[right].mean() > 0.9
    assert np.count_nonzero(wrong) > 100


def settled(drawn: Drawn, *, threshold: float = 0.5) -> Structure:
    return estimate_structure(
        drawn.sparse,
        drawn.classes,
        len(drawn.omega),
        threshold=threshold,
        tolerance=1e-6,
        max_iterations=500,
    )


def test_estimated_graph_is_symmetric_and_holds_the_posteriors_above_the_threshold() -> None:
    drawn = Drawn(OMEGA)
    structure = settled(drawn, threshold=0.6)
    weights = structure.graph.toarray()
    assert np.array_equal(weights, weights.T)
    assert not weights.diagonal().any()
    numbers = block_numbers(3)[drawn.classes[:, None], drawn.classes]
    Q = structure.fit.posterior[numbers, drawn.seen.astype(int)]
    kept = (Q >= 0.6) & (drawn.seen > 0)
    np.fill_diagonal(kept, val=False)
    np.testing.assert_allclose(weights, np.where(kept, Q, 0.0), rtol=1e-6)
    assert 0 < kept.sum() < (drawn.seen > 0).sum()


def test_pairs_without_observation_never_become_edges(caplog: pytest.LogCaptureFixture) -> None:
    drawn = Drawn(np.array([[0.95, 0.01], [0.01, 0.95]]), alpha=0.3, n=100, n_observations=3)
    with caplog.at_level(logging.INFO, logger="cogsl"):
        structure = settled(drawn)
    numbers = block_numbers(2)
    assert structure.fit.posterior[numbers[0, 0], 0] > 0.5
    assert structure.fit.posterior[numbers[0, 1], 0] < 0.5
    never = np.triu(drawn.seen == 0, 1) & (drawn.classes[:, None] == drawn.classes)
    assert structure.unobserved == np.count_nonzero(never) > 0
    assert not structure.graph.toarray()[drawn.seen == 0].any()
    assert f"Dropped {structure.unobserved} pairs" in caplog.text


def test_equal_rates_leave_the_prior() -> None:
    omega = np.array([0.2, 0.0, 1.0])
    for rate in (0.3, 0.0, 1.0):
        table = posterior(Parameters(omega, rate, rate), 3)
        np.testing.assert_allclose(table, np.tile(omega[:, None], 4), rtol=1e-12)


def test_sure_observations_give_sure_edges() -> None:
    table = posterior(Parameters(np.array([0.2]), 1.0, 0.0), 2)
    np.testing.assert_allclose(table, [[0.0, 0.2, 1.0]])  # once is impossible, and says nothing


def test_observations_without_edges_give_no_graph() -> None:
    empty = [csr_array(np.zeros((5, 5), dtype=np.int8)) for _ in range(3)]
    structure = estimate_structure(
        empty, np.array([0, 1, 0, 1, 1]), 2, threshold=0.5, tolerance=1e-6, max_iterations=50
    )
    assert structure.graph.nnz == 0
    assert structure.unobserved == 0
    assert not structure.fit.posterior.any()


def test_observations_that_agree_give_their_own_graph() -> None:
    drawn = Drawn(OMEGA, alpha=1.0, beta=0.0)
    structure = settled(drawn)
    np.testing.assert_allclose(structure.graph.toarray(), drawn.graph, atol=1e-6)
    assert structure.fit.parameters.alpha == pytest.approx(1.0)
    assert structure.fit.parameters.beta == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("members", [0, 1])
def test_classes_with_no_pair_of_their_own_do_no_harm(members: int) -> None:
    drawn = Drawn(OMEGA)
    drawn.classes[drawn.classes == 2] = 0
    drawn.classes[:members] = 2
    structure = settled(drawn)
    assert np.isfinite(structure.fit.posterior).all()
    assert structure.fit.parameters.omega[block_numbers(3)[2, 2]] == 0.0
    assert structure.graph.nnz > 0


def test_every_pair_in_every_observation_gives_the_complete_graph() -> None:
    full = csr_array(symmetric(np.ones((4, 4))).astype(np.int8))
    structure = estimate_structure(
        [full, full], np.array([0, 1, 0, 1]), 2, threshold=0.5, tolerance=1e-6, max_iterations=50
    )
    np.testing.assert_allclose(structure.graph.toarray(), full.toarray())


# Observations


def test_neighbours_of_four_nodes_by_hand() -> None:
    # Angles 0, 10, 25 and 90 degrees: 1 is nearest to 0 and 2, and 2 to 3.
    angles = np.deg2rad([0.0, 10.0, 25.0, 90.0])
    features = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    assert neighbour_graph(features, 2).toarray().tolist() == expected
    assert neighbour_graph(csr_array(features), 2).toarray().tolist() == expected


@pytest.mark.parametrize("sparse", [False, True])
def test_neighbours_are_all_nodes_alike_if_there_are_too_few(sparse: bool) -> None:
    # 0 and 1 are alike, 2 is at right angles to 0, 3 is opposite to 0, and 4 is nothing.
    features = np.array([[1, 0], [1, 1], [0, 1], [-2, 0], [0, 0]], dtype=np.float32)
    expected = [[0, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0] * 5, [0] * 5]
    given = csr_array(features) if sparse else features
    assert neighbour_graph(given, 99).toarray().tolist() == expected


def test_nodes_with_nothing_in_common_are_no_neighbours() -> None:
    graph = two_groups(features="one-hot")
    assert neighbour_graph(graph.features, 5).nnz == 0


def test_weights_play_no_part_in_an_observation() -> None:
    adjacency = csr_array(np.array([[0.0, 0.2], [3.0, 0.0]]))
    assert presence(adjacency).toarray().tolist() == [[0, 1], [1, 0]]


# The network and the method


@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_network_agrees_with_the_dense_formula_on_a_weighted_graph(features: str) -> None:
    graph = two_groups(features=features)
    backbone = Backbone(graph, hidden=4, rate=0.5, seeds=Seeds(0))
    S = graph.adjacency.copy()
    S.data = np.linspace(0.1, 1.0, S.nnz).astype(np.float32)
    S = csr_array(S.maximum(S.T))
    trained = backbone.train(S, epochs=1, lr=0.05, weight_decay=0.0)
    assert trained is not None
    W0, W1, b0, b1 = (p.detach().double().numpy() for p in backbone._classifier.parameters())
    looped = S.toarray().astype(np.float64) + np.eye(graph.n_nodes)
    root = np.sqrt(looped.sum(axis=1))
    V = looped / np.outer(root, root)
    X = csr_array(graph.features).toarray().astype(np.float64)
    hidden = np.maximum(V @ X @ W0 + b0, 0.0)
    odds = np.exp(V @ hidden @ W1 + b1)
    np.testing.assert_allclose(trained.hidden, hidden, atol=1e-5)
    np.testing.assert_allclose(trained.output.exp(), odds / odds.sum(axis=1)[:, None], atol=1e-5)


def test_weights_go_on_from_graph_to_graph() -> None:
    graph = two_groups()
    backbone = Backbone(graph, hidden=4, rate=0.0, seeds=Seeds(0))
    losses = []
    for _ in range(3):
        trained = backbone.train(graph.adjacency, epochs=30, lr=0.02, weight_decay=0.0)
        assert trained is not None
        losses.append(trained.loss)
    assert losses[0] > losses[1] > losses[2]


def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[csr_array], Array, Structure]]:
    """Return a list to which each estimate adds its observations, classes and result."""
    calls: list[tuple[list[csr_array], Array, Structure]] = []

    def estimate(observations: list[csr_array], classes: Array, *args: Any, **kw: Any) -> Structure:
        structure = estimate_structure(observations, classes, *args, **kw)
        calls.append((observations, classes, structure))
        return structure

    monkeypatch.setattr(gen, "estimate_structure", estimate)
    return calls


def test_observations_are_the_given_graph_and_the_neighbours_of_every_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, calls = two_groups(), watched(monkeypatch)
    GEN(**QUICK).fit(graph, seed=0)
    assert len(calls) == 3
    backbone = Backbone(graph, hidden=16, rate=0.5, seeds=Seeds(0))
    trained = backbone.train(graph.adjacency, epochs=10, lr=0.01, weight_decay=5e-4)
    assert trained is not None
    layers = (graph.features, trained.hidden.numpy(), trained.output.numpy())
    expected = [presence(graph.adjacency), *(neighbour_graph(layer, 5) for layer in layers)]
    for one, other in zip(calls[0][0], expected, strict=True):
        assert np.array_equal(one.toarray(), other.toarray())


def test_training_nodes_keep_their_labels_in_the_block_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, calls = two_groups(), watched(monkeypatch)
    method = GEN(iterations=1, epochs=1, lr=1e-6, knn_neighbours=5).fit(graph, seed=0)
    ((_, classes, _),) = calls
    guessed = method.predict()
    assert (guessed[graph.train] != graph.labels[graph.train]).any()
    assert np.array_equal(classes[graph.train], graph.labels[graph.train])
    others = np.setdiff1d(np.arange(graph.n_nodes), graph.train)
    assert np.array_equal(classes[others], guessed[others])


def test_each_round_trains_on_the_graph_that_the_one_before_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, calls = two_groups(), watched(monkeypatch)
    method = GEN(**QUICK).fit(graph, seed=0)
    sizes = [graph.n_edges, *(structure.graph.nnz // 2 for *_, structure in calls[:-1])]
    assert [record["edges"] for record in method.history_] == sizes
    assert method.learned_graph_ is not None
    assert method.best_iter_ > 0
    kept = calls[method.best_iter_ - 1][-1].graph
    assert np.array_equal(method.learned_graph_.adjacency.toarray(), kept.toarray())
    weights = method.learned_graph_.adjacency.data
    assert ((weights >= 0.5) & (weights <= 1.0)).all()
    assert len(np.unique(weights)) > 1


def test_graph_of_the_first_round_is_the_given_one() -> None:
    graph = two_groups()
    learned = GEN(**(QUICK | {"iterations": 1})).fit(graph, seed=0).learned_graph_
    assert learned is not None
    assert np.array_equal(learned.adjacency.toarray(), graph.adjacency.toarray())


def test_learned_graph_has_fewer_edges_between_classes_than_a_noisy_one() -> None:
    graph = noisy(two_groups(80))
    method = GEN(iterations=4, epochs=50, knn_neighbours=8).fit(graph, seed=0)
    assert method.learned_graph_ is not None
    assert graph.homophily < 0.7
    assert method.learned_graph_.homophily > 0.85


def noisy(graph: Graph) -> Graph:
    """Return the graph with as many edges again, drawn at random."""
    n = graph.n_nodes
    noise = symmetric(np.random.default_rng(0).random((n, n)) < 2 * graph.n_edges / n**2)
    return Graph.from_scipy(
        csr_array(graph.adjacency.maximum(csr_array(noise.astype(np.float32)))),
        features=graph.features,
        labels=graph.labels,
        train=graph.train,
        val=graph.val,
        test=graph.test,
    )


def test_kept_round_is_the_best_on_validation_nodes() -> None:
    method = GEN(**(QUICK | {"iterations": 6})).fit(two_groups(40, seed=2), seed=1)
    figures = [(r["val_accuracy"], -r["val_loss"]) for r in method.history_]
    assert method.best_iter_ == max(range(6), key=figures.__getitem__)
    graph = two_groups(40, seed=2)
    accuracy = (method.predict() == graph.labels)[graph.val].mean()
    assert accuracy == pytest.approx(figures[method.best_iter_][0])


def test_rounds_end_when_patience_does() -> None:
    method = GEN(**(QUICK | {"iterations": 30, "patience": 2, "epochs": 40})).fit(
        two_groups(), seed=0
    )
    assert method.n_iter_ == method.best_iter_ + 3 < 30


def test_more_neighbours_than_nodes_are_all_nodes() -> None:
    graph = two_groups()
    method = GEN(**(QUICK | {"knn_neighbours": 500})).fit(graph, seed=0)
    assert np.isfinite(method.predict_proba()).all()


def test_training_that_diverges_is_told() -> None:
    with pytest.raises(DivergedError, match="lr"):
        GEN(**(QUICK | {"lr": 1e30})).fit(two_groups(), seed=0)


def test_a_number_of_dense_features_is_estimated_to_take_less_than_one_of_sparse_ones() -> None:
    sizes = [GraphSize(3_000, 9_000, 4_000, 5, 100, entries) for entries in (None, 12_000_000)]
    dense, sparse = (GEN().estimate(size).seconds for size in sizes)
    assert 2 * dense < sparse
