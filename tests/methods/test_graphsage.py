"""GraphSAGE keeps a node apart from the mean of its neighbours."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.methods.graphsage import GraphSAGE, _Network


def path() -> Graph:
    """0 - 1 - 2 and the isolated node 3."""
    features = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0], [-1.0, 1.0]], dtype=np.float32)
    return Graph.from_edges(
        [[0, 1], [1, 2]], features=features, labels=[0, 1, 0, 1], train=[0, 1], val=[2, 3]
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_network_agrees_with_the_formula(sparse: bool) -> None:
    graph = path()
    given = dataclasses.replace(graph, features=csr_array(graph.features)) if sparse else graph
    generator = torch.Generator().manual_seed(0)
    network = _Network(GraphSAGE(hidden=3), given, generator=generator)
    with torch.no_grad():
        network.bias.uniform_(-1, 1, generator=generator)
        output = network(generator=None).exp().numpy()
    mean = np.array([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    X = np.asarray(graph.features, dtype=np.float64)
    numbers = {name: p.detach().double().numpy() for name, p in network.named_parameters()}
    hidden = mean @ X @ numbers["neighbours.weight"] + X @ numbers["self_.weight"]
    hidden = np.maximum(hidden + numbers["bias"], 0.0)
    last = mean @ hidden @ numbers["second.lin_l.weight"].T + numbers["second.lin_l.bias"]
    odds = np.exp(last + hidden @ numbers["second.lin_r.weight"].T)
    np.testing.assert_allclose(output, odds / odds.sum(axis=1, keepdims=True), atol=1e-5)


def test_every_weight_is_trained() -> None:
    network = _Network(GraphSAGE(), path(), generator=torch.Generator().manual_seed(0))
    torch.autograd.backward(network(generator=None)[:, 0].sum())
    assert all(p.grad is not None for p in network.parameters())
    assert len(list(network.parameters())) == 6
