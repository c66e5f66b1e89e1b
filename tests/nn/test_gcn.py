"""The path 0 - 1 - 2 with self-loops, degrees 2, 3, 2, by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, sqrt

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.nn import FeatureMatrix, GCNClassifier, Propagated, feature_matrix, graph_convolution
from cogsl.sparse import SparseMatrix

V = np.array([[1 / 2, 1 / sqrt(6), 0], [1 / sqrt(6), 1 / 3, 1 / sqrt(6)], [0, 1 / sqrt(6), 1 / 2]])
X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 4.0]], dtype=np.float32)


def path() -> SparseMatrix:
    return SparseMatrix.from_scipy(csr_array(V), torch.float64)


def features(*, sparse: bool) -> FeatureMatrix:
    return feature_matrix(csr_array(X) if sparse else X, torch.float64)


def tensor(values: object) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def close(result: Tensor, expected: npt.ArrayLike) -> None:
    np.testing.assert_allclose(result.detach().numpy(), np.asarray(expected), rtol=0, atol=1e-12)


def classifier(rate: float = 0.0, activation: str = "relu") -> GCNClassifier:
    """Return a classifier whose first layer is (x, -x) of the first feature, the second I."""
    made = GCNClassifier(
        2,
        2,
        2,
        rate=rate,
        activation=activation,
        generator=torch.Generator().manual_seed(0),
        dtype=torch.float64,
    )
    with torch.no_grad():
        made.first.copy_(tensor([[1.0, -1.0], [0.0, 0.0]]))
        made.second.copy_(torch.eye(2))
    return made


def test_convolution_weights_neighbours_by_both_degrees() -> None:
    close(graph_convolution(path(), tensor([[2.0], [0.0], [0.0]])), [[1.0], [2 / sqrt(6)], [0.0]])


@pytest.mark.parametrize("sparse", [False, True])
def test_propagated_by_hand(sparse: bool) -> None:
    smooth = Propagated(path(), features(sparse=sparse))
    result = smooth(tensor([[6.0], [1.0]]))  # X W = (6, 0, 4)
    close(result, [[3.0], [10 / sqrt(6)], [2.0]])


@pytest.mark.parametrize("sparse", [False, True])
def test_propagated_rows_are_rows_of_the_whole_in_the_asked_order(sparse: bool) -> None:
    smooth, weight = Propagated(path(), features(sparse=sparse)), tensor([[6.0], [1.0]])
    close(smooth(weight, torch.tensor([2, 0, 2])), [[2.0], [3.0], [2.0]])


@pytest.mark.parametrize("rows", [None, [1], [2, 0]])
def test_propagated_dense_and_sparse_agree_on_a_view_that_is_not_symmetric(
    rows: list[int] | None,
) -> None:
    rng = np.random.default_rng(0)
    matrix = np.where(rng.random((6, 6)) < 0.5, rng.random((6, 6)), 0.0)
    view = SparseMatrix.from_scipy(csr_array(matrix), torch.float64)
    x = np.where(rng.random((6, 4)) < 0.5, rng.random((6, 4)), 0.0).astype(np.float32)
    index = None if rows is None else torch.tensor(rows)
    weight = tensor(rng.normal(size=(4, 3))).requires_grad_()
    expected = (matrix @ x.astype(np.float64) @ weight.detach().numpy())[
        slice(None) if rows is None else rows
    ]
    gradients: list[Tensor] = []
    for kind in (x, csr_array(x)):
        result = Propagated(view, feature_matrix(kind, torch.float64))(weight, index)
        close(result, expected)
        gradients += torch.autograd.grad(result.square().sum(), weight)
    close(gradients[0], gradients[1].numpy())
    assert float(gradients[0].abs().max()) > 0


@pytest.mark.parametrize(
    ("activation", "negative"), [("relu", lambda h: 0.0), ("elu", expm1)], ids=["relu", "elu"]
)
def test_two_layer_classifier_by_hand(activation: str, negative: Callable[[float], float]) -> None:
    model, view = classifier(activation=activation), path()
    smoothed = Propagated(view, features(sparse=False))(model.first)  # (1/2, 1/sqrt 6, 0), negated
    output = model(view, smoothed)
    first = [1 / 4 + 1 / 6, 1 / (2 * sqrt(6)) + 1 / (3 * sqrt(6)), 1 / 6]
    c, d = negative(-1 / 2), negative(-1 / sqrt(6))
    second = [c / 2 + d / sqrt(6), c / sqrt(6) + d / 3, d / sqrt(6)]
    sure = [1 / (1 + exp(b - a)) for a, b in zip(first, second, strict=True)]
    close(output.exp(), [[p, 1 - p] for p in sure])


def test_classifier_gives_the_rows_that_are_asked_for() -> None:
    model, view = classifier(), path()
    smoothed = Propagated(view, features(sparse=True))(model.first)
    index = torch.tensor([2, 0])
    close(model(view.rows(index), smoothed), model(view, smoothed)[index].detach().numpy())


def test_classifier_drops_out_only_with_a_generator() -> None:
    model, view = classifier(rate=0.5), path()
    smoothed = Propagated(view, features(sparse=False))(model.first)
    plain = model(view, smoothed)
    close(plain, classifier(rate=0.0)(view, smoothed).detach().numpy())
    noisy = [model(view, smoothed, generator=torch.Generator().manual_seed(k)) for k in (0, 0, 1)]
    assert torch.equal(noisy[0], noisy[1])
    assert not torch.equal(noisy[0], noisy[2])
    assert not torch.equal(noisy[0], plain)


def test_gradient_reaches_both_layers_and_the_view() -> None:
    model, view = classifier(), path()
    view = SparseMatrix(view.pattern, view.values.requires_grad_())
    smoothed = graph_convolution(view, features(sparse=False) @ model.first)
    loss = model(view, smoothed)[:, 0].sum()
    for grad in torch.autograd.grad(loss, [model.first, model.second, view.values]):
        assert float(grad.abs().max()) > 0


def test_layers_of_one_classifier_start_from_different_numbers() -> None:
    model = GCNClassifier(
        3, 3, 3, rate=0.5, generator=torch.Generator().manual_seed(0), dtype=torch.float32
    )
    assert not torch.equal(model.first, model.second)


def test_bias_is_added_before_the_activation_and_before_the_softmax() -> None:
    view = SparseMatrix.from_scipy(csr_array(np.eye(2)), torch.float64)
    generator = torch.Generator().manual_seed(0)
    classifier = GCNClassifier(
        1, 1, 2, rate=0.0, bias=True, generator=generator, dtype=torch.float64
    )
    assert classifier.first_bias is not None
    assert classifier.second_bias is not None
    with torch.no_grad():
        classifier.second.copy_(torch.tensor([[1.0, 0.0]]))
        classifier.first_bias.fill_(2.0)
        classifier.second_bias.copy_(torch.tensor([0.0, 1.0]))
    output = classifier(view, torch.tensor([[1.0], [-3.0]], dtype=torch.float64))
    # hidden: relu(1 + 2) = 3 and relu(-3 + 2) = 0; the first class leads by 3 - 1 and 0 - 1
    lead = output[:, 0] - output[:, 1]
    torch.testing.assert_close(lead, torch.tensor([2.0, -1.0], dtype=torch.float64))


def test_rows_that_reach_few_nodes_give_what_the_whole_product_gives() -> None:
    n, rng = 40, np.random.default_rng(0)
    ring = csr_array(np.eye(n) + np.roll(np.eye(n), 1, axis=1) * 0.5)
    features = np.where(rng.random((n, 6)) < 0.4, rng.random((n, 6)), 0.0).astype(np.float32)
    view = SparseMatrix.from_scipy(ring, torch.float64)
    propagated = Propagated(view, feature_matrix(csr_array(features), torch.float64))
    weight = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    rows = torch.tensor([30, 4, 5])
    near, kept = propagated._near(rows)
    assert near.shape == (3, 5)
    assert kept.shape == (5, 6)
    few, whole = propagated(weight, rows), propagated(weight)[rows]
    torch.testing.assert_close(few, whole)
    (ours,) = torch.autograd.grad(few.sin().sum(), weight)
    (theirs,) = torch.autograd.grad(whole.sin().sum(), weight)
    torch.testing.assert_close(ours, theirs)
