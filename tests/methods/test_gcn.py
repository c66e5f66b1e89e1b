from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn.functional import nll_loss

from cogsl.graph import Graph
from cogsl.methods.gcn import GCN
from cogsl.nn import MessagePassingGCN
from cogsl.seeding import Seeds
from tests.common.graphs import two_groups
from tests.methods.figures import script_figures

Array = npt.NDArray[np.float64]


def weighted_path() -> Graph:
    """0 -(1)- 1 -(2)- 2 and the isolated node 3, with two features."""
    weights = np.zeros((4, 4), dtype=np.float32)
    weights[0, 1] = weights[1, 0] = 1.0
    weights[1, 2] = weights[2, 1] = 2.0
    features = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-1.0, 1.0]], dtype=np.float32)
    return Graph.from_scipy(
        csr_array(weights), features=features, labels=[0, 1, 0, 1], train=[0, 1], val=[2, 3]
    )


def normalised(graph: Graph) -> Array:
    """Return D^-1/2 (A + I) D^-1/2 as a dense matrix."""
    looped = graph.adjacency.toarray().astype(np.float64) + np.eye(graph.n_nodes)
    root = np.sqrt(looped.sum(axis=1))
    result: Array = looped / np.outer(root, root)
    return result


def with_sparse_features(graph: Graph) -> Graph:
    return dataclasses.replace(graph, features=csr_array(graph.features))


def network(
    graph: Graph, *, hidden: int = 3, generator: torch.Generator | None = None
) -> MessagePassingGCN:
    return MessagePassingGCN(
        graph.adjacency,
        graph.features,
        hidden=hidden,
        n_classes=graph.n_classes,
        rate=0.5,
        generator=generator or torch.Generator().manual_seed(0),
    )


def test_normalised_path_by_hand() -> None:
    # Degrees with self-loops: 2, 4, 3, 1.
    a, b = 1 / np.sqrt(8), 2 / np.sqrt(12)
    expected = [[1 / 2, a, 0, 0], [a, 1 / 4, b, 0], [0, b, 1 / 3, 0], [0, 0, 0, 1]]
    made = network(weighted_path())
    matrix = np.zeros((4, 4))
    source, target = made.edges.numpy()
    matrix[target, source] = made.edge_weights.numpy()
    np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_network_agrees_with_the_dense_formula_on_the_same_weights(sparse: bool) -> None:
    graph = weighted_path()
    made = network(with_sparse_features(graph) if sparse else graph)
    with torch.no_grad():
        made.first.bias.copy_(torch.tensor([0.3, -0.2, 0.1]))
        made.second.bias.copy_(torch.tensor([-0.5, 0.25]))
    W0, b0, W1, b1 = (
        tensor.detach().double().numpy()
        for layer in (made.first, made.second)
        for tensor in (layer.lin.weight, layer.bias)
    )
    S, X = normalised(graph), np.asarray(graph.features, dtype=np.float64)
    scores = S @ (np.maximum(S @ X @ W0 + b0, 0.0) @ W1) + b1
    odds = np.exp(scores)
    output = made(generator=None).detach().exp().numpy()
    np.testing.assert_allclose(output, odds / odds.sum(axis=1, keepdims=True), rtol=0, atol=1e-6)


def dense_training(graph: Graph, epochs: int, *, lr: float, weight_decay: float) -> list[Tensor]:
    """Train the dense formula from the method's own first weights; return each epoch's output."""
    start = network(graph, hidden=16, generator=Seeds(0).torch("weights"))
    layers = [(layer.lin.weight, layer.bias) for layer in (start.first, start.second)]
    W0, b0, W1, b1 = (nn.Parameter(p.detach().double()) for pair in layers for p in pair)
    S = torch.tensor(normalised(graph))
    X = torch.tensor(np.asarray(graph.features, dtype=np.float64))
    train, labels = torch.tensor(graph.train), torch.tensor(graph.labels)
    optimiser = torch.optim.Adam([W0, b0, W1, b1], lr=lr, weight_decay=weight_decay)
    outputs = []
    for _ in range(epochs):
        output = (S @ (torch.relu(S @ X @ W0 + b0) @ W1) + b1).log_softmax(dim=1)
        outputs.append(output.detach())
        optimiser.zero_grad()
        torch.autograd.backward(nll_loss(output[train], labels[train]))
        optimiser.step()
    return outputs


def test_training_agrees_with_a_dense_one() -> None:
    graph = two_groups()
    method = GCN(epochs=9, dropout=0.0).fit(graph, seed=0)
    outputs = dense_training(graph, 10, lr=0.01, weight_decay=5e-4)
    expected = outputs[method.best_iter_ + 1].exp().numpy()
    assert not np.allclose(expected, outputs[0].exp().numpy(), atol=1e-2)
    np.testing.assert_allclose(method.predict_proba(), expected, rtol=0, atol=1e-4)
    train, labels = torch.tensor(graph.train), torch.tensor(graph.labels)
    losses = [float(nll_loss(output[train], labels[train])) for output in outputs[:9]]
    assert [record["loss"] for record in method.history_] == pytest.approx(losses, abs=1e-4)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_sparse_and_dense_features_agree(dropout: float) -> None:
    graph = two_groups()
    settings: dict[str, Any] = {"epochs": 5, "dropout": dropout}
    dense = GCN(**settings).fit(graph, seed=0).predict_proba()
    sparse = GCN(**settings).fit(with_sparse_features(graph), seed=0).predict_proba()
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-5)


def test_kept_epoch_has_the_highest_accuracy_and_of_equals_the_lowest_loss() -> None:
    method = GCN(epochs=30, lr=0.2).fit(two_groups(seed=1), seed=0)
    figures = [(record["val_accuracy"], -record["val_loss"]) for record in method.history_]
    assert figures[method.best_iter_] == max(figures)


@pytest.mark.parametrize(("patience", "ran"), [(None, 6), (1, 3), (2, 6)])
def test_patience_stops_early_and_is_off_by_default(
    patience: int | None, ran: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert GCN().patience is None
    script_figures(
        monkeypatch, [(0.5, 1.0), (0.6, 1.0), (0.6, 1.1), (0.7, 2.0), (0.1, 0.1), (0.2, 0.1)]
    )
    method = GCN(epochs=6, patience=patience).fit(two_groups(), seed=0)
    assert method.n_iter_ == ran
    assert method.best_iter_ == (1 if ran == 3 else 3)


def test_dropout_acts_in_training() -> None:
    plain, noisy = (GCN(epochs=1, dropout=rate).fit(two_groups(), seed=0) for rate in (0.0, 0.5))
    assert plain.history_[0]["loss"] != noisy.history_[0]["loss"]
