"""GAT attends to neighbours: what its layers compute, and that attention is learned."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.methods.gat import GAT, _Network
from tests.common.graphs import two_groups


def star() -> Graph:
    """Node 0 in the middle of 1 and 2; node 3 by itself."""
    features = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 1.0]], dtype=np.float32)
    return Graph.from_edges(
        [[0, 0], [1, 2]], features=features, labels=[0, 1, 0, 1], train=[0, 1], val=[2, 3]
    )


def leaky(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, 0.2 * x)


def attend(h: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """One head on the star, written out: a_ij = softmax_j LeakyReLU(a . h_i + b . h_j)."""
    near = {0: [0, 1, 2], 1: [0, 1], 2: [0, 2], 3: [3]}
    rows = []
    for i, neighbours in near.items():
        scores = np.exp(leaky(np.array([h[i] @ target + h[j] @ source for j in neighbours])))
        rows.append((scores / scores.sum()) @ h[neighbours])
    return np.array(rows)


def test_two_heads_and_the_output_layer_agree_with_the_formula() -> None:
    graph, settings = star(), GAT(hidden=3, heads=2)
    network = _Network(settings, graph, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        network.first.bias.uniform_(-1, 1)
        output = network(generator=None).exp().numpy()
    X = np.asarray(graph.features, dtype=np.float64)
    numbers = {name: p.detach().double().numpy() for name, p in network.named_parameters()}
    H = (X @ numbers["product.weight"]).reshape(4, 2, 3)
    heads = [
        attend(H[:, k], numbers["first.att_src"][0, k], numbers["first.att_dst"][0, k])
        for k in range(2)
    ]
    hidden = np.concatenate(heads, axis=1) + numbers["first.bias"]
    hidden = np.where(hidden > 0, hidden, np.expm1(hidden)) @ numbers["second.lin.weight"]
    last = attend(hidden, numbers["second.att_src"][0, 0], numbers["second.att_dst"][0, 0])
    odds = np.exp(last + numbers["second.bias"])
    np.testing.assert_allclose(output, odds / odds.sum(axis=1, keepdims=True), atol=1e-5)


def test_attention_is_trained_and_dropout_acts_in_training_only() -> None:
    graph = two_groups()
    plain, noisy = (
        GAT(epochs=3, dropout=0.0, input_dropout=0.0, attention_dropout=rate).fit(graph, seed=0)
        for rate in (0.0, 0.5)
    )
    assert plain.history_[0]["loss"] != noisy.history_[0]["loss"]
    network = _Network(GAT(), graph, generator=torch.Generator().manual_seed(0))
    assert torch.equal(network(generator=None), network(generator=None))
    torch.autograd.backward(network(generator=None).sum())
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in network.parameters())


def test_sparse_and_dense_features_agree() -> None:
    graph = two_groups()
    sparse = dataclasses.replace(graph, features=csr_array(graph.features))
    first, second = (
        GAT(epochs=5, input_dropout=0.0).fit(g, seed=0).predict_proba() for g in (graph, sparse)
    )
    np.testing.assert_allclose(first, second, atol=1e-5)
