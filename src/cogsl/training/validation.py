"""Judging log-predictions on the nodes whose labels a method may see."""

from __future__ import annotations

import copy

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from cogsl.graph import Graph


class LabelledNodes:
    """The train and validation nodes of a graph with their labels; no other label is read."""

    def __init__(self, graph: Graph) -> None:
        self.train, self.val = torch.tensor(graph.train), torch.tensor(graph.val)
        self.train_labels = torch.tensor(graph.labels[graph.train])
        self.val_labels = torch.tensor(graph.labels[graph.val])

    def among(self, index: Tensor) -> LabelledNodes:
        """Return those among some ascending nodes, numbered by their place there."""
        part = copy.copy(self)
        part.train, part.train_labels = _among(index, self.train, self.train_labels)
        part.val, part.val_labels = _among(index, self.val, self.val_labels)
        return part

    def judge(self, output: Tensor) -> dict[str, float]:
        """Return train accuracy, validation accuracy and loss of log-predictions, N x C."""
        val = output.index_select(0, self.val)
        return {
            "train_accuracy": _accuracy(output.index_select(0, self.train), self.train_labels),
            "val_accuracy": _accuracy(val, self.val_labels),
            "val_loss": float(nll_loss(val, self.val_labels)),
        }


def _among(index: Tensor, nodes: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return where the nodes that ``index`` holds stand in it, and their labels."""
    place = torch.searchsorted(index, nodes).clamp_(max=index.numel() - 1)
    held = index.index_select(0, place) == nodes
    return place[held], labels[held]


def _accuracy(output: Tensor, labels: Tensor) -> float:
    """Return the share of nodes whose largest output is their label."""
    return float((output.argmax(dim=1) == labels).double().mean())
