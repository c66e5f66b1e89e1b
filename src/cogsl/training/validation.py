"""Judging log-predictions on the nodes whose labels a method may see."""

from __future__ import annotations

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

    def judge(self, output: Tensor) -> dict[str, float]:
        """Return train accuracy, validation accuracy and loss of log-predictions, N x C."""
        val = output.index_select(0, self.val)
        return {
            "train_accuracy": _accuracy(output.index_select(0, self.train), self.train_labels),
            "val_accuracy": _accuracy(val, self.val_labels),
            "val_loss": float(nll_loss(val, self.val_labels)),
        }


def _accuracy(output: Tensor, labels: Tensor) -> float:
    """Return the share of nodes whose largest output is their label."""
    return float((output.argmax(dim=1) == labels).double().mean())
