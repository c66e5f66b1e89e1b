from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.errors import DivergedError, SettingValueError
from cogsl.graph import Graph
from cogsl.methods.gca import GCA
from cogsl.methods.gca_augmentation import (
    CENTRALITIES,
    EdgeDropping,
    draw_mask,
    drop_probabilities,
    feature_weights,
)
from cogsl.methods.gca_network import Encoder, Projection
from cogsl.nn import feature_matrix
from tests.common.graphs import two_groups

Array = npt.NDArray[np.float64]


def adjacency(n: int, *edges: tuple[int, int]) -> csr_array:
    dense = np.zeros((n, n), dtype=np.float32)
    for u, v in edges:
        dense[u, v] = dense[v, u] = 1.0
    return csr_array(dense)


def kite() -> csr_array:
    """The triangle 0-1-2, the tail 2-3 and the isolated node 4."""
    return adjacency(5, (0, 1), (0, 2), (1, 2), (2, 3))


def path() -> csr_array:
    """0-1-2."""
    return adjacency(3, (0, 1), (1, 2))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# Centralities -------------------------------------------------------------------------------------


def test_degrees_of_the_kite() -> None:
    assert CENTRALITIES["degree"](kite()).tolist() == [2.0, 2.0, 3.0, 1.0, 0.0]


def test_pagerank_solves_its_equation() -> None:
    A = kite().toarray().astype(np.float64)
    A_over_D = A / np.array([2.0, 2.0, 3.0, 1.0, 1.0])
    expected = np.linalg.solve(np.eye(5) - 0.85 * A_over_D, np.ones(5))
    np.testing.assert_allclose(CENTRALITIES["pagerank"](kite()), expected, rtol=1e-6)
    assert expected[4] == 1.0


def test_pagerank_of_a_path_by_hand() -> None:
    # Ends: a = 0.85 m / 2 + 1; middle: m = 2 * 0.85 a + 1, so m (1 - 0.85^2) = 2.7.
    middle = 2.7 / (1 - 0.85**2)
    ends = 0.425 * middle + 1
    np.testing.assert_allclose(CENTRALITIES["pagerank"](path()), [ends, middle, ends], rtol=1e-6)


def test_eigenvector_of_a_path_by_hand() -> None:
    # Its largest eigenvalue is sqrt 2, with the eigenvector (1, sqrt 2, 1); the path is bipartite.
    expected = [math.sqrt(0.5), 1.0, math.sqrt(0.5)]
    np.testing.assert_allclose(CENTRALITIES["eigenvector"](path()), expected, rtol=1e-6)


def test_eigenvector_of_the_kite_is_that_of_its_connected_part() -> None:
    _, vectors = np.linalg.eigh(kite().toarray().astype(np.float64))
    expected = np.abs(vectors[:, -1]) / np.abs(vectors[:, -1]).max()
    found = CENTRALITIES["eigenvector"](kite())
    np.testing.assert_allclose(found[:4], expected[:4], rtol=1e-5)
    assert found[4] == pytest.approx(1e-8)


@pytest.mark.parametrize("name", sorted(CENTRALITIES))
def test_centralities_of_a_graph_without_edges_are_equal(name: str) -> None:
    assert len(set(CENTRALITIES[name](adjacency(3)).tolist())) == 1


# Probabilities ------------------------------------------------------------------------------------


def test_edge_probabilities_of_the_kite_by_hand() -> None:
    # Degrees 2, 2, 3, 1: the edges 01, 02, 12, 23 weigh 2, 2.5, 2.5, 2.
    dropping = EdgeDropping(kite(), CENTRALITIES["degree"](kite()))
    assert dropping.weights.tolist() == [2.0, 2.5, 2.5, 2.0]
    # log 2.5 - mean of logs = log(2.5 / 2) / 2, so light edges have twice the rate, heavy ones 0.
    np.testing.assert_allclose(dropping.probabilities(0.3, 0.7), [0.6, 0.0, 0.0, 0.6], atol=1e-6)
    np.testing.assert_allclose(dropping.probabilities(0.4, 0.7), [0.7, 0.0, 0.0, 0.7], atol=1e-6)


@pytest.mark.parametrize("name", sorted(CENTRALITIES))
def test_edge_probabilities_follow_the_formula(name: str) -> None:
    graph = adjacency(5, (0, 1), (0, 2), (1, 2), (2, 3), (3, 4))
    phi = CENTRALITIES[name](graph)
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]
    s = [math.log((phi[u] + phi[v]) / 2) for u, v in edges]
    gap = max(s) - sum(s) / 5
    expected = [min((max(s) - x) / gap * 0.3, 0.7) for x in s]
    found = EdgeDropping(graph, phi).probabilities(0.3, 0.7).tolist()
    assert found == pytest.approx(expected, abs=1e-6)
    assert expected[4] == max(expected)  # the tail's end matters least, by any measure
    assert max(expected) > min(expected)


@pytest.mark.parametrize("name", sorted(CENTRALITIES))
def test_equal_edges_are_dropped_at_the_rate(name: str) -> None:
    ring = adjacency(4, (0, 1), (1, 2), (2, 3), (0, 3))
    found = EdgeDropping(ring, CENTRALITIES[name](ring)).probabilities(0.3, 0.7)
    np.testing.assert_allclose(found, [0.3] * 4, atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_feature_weights_by_hand(sparse: bool) -> None:
    features = np.array([[1.0, 0.0, 0.0], [-1.0, 0.5, 0.0], [0.0, 2.0, 0.0]], dtype=np.float32)
    given = csr_array(features) if sparse else features
    # phi = 1, 2, 1: |1| + |-1| 2,  0.5 * 2 + 2,  0.
    assert feature_weights(given, np.array([1.0, 2.0, 1.0])).tolist() == [3.0, 3.0, 0.0]


def test_important_features_are_masked_less_and_those_of_no_weight_most() -> None:
    weights = np.array([8.0, 4.0, 2.0, 0.0])
    # Logs in units of log 2: 3, 2, 1; their mean 2, so the shares are 0, 1, 2.
    np.testing.assert_allclose(drop_probabilities(weights, 0.2, 0.7), [0.0, 0.2, 0.4, 0.7])
    np.testing.assert_allclose(drop_probabilities(weights, 0.0, 0.7), 0.0)


def test_what_all_weighs_nothing_is_dropped_at_the_rate() -> None:
    assert drop_probabilities(np.zeros(2), 0.2, 0.7).tolist() == [0.2, 0.2]
    assert drop_probabilities(np.zeros(2), 0.9, 0.7).tolist() == [0.7, 0.7]


# Drawing ------------------------------------------------------------------------------------------


def normalised(matrix: Array) -> Array:
    looped = matrix + np.eye(len(matrix))
    root = np.sqrt(looped.sum(axis=1))
    result: Array = looped / np.outer(root, root)
    return result


def test_both_directions_of_an_edge_go_and_the_rest_is_normalised_anew() -> None:
    dropping = EdgeDropping(kite(), CENTRALITIES["degree"](kite()))
    certain = torch.tensor([1.0, 0.0, 0.0, 1.0])  # 01 and 23 go, 02 and 12 stay
    view = dropping.draw(certain, generator=generator()).to_scipy().toarray()
    expected = normalised(adjacency(5, (0, 2), (1, 2)).toarray().astype(np.float64))
    np.testing.assert_allclose(view, expected, atol=1e-6)
    whole = normalised(kite().toarray().astype(np.float64))
    np.testing.assert_allclose(dropping.whole().to_scipy().toarray(), whole, atol=1e-6)


def test_edges_are_dropped_as_often_as_they_should() -> None:
    dropping, noise = EdgeDropping(kite(), CENTRALITIES["degree"](kite())), generator()
    probabilities = torch.tensor([0.1, 0.5, 0.7, 0.3])
    draws = [
        dropping.draw(probabilities, generator=noise).to_scipy().toarray() for _ in range(2000)
    ]
    assert all(np.array_equal(draw, draw.T) for draw in draws)
    gone = np.mean([draw == 0.0 for draw in draws], axis=0)
    found = [gone[0, 1], gone[0, 2], gone[1, 2], gone[2, 3]]
    np.testing.assert_allclose(found, probabilities, atol=0.05)


def test_masked_features_are_those_of_the_probabilities() -> None:
    probabilities = torch.tensor([0.0, 1.0, 0.25])
    noise = generator()
    draws = torch.stack([draw_mask(probabilities, generator=noise) for _ in range(2000)])
    np.testing.assert_allclose(draws.mean(dim=0), 1.0 - probabilities, atol=0.05)
    assert set(draws.flatten().tolist()) == {0.0, 1.0}


# The networks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["prelu", "relu", "elu"])
@pytest.mark.parametrize("hidden", [1, 4], ids=["wide-features", "narrow-features"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_encoder_agrees_with_the_dense_formula(
    sparse: bool, hidden: int, activation: str
) -> None:
    X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    encoder = Encoder(3, hidden, activation=activation, generator=generator())
    for bias in (encoder.first_bias, encoder.second_bias):
        torch.nn.init.normal_(bias, generator=generator(1))
    view = EdgeDropping(kite(), np.ones(5)).whole()
    mask = torch.tensor([1.0, 0.0, 1.0])
    found = encoder(view, feature_matrix(csr_array(X) if sparse else X, torch.float32), mask)

    def sigma(x: Tensor) -> Tensor:
        below = {"prelu": 0.25 * x, "relu": 0.0 * x, "elu": torch.expm1(x)}[activation]
        return torch.where(x > 0, x, below)

    V = torch.tensor(view.to_scipy().toarray())
    masked = torch.tensor(X) * mask
    inner = sigma(V @ masked @ encoder.first + encoder.first_bias)
    expected = sigma(V @ inner @ encoder.second + encoder.second_bias)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert encoder.first.shape == (3, 2 * hidden)


def test_the_projection_has_two_layers_and_unit_rows() -> None:
    projection = Projection(3, 5, generator=generator())
    H = torch.randn(4, 3, generator=generator(1))
    inner = H @ projection.first.t()
    raw = torch.where(inner > 0, inner, torch.expm1(inner)) @ projection.second.t()
    expected = raw / raw.norm(dim=1, keepdim=True)
    torch.testing.assert_close(projection(H), expected, rtol=1e-4, atol=1e-6)


# The method ---------------------------------------------------------------------------------------

SMALL = {"hidden": 8, "projection": 8, "epochs": 6}


def losses(graph: Graph, **settings: object) -> list[float]:
    method = GCA(**(SMALL | settings)).fit(graph, seed=0)  # type: ignore[arg-type]
    return [record["loss"] for record in method.history_]


def test_no_label_shapes_the_embeddings() -> None:
    graph = two_groups()
    turned = dataclasses.replace(graph, labels=1 - graph.labels)
    assert losses(graph) == losses(turned)


@pytest.mark.parametrize(
    "other",
    [
        {"centrality": "pagerank"},
        {"centrality": "eigenvector"},
        {"edge_rates": (0.0, 0.0)},
        {"feature_rates": (0.0, 0.0)},
        {"cut_off": 0.1},
        {"tau": 0.9},
        {"activation": "relu"},
        {"projection": 4},
        {"batch": 12},
    ],
    ids=lambda other: next(iter(other)),
)
def test_every_setting_of_the_views_and_the_contrast_tells(other: dict[str, object]) -> None:
    graph = two_groups()
    assert losses(graph, epochs=1) != losses(graph, epochs=1, **other)


def test_a_batch_as_large_as_the_graph_is_the_whole_graph() -> None:
    graph = two_groups()
    assert losses(graph, batch=graph.n_nodes) == losses(graph, batch=None)


def test_training_lowers_the_loss_below_that_of_chance() -> None:
    graph = two_groups(60)
    falling = losses(graph, epochs=100, lr=0.01)
    # Nobody knows which of 2 N - 1 embeddings is the node's own: log(119).
    assert falling[-1] < min(falling[0], math.log(119)) - 0.3


def test_the_kept_epoch_is_the_best_of_those_probed() -> None:
    method = GCA(hidden=8, projection=8, epochs=20, probe_every=4).fit(two_groups(), seed=0)
    probed = [record for record in method.history_ if record["probed"]]
    assert [record["iteration"] for record in probed] == [0, 4, 8, 12, 16, 19]
    best = max(probed, key=lambda record: (record["val_accuracy"], -record["val_loss"]))
    assert method.best_iter_ == best["iteration"]


def test_a_rate_for_each_view_is_asked_for() -> None:
    with pytest.raises(
        SettingValueError, match="'edge_rates' setting of GCA must have one entry for each"
    ):
        GCA(edge_rates=(0.3,)).fit(two_groups(), seed=0)


def test_a_run_that_diverges_from_the_start_is_refused() -> None:
    graph = two_groups()
    huge = dataclasses.replace(graph, features=np.full_like(graph.features, 3e38))
    with pytest.raises(DivergedError, match="never finite"):
        GCA(**SMALL).fit(huge, seed=0)  # type: ignore[arg-type]
