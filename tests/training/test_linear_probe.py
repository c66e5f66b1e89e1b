from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from torch import Tensor

from cogsl.graph import Graph
from cogsl.training import LabelledNodes, linear_probe
from cogsl.training.linear_probe import scaled


def labelled(labels: list[int], *, train: list[int], val: list[int]) -> LabelledNodes:
    edges = np.array([[0], [1]])
    return LabelledNodes(
        Graph.from_edges(edges, n_nodes=len(labels), labels=labels, train=train, val=val)
    )


def clouds(n: int, n_classes: int, *, noise: float) -> tuple[Tensor, LabelledNodes]:
    """Points around one corner a class; half of them train, the others validate."""
    labels = torch.arange(n) % n_classes
    generator = torch.Generator().manual_seed(0)
    points = torch.eye(n_classes)[labels] + noise * torch.randn(n, n_classes, generator=generator)
    split = {"train": list(range(n // 2)), "val": list(range(n // 2, n))}
    return points, labelled(labels.tolist(), **split)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_minimise_the_regularised_likelihood(n_classes: int) -> None:
    points, nodes = clouds(30, n_classes, noise=0.6)
    C, x = 0.7, points.double().numpy()
    train, labels = nodes.train.numpy(), nodes.train_labels.numpy()
    rows = (
        1 if n_classes == 2 else n_classes
    )  # two classes: one row of odds, as scikit-learn has it

    def scores(flat: np.ndarray) -> np.ndarray:
        W, b = flat[: rows * n_classes].reshape(rows, -1), flat[rows * n_classes :]
        found = x @ W.T + b
        return np.hstack([0.0 * found, found]) if rows == 1 else found

    def log_softmax(s: np.ndarray) -> np.ndarray:
        result: np.ndarray = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
        return result

    def objective(flat: np.ndarray) -> float:
        likelihood = log_softmax(scores(flat))[train, labels].sum()
        return float(0.5 * np.square(flat[: rows * n_classes]).sum() - C * likelihood)

    best = minimize(objective, np.zeros(rows * (n_classes + 1)), tol=1e-10).x
    found = linear_probe(points, nodes, n_classes, strengths=(C,))
    np.testing.assert_allclose(
        found.probabilities, np.exp(log_softmax(scores(best))), rtol=0, atol=2e-3
    )


def test_the_strength_is_chosen_on_validation_nodes() -> None:
    # The only training node of class 1 lies among class 0: a weak penalty follows it.
    points = torch.tensor([[0.0], [0.2], [0.4], [0.3], [1.0], [0.1], [0.35], [0.9]])
    labels = [0, 0, 0, 1, 1, 0, 0, 1]
    nodes = labelled(labels, train=[0, 1, 2, 3, 4], val=[5, 6, 7])
    alone = {C: linear_probe(points, nodes, 2, strengths=(C,)).figures for C in (1e-3, 10.0, 1e4)}
    best = max(alone, key=lambda C: (alone[C]["val_accuracy"], -alone[C]["val_loss"]))
    found = linear_probe(points, nodes, 2, strengths=tuple(alone))
    assert found.strength == best
    assert found.figures["val_accuracy"] == pytest.approx(alone[best]["val_accuracy"])
    assert len({figures["val_loss"] for figures in alone.values()}) == 3


def test_figures_belong_to_the_returned_probabilities() -> None:
    points, nodes = clouds(60, 3, noise=0.5)
    found = linear_probe(points, nodes, 3)
    judged = nodes.judge(torch.from_numpy(found.probabilities).log())
    assert judged == pytest.approx(found.figures)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)


def test_labels_of_other_nodes_are_not_read() -> None:
    points, _ = clouds(30, 3, noise=0.5)
    labels = (torch.arange(30) % 3).tolist()
    other = [*labels[:20], *reversed(labels[20:])]
    split = {"train": list(range(12)), "val": list(range(12, 20))}
    first, second = (linear_probe(points, labelled(y, **split), 3) for y in (labels, other))
    assert labels != other
    assert np.array_equal(first.probabilities, second.probabilities)


def test_unit_rows_forget_their_length() -> None:
    points, nodes = clouds(30, 3, noise=0.3)
    lengths = torch.linspace(0.1, 9.0, 30)[:, None]
    plain, longer = (linear_probe(p, nodes, 3, scaling="unit") for p in (points, points * lengths))
    np.testing.assert_allclose(plain.probabilities, longer.probabilities, atol=1e-4)
    raw = linear_probe(points * lengths, nodes, 3)
    assert not np.allclose(raw.probabilities, plain.probabilities, atol=1e-2)


def test_standard_columns_have_mean_0_and_deviation_1_and_constant_ones_become_0() -> None:
    columns = torch.tensor([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]])
    root = math.sqrt(1.5)
    expected = torch.tensor([[-root, 0.0], [0.0, 0.0], [root, 0.0]])
    torch.testing.assert_close(scaled(columns, "standard"), expected)


def test_a_class_without_training_node_is_never_predicted() -> None:
    points, _ = clouds(12, 3, noise=0.1)
    labels = [2 if k % 3 else 0 for k in range(12)]
    nodes = labelled(labels, train=list(range(6)), val=list(range(6, 12)))
    found = linear_probe(points, nodes, 3)
    assert (found.probabilities[:, 1] == 0.0).all()
    assert found.figures["val_accuracy"] == 1.0


def test_embeddings_that_are_not_finite_give_no_figures() -> None:
    points, nodes = clouds(12, 3, noise=0.1)
    points[3, 1] = math.inf
    found = linear_probe(points, nodes, 3)
    assert math.isnan(found.figures["val_loss"])
    assert math.isnan(found.strength)
    assert found.probabilities.shape == (12, 3)
