"""The learned graph as a transform of PyTorch Geometric."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data, HeteroData, InMemoryDataset
from torch_geometric.nn import GCNConv
from torch_geometric.transforms import Compose, NormalizeFeatures

from cogsl.errors import (
    EmptySplitError,
    InputError,
    LengthMismatchError,
    SettingValueError,
    UnknownSettingError,
)
from cogsl.graph import Graph
from cogsl.io import NamedGraph, to_pyg
from cogsl.methods.cogsl import CoGSL
from cogsl.pruning import strongest
from cogsl.transform import LearnStructure
from tests.common.graphs import two_groups

QUICK: dict[str, Any] = {"iterations": 3, "scope": (1, 6), "mi_hidden": 8, "mi_batch": 12}


def groups(**options: Any) -> Any:
    return to_pyg(NamedGraph.numbered(two_groups(**options)))


def without(data: Any, *keys: str) -> Any:
    """Return a copy without some attributes."""
    rest = data.clone()
    for key in keys:
        del rest[key]
    return rest


def same_edges(one: Any, two: Any) -> bool:
    return torch.equal(one.edge_index, two.edge_index) and torch.equal(
        one.edge_weight, two.edge_weight
    )


def test_the_edges_are_those_that_the_method_learns() -> None:
    learned = CoGSL(**QUICK).fit(two_groups(), seed=3).learned_graph_
    assert learned is not None
    entries = learned.adjacency.tocoo()
    found = LearnStructure(seed=3, **QUICK)(groups())
    assert np.array_equal(found.edge_index.numpy(), np.stack([entries.row, entries.col]))
    assert np.array_equal(found.edge_weight.numpy(), entries.data)
    assert found.edge_index.dtype == torch.long
    assert found.is_undirected()
    assert not found.has_self_loops()


@pytest.mark.parametrize("choice", [{"n_edges": 20}, {"min_weight": 0.05}, {"per_node": 2}])
def test_so_many_edges_are_kept_as_are_asked_for(choice: dict[str, Any]) -> None:
    everything = LearnStructure(**QUICK)(groups())
    found = LearnStructure(**choice, **QUICK)(groups())
    adjacency = Graph.from_edges(
        everything.edge_index.numpy(), weights=everything.edge_weight.numpy(), n_nodes=24
    ).adjacency
    assert 0 < found.num_edges < everything.num_edges
    assert found.num_edges == strongest(adjacency, **choice).nnz


def test_the_input_is_untouched_and_the_rest_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    data = groups()
    data.edge_attr, data.pos, data.title = torch.ones(data.num_edges, 3), torch.ones(24, 2), "t"
    before = data.clone()
    with caplog.at_level(logging.INFO, logger="cogsl"):
        found = LearnStructure(**QUICK)(data)
    assert sorted(data.keys()) == sorted(before.keys())
    tensors = [key for key, value in before.to_dict().items() if torch.is_tensor(value)]
    assert all(torch.equal(data[key], before[key]) for key in tensors)
    assert set(found.keys()) == set(before.keys()) - {"edge_attr"}
    assert all(found[key] is data[key] for key in ("x", "y", "pos", "title", "test_mask"))
    assert "Dropped attributes of edges that are gone: edge_attr." in caplog.text
    assert found.validate()


def test_the_same_seed_gives_the_same_bits_and_another_one_others() -> None:
    first, second, other = (LearnStructure(seed=s, **QUICK)(groups()) for s in (1, 1, 2))
    assert same_edges(first, second)
    assert not same_edges(first, other)


@pytest.mark.parametrize("gone", [(), ("train_mask", "val_mask"), ("val_mask",), ("train_mask",)])
def test_labels_of_test_nodes_are_never_read(gone: tuple[str, ...]) -> None:
    data = without(groups(), *gone)
    found = LearnStructure(**QUICK)(data)
    lies, unknown, trained = data.clone(), data.clone(), data.clone()
    lies.y[12:] = 1 - lies.y[12:]
    unknown.y = unknown.y.float()
    unknown.y[12:] = float("nan")
    trained.y[:12] = trained.y[:12].flip(0)  # these are read
    assert same_edges(found, LearnStructure(**QUICK)(lies))
    assert same_edges(found, LearnStructure(**QUICK)(unknown))
    assert not same_edges(found, LearnStructure(**QUICK)(trained))


@pytest.mark.parametrize("unknown", [-1.0, -100.0, float("nan")])
def test_without_masks_the_labelled_nodes_are_shared_out(unknown: float) -> None:
    data = without(groups(), "train_mask", "val_mask", "test_mask")
    data.y = torch.where(torch.arange(24) < 10, data.y.double(), unknown)
    graph = LearnStructure(val_share=0.4)._graph(data)
    assert np.array_equal(np.sort(np.concatenate([graph.train, graph.val])), np.arange(10))
    assert len(graph.val) == 4
    assert (graph.labels[10:] == -1).all()


def test_validation_nodes_are_drawn_from_the_training_nodes() -> None:
    graph = LearnStructure()._graph(without(groups(), "val_mask"))
    assert len(graph.val) == 1
    assert np.array_equal(np.sort(np.concatenate([graph.train, graph.val])), np.arange(6))


def test_training_nodes_are_all_that_are_labelled_if_no_mask_says_otherwise() -> None:
    graph = LearnStructure()._graph(without(groups(), "train_mask"))
    assert graph.train.tolist() == [0, 1, 2, 3, 4, 5]
    assert graph.val.tolist() == [6, 7, 8, 9, 10, 11]


def test_without_edges_nearest_neighbours_are_where_it_starts() -> None:
    data = without(groups(), "edge_index", "edge_weight")
    assert same_edges(LearnStructure(**QUICK)(data), LearnStructure(**QUICK)(_knn()))


def _knn() -> Any:
    given = two_groups()
    graph = Graph.from_features(given.features, labels=given.labels)
    return to_pyg(NamedGraph.numbered(graph.with_split(given.train, given.val, given.test)))


def test_sparse_features_and_columns_of_labels_are_read() -> None:
    data = groups(features="sparse")
    data.y = data.y[:, None]
    assert LearnStructure(**QUICK)(data).num_edges > 0


class OneGraph(InMemoryDataset):  # type: ignore[misc]
    """A data set of one graph that is never written."""

    def __init__(self, transform: Any) -> None:
        super().__init__(None, transform)
        self.data, self.slices = self.collate([groups()])


def test_it_is_a_part_of_pipelines_and_of_data_sets() -> None:
    learn = LearnStructure(per_node=3, **QUICK)
    direct = learn(NormalizeFeatures()(groups()))
    both = Compose([NormalizeFeatures(), learn])
    assert same_edges(direct, both(groups()))
    assert same_edges(direct, OneGraph(both)[0])


def test_a_network_can_use_what_comes_out() -> None:
    found = LearnStructure(per_node=3, **QUICK)(groups())
    out = GCNConv(5, 2)(found.x, found.edge_index, found.edge_weight)
    assert out.shape == (24, 2)


def test_its_text_tells_all_that_decides_the_result() -> None:
    text = repr(LearnStructure(seed=2, n_edges=5, tau=0.3))
    assert text == (
        "LearnStructure(seed=2, n_edges=5, min_weight=None, per_node=None, val_share=0.2, tau=0.3)"
    )


def test_what_cannot_be_is_refused_when_it_is_made() -> None:
    with pytest.raises(UnknownSettingError, match="did you mean 'tau'"):
        LearnStructure(tua=0.3)
    with pytest.raises(SettingValueError, match="'tau' setting of CoGSL"):
        LearnStructure(tau=-1.0)
    with pytest.raises(SettingValueError, match="'n_edges' must be a whole number"):
        LearnStructure(n_edges=0)


def test_data_that_it_cannot_read_is_refused() -> None:
    learn = LearnStructure(**QUICK)
    with pytest.raises(InputError, match="Got HeteroData instead"):
        learn(HeteroData())
    with pytest.raises(InputError, match="before ToSparseTensor"):
        learn(Data(x=torch.ones(3, 2), adj_t=torch.eye(3).to_sparse()))
    with pytest.raises(EmptySplitError, match="Got none"):
        learn(Data(x=torch.ones(3, 2), edge_index=torch.tensor([[0], [1]])))
    many = groups()
    many.train_mask = many.train_mask[:, None].repeat(1, 5)
    with pytest.raises(LengthMismatchError, match="mask of the 'train' part"):
        learn(many)
