from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods.dgi import DGI, Encoder, infomax
from tests.common.graphs import two_groups


def weighted_path(*, sparse: bool = False) -> Graph:
    """0 -(1)- 1 -(2)- 2 and the isolated node 3, with two features."""
    weights = np.zeros((4, 4), dtype=np.float32)
    weights[0, 1] = weights[1, 0] = 1.0
    weights[1, 2] = weights[2, 1] = 2.0
    features = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-1.0, 1.0]], dtype=np.float32)
    return Graph.from_scipy(
        csr_array(weights),
        features=csr_array(features) if sparse else features,
        labels=[0, 1, 0, 1],
        train=[0, 1],
        val=[2, 3],
    )


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def dense_parts(graph: Graph) -> tuple[Tensor, Tensor]:
    """Return V = D^-1/2 (A + I) D^-1/2 and X as dense matrices."""
    looped = graph.adjacency.toarray() + np.eye(graph.n_nodes)
    root = np.sqrt(looped.sum(axis=1))
    features = csr_array(graph.features).toarray()
    return torch.tensor(looped / np.outer(root, root)).float(), torch.tensor(features)


@pytest.mark.parametrize("hidden", [1, 6], ids=["wide-features", "narrow-features"])
@pytest.mark.parametrize("sparse", [False, True])
def test_embeddings_of_graph_and_shuffled_graph_agree_with_the_dense_formula(
    sparse: bool, hidden: int
) -> None:
    graph = weighted_path(sparse=sparse)
    encoder = Encoder(graph, hidden, generator())
    nn.init.normal_(encoder.bias, generator=generator(1))
    model = infomax(encoder, shuffle=generator(2), weights=generator(3))
    positive, negative, summary = model(encoder.inputs())
    V, X = dense_parts(graph)
    order = torch.randperm(4, generator=generator(2))
    assert not torch.equal(order, torch.arange(4))
    for found, rows in ((positive, X), (negative, X[order])):
        linear = V @ rows @ encoder.weight + encoder.bias
        expected = torch.where(linear > 0, linear, 0.25 * linear)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(encoder.embed(), positive)
    torch.testing.assert_close(summary, torch.sigmoid(positive.mean(dim=0)))


def test_loss_is_the_cross_entropy_of_telling_real_nodes_from_shuffled_ones() -> None:
    encoder = Encoder(weighted_path(), 3, generator())
    model = infomax(encoder, shuffle=generator(2), weights=generator(3))
    real, shuffled, summary = model(encoder.inputs())
    odds = [rows @ model.weight @ summary for rows in (real, shuffled)]
    cross_entropy = nn.functional.binary_cross_entropy_with_logits
    expected = cross_entropy(odds[0], torch.ones(4)) + cross_entropy(odds[1], torch.zeros(4))
    torch.testing.assert_close(model.loss(real, shuffled, summary), expected)


def test_every_weight_has_a_gradient() -> None:
    encoder = Encoder(weighted_path(sparse=True), 3, generator())
    model = infomax(encoder, shuffle=generator(), weights=generator(3))
    model.loss(*model(encoder.inputs())).backward()
    gradients = {name: weight.grad for name, weight in model.named_parameters()}
    assert set(gradients) == {"weight", "encoder.weight", "encoder.bias", "encoder.slope"}
    assert all(grad is not None and bool(grad.any()) for grad in gradients.values())


def test_each_epoch_shuffles_anew() -> None:
    encoder = Encoder(two_groups(), 4, generator())
    model = infomax(encoder, shuffle=generator(), weights=generator())
    first, second = (model(encoder.inputs())[1] for _ in range(2))
    assert not torch.equal(first, second)


def test_no_label_shapes_the_embeddings() -> None:
    graph = two_groups()
    turned = dataclasses.replace(graph, labels=1 - graph.labels)
    histories = [DGI(epochs=6, hidden=8).fit(g, seed=0).history_ for g in (graph, turned)]
    losses = [[record["loss"] for record in history] for history in histories]
    assert losses[0] == losses[1]
    assert len(set(losses[0])) == 6


def test_training_tells_the_graph_from_shuffled_ones() -> None:
    history = (
        DGI(epochs=150, hidden=32, lr=0.01, patience=None).fit(two_groups(60), seed=0).history_
    )
    assert history[0]["loss"] == pytest.approx(2 * math.log(2), rel=0.1)
    assert history[-1]["loss"] < 0.8 * history[0]["loss"]


def test_patience_counts_epochs_without_a_lower_unsupervised_loss() -> None:
    method = DGI(epochs=300, hidden=8, lr=0.05, patience=3).fit(two_groups(), seed=0)
    losses = [record["loss"] for record in method.history_]
    assert method.n_iter_ < 300
    assert int(np.argmin(losses)) == method.n_iter_ - 4


def test_the_kept_epoch_is_the_best_of_those_probed() -> None:
    method = DGI(epochs=20, hidden=8, probe_every=4, patience=None).fit(two_groups(), seed=0)
    probed = [record for record in method.history_ if record["probed"]]
    assert [record["iteration"] for record in probed] == [0, 4, 8, 12, 16, 19]
    best = max(probed, key=lambda record: (record["val_accuracy"], -record["val_loss"]))
    assert method.best_iter_ == best["iteration"]


def test_a_run_that_diverges_from_the_start_is_refused() -> None:
    graph = two_groups()
    features = np.full_like(graph.features, 3e38)
    huge = dataclasses.replace(graph, features=features)
    with pytest.raises(DivergedError, match="never finite"):
        DGI(epochs=3, hidden=8).fit(huge, seed=0)
