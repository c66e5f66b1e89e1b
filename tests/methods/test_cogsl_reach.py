"""On a large graph the folds touch only what the labelled and sampled nodes reach.

Both ways, with what is reached and with everything, must give the same losses and gradients.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array, random_array
from torch import Tensor

from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_folds import Folds
from cogsl.methods.cogsl_parts import whole_graph
from cogsl.nn import Propagated, feature_matrix
from cogsl.scorers import SCORERS
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix

N = 300


def ring(*, sparse: bool) -> Graph:
    """Return a ring of 300 nodes, of which 4 are labelled for training and 4 for validation."""
    rng = np.random.default_rng(0)
    nodes = np.arange(N)
    features = rng.random((N, 7)) * (rng.random((N, 7)) < 0.4) + 0.01 * np.eye(N, 7)
    return Graph.from_edges(
        np.stack([nodes, (nodes + 1) % N]),
        features=csr_array(features) if sparse else features,
        labels=(nodes >= N // 2).astype(int),
        train=[0, 1, 200, 201],
        val=[20, 21, 220, 221],
        test=np.arange(50, 100),
    )


def make_folds(*, sparse: bool, scorer: str = "linear") -> Folds:
    method = CoGSL(
        views=("adjacency", "diffusion"),
        scope=(1, 4),
        scorer=scorer,
        classifier_dropout=0.0,
        estimator_dropout=0.0,
        mi_batch=5,
        mi_hidden=6,
        estimator_hidden=4,
        classifier_hidden=3,
        precision="float64",
    )
    graph = ring(sparse=sparse)
    folds = Folds(method, graph, Seeds(0))
    folds.part = whole_graph(method, graph, Seeds(0))
    return folds


def never_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything be computed for all nodes."""
    monkeypatch.setattr("cogsl.nn.gcn.FEW", 0.0)
    monkeypatch.setattr("cogsl.methods.cogsl_folds.FEW", 0.0)


def close(one: Tensor, two: Tensor) -> None:
    torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-12)


def gradients(loss: Tensor, module: torch.nn.Module) -> list[Tensor]:
    return list(torch.autograd.grad(loss, list(module.parameters()), materialize_grads=True))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scorer", sorted(SCORERS))
def test_the_loss_of_the_views_is_the_same_as_with_all_nodes(
    sparse: bool, scorer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = torch.tensor([7, 33, 3, 250, 141])
    results = []
    for everything in (False, True):
        if everything:
            never_few(monkeypatch)
        folds = make_folds(sparse=sparse, scorer=scorer)
        projections = folds.project()
        assert all((encoder is None) != everything for encoder in projections.encoders)
        loss = folds.view_loss(projections, 0.1, batch)
        results.append((loss, gradients(loss, folds.omega)))
    close(results[0][0], results[1][0])
    for one, two in zip(results[0][1], results[1][1], strict=True):
        close(one, two)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_losses_of_classifiers_and_mi_are_the_same_as_with_all_nodes(
    sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = torch.tensor([7, 33, 3, 250, 141])
    results = []
    for everything in (False, True):
        if everything:
            never_few(monkeypatch)
        folds = make_folds(sparse=sparse)
        views = folds.estimate()
        assert all((at is None) == everything for _, at in views.train_rows)
        loss = folds.classifier_loss(views)
        pair_losses = folds.pair_losses(views, batch)
        parts = [loss, *gradients(loss, folds.theta), *pair_losses]
        results.append(parts + gradients(sum(pair_losses[1:], pair_losses[0]), folds.phi))
    for one, two in zip(*results, strict=True):
        close(one, two)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_rows", [3, 40])
def test_some_rows_of_a_propagated_product_are_rows_of_the_whole(sparse: bool, n_rows: int) -> None:
    rng = np.random.default_rng(1)
    view = SparseMatrix.from_scipy(
        csr_array(random_array((100, 100), density=0.03, rng=rng)), torch.float64
    )
    x = (rng.random((100, 6)) * (rng.random((100, 6)) < 0.5)).astype(np.float32)
    features = feature_matrix(csr_array(x) if sparse else x, torch.float64)
    weight, rows = torch.randn(6, 4, dtype=torch.float64), torch.randperm(100)[:n_rows]
    propagated = Propagated(view, features)
    close(propagated(weight, rows), propagated(weight)[rows])
