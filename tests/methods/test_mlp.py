"""MLP sees features only."""

from __future__ import annotations

import numpy as np
import torch

from cogsl.methods.mlp import MLP, _Network
from tests.common.graphs import two_groups


def test_network_agrees_with_the_formula() -> None:
    graph, generator = two_groups(), torch.Generator().manual_seed(0)
    network = _Network(MLP(hidden=3), graph, generator=generator)
    with torch.no_grad():
        for bias in (network.first_bias, network.second_bias):
            bias.uniform_(-1, 1, generator=generator)
        output = network(generator=None).exp().numpy()
    X = np.asarray(graph.features, dtype=np.float64)
    numbers = {name: p.detach().double().numpy() for name, p in network.named_parameters()}
    hidden = np.maximum(X @ numbers["first"] + numbers["first_bias"], 0.0)
    odds = np.exp(hidden @ numbers["second"] + numbers["second_bias"])
    np.testing.assert_allclose(output, odds / odds.sum(axis=1, keepdims=True), atol=1e-5)


def test_a_node_is_judged_by_its_own_features_alone() -> None:
    network = _Network(MLP(), two_groups(), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        before = network(generator=None)
        assert isinstance(network.features, torch.Tensor)
        network.features[3] += 5.0
        changed = (network(generator=None) != before).any(dim=1)
    assert changed.nonzero().flatten().tolist() == [3]


def test_dropout_of_features_and_of_the_hidden_layer_act_in_training() -> None:
    losses = [
        MLP(epochs=1, dropout=hidden, input_dropout=features)
        .fit(two_groups(), seed=0)
        .history_[0]["loss"]
        for hidden, features in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5))
    ]
    assert len(set(losses)) == 3
