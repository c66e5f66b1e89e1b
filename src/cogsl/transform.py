"""The learned graph as a transform of PyTorch Geometric, for anybody's network."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from cogsl.datasets.splits import validation_split
from cogsl.errors import InputError
from cogsl.evaluation.protocol import hide_test_labels
from cogsl.graph import Graph
from cogsl.io import graph_from_pyg
from cogsl.methods.cogsl import CoGSL
from cogsl.pruning import check_choice, strongest
from cogsl.seeding import Seeds
from cogsl.settings import coerce_settings

_READ = ("x", "edge_index", "edge_weight", "y", "train_mask", "val_mask", "test_mask")

logger = logging.getLogger("cogsl")


class LearnStructure(BaseTransform):  # type: ignore[misc]
    """Replaces the edges of a ``Data`` object by those that CoGSL learns.

    The object that comes back has the learned ``edge_index`` (each edge both ways, no self-loops)
    and ``edge_weight``; attributes of single edges that are gone, such as ``edge_attr``, are
    dropped, all else is kept. The one that was given is left as it is.

    Read are ``x``, ``edge_index`` and ``edge_weight`` (without edges the nearest neighbours of
    ``x`` are joined), and ``y`` where ``train_mask`` and ``val_mask`` say so. Labels below 0 and
    NaN are unknown. Without ``val_mask`` a share of the training nodes is held back to choose the
    iteration that is kept; without ``train_mask`` all labelled nodes outside ``test_mask`` are
    training nodes. No other label is read.

    Training takes its time, and a data set applies its ``transform`` at each access: call this one
    once, or give it as ``pre_transform``.

    Parameters
    ----------
    seed : of the run; the same seed gives the same bits.
    n_edges, min_weight, per_node : which edges are kept, see ``cogsl.pruning.strongest``; all by
        default.
    val_share : share of the labelled nodes that is held back where there is no ``val_mask``.
    settings : those of ``CoGSL``, by name.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        n_edges: int | None = None,
        min_weight: float | None = None,
        per_node: int | None = None,
        val_share: float = 0.2,
        **settings: Any,
    ) -> None:
        self.choice: dict[str, Any] = {
            "n_edges": n_edges,
            "min_weight": min_weight,
            "per_node": per_node,
        }
        check_choice(**self.choice)
        self.settings = coerce_settings(CoGSL, settings)
        CoGSL(**self.settings).validate()
        self.seed, self.val_share = seed, val_share

    def forward(self, data: Data) -> Data:
        """Set the learned edges of ``data``, which ``BaseTransform`` has copied."""
        graph = self._graph(data)
        method = CoGSL(**self.settings).fit(graph, seed=self.seed)
        assert method.learned_graph_ is not None
        entries = strongest(method.learned_graph_.adjacency, **self.choice).tocoo()
        device = (data.x if data.edge_index is None else data.edge_index).device
        _drop_edge_attributes(data)
        ends = np.stack([entries.row, entries.col])
        data.edge_index = torch.tensor(ends, dtype=torch.long, device=device)
        data.edge_weight = torch.tensor(entries.data, device=device)
        return data

    def __repr__(self) -> str:
        given = {"seed": self.seed, **self.choice, "val_share": self.val_share, **self.settings}
        shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({shown})"

    def _graph(self, data: Data) -> Graph:
        """Return the graph with a split, in which no label outside it is left."""
        _check(data)
        read = {key: getattr(data, key, None) for key in _READ}
        held = {key: value.detach().cpu() for key, value in read.items() if value is not None}
        if "y" in held:
            held["y"] = torch.where(held["y"] >= 0, held["y"], -1)  # NaN is not >= 0
        graph = graph_from_pyg(Data(**held, num_nodes=data.num_nodes)).graph
        return hide_test_labels(self._with_split(graph))

    def _with_split(self, graph: Graph) -> Graph:
        """Return the graph with the training and validation nodes that its masks do not name."""
        if len(graph.train) and len(graph.val):
            return graph
        labels = graph.labels.copy()
        if len(graph.train):
            labels[np.setdiff1d(np.arange(graph.n_nodes), graph.train)] = -1
        labels[np.concatenate([graph.val, graph.test])] = -1
        if len(graph.val):
            return graph.with_split(np.flatnonzero(labels >= 0), graph.val)
        generator = Seeds(self.seed).numpy("split")
        return graph.with_split(
            *validation_split(labels, val_share=self.val_share, generator=generator)
        )


def _check(data: Any) -> None:
    if not isinstance(data, Data):
        raise InputError(
            "LearnStructure must be given PyTorch Geometric's Data, one graph with one kind of "
            f"nodes. Got {type(data).__name__} instead."
        )
    if data.edge_index is None and ("adj_t" in data or "adj" in data):
        raise InputError(
            "LearnStructure reads the edges from 'edge_index', which the data does not have, but "
            "a sparse adjacency. Apply it before ToSparseTensor."
        )


def _drop_edge_attributes(data: Data) -> None:
    """Take out what is said of single edges, for they are no longer there."""
    if data.edge_index is None:
        return
    gone = [key for key in data.keys() if data.is_edge_attr(key)]  # noqa: SIM118 - no dict
    for key in gone:
        del data[key]
    others = [key for key in gone if key not in ("edge_index", "edge_weight")]
    if others:
        logger.info("Dropped attributes of edges that are gone: %s.", ", ".join(others))
