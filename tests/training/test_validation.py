from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cogsl.graph import Graph
from cogsl.training import LabelledNodes

OUTPUT = torch.tensor(
    [[0.9, 0.1], [0.9, 0.1], [0.25, 0.75], [0.5, 0.5], [0.125, 0.875], [0.4, 0.6]],
    dtype=torch.float64,
).log()


def graph(last_labels: tuple[int, int] = (0, 1)) -> Graph:
    return Graph.from_scipy(
        csr_array((6, 6), dtype=np.float32),
        labels=[0, 1, 1, *last_labels, 0],
        train=[0, 1],
        val=[2, 5],
    )


def test_figures_by_hand() -> None:
    # Train: node 0 right, node 1 wrong. Validation: node 2 right with 3/4, node 5 wrong with 2/5.
    figures = LabelledNodes(graph()).judge(OUTPUT)
    assert set(figures) == {"train_accuracy", "val_accuracy", "val_loss"}
    assert figures["train_accuracy"] == 0.5
    assert figures["val_accuracy"] == 0.5
    assert figures["val_loss"] == pytest.approx(-(math.log(0.75) + math.log(0.4)) / 2, abs=1e-14)


def test_figures_are_plain_floats() -> None:
    figures = LabelledNodes(graph()).judge(OUTPUT.float())
    assert all(type(value) is float for value in figures.values())


def test_labels_of_other_nodes_are_not_kept() -> None:
    first, second = LabelledNodes(graph((0, 1))), LabelledNodes(graph((1, -1)))
    assert vars(first).keys() == vars(second).keys()
    for name, value in vars(first).items():
        assert torch.equal(value, vars(second)[name]), name


def test_nodes_and_labels_are_those_of_the_split() -> None:
    nodes = LabelledNodes(graph())
    assert nodes.train.tolist() == [0, 1]
    assert nodes.val.tolist() == [2, 5]
    assert nodes.train_labels.tolist() == [0, 1]
    assert nodes.val_labels.tolist() == [1, 0]
