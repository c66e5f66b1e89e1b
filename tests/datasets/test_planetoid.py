"""Citeseer, Cora and Pubmed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array, csr_matrix

from cogsl.datasets.citeseer import Citeseer
from cogsl.datasets.cora import Cora
from cogsl.datasets.files import read_archive, write_archive
from cogsl.graph import Graph

N_TRAIN, N_OTHER = 2, 500  # the reader takes the 500 nodes after the training nodes to validate
TEST = [503, 505, 502]  # 504 is missing: a node without features and label
N_NODES = 506


def write_raw(folder: Path) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Write files of Planetoid's form; return the features and classes by node."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (N_NODES, 6)).astype(np.float32)
    y = rng.integers(0, 3, N_NODES)
    x[504], y[504] = 0, 0
    one_hot = np.eye(3)[y]
    seen = slice(0, N_TRAIN + N_OTHER)
    neighbours: dict[int, list[int]] = {i: [] for i in range(N_NODES)}
    neighbours |= {0: [1, 1, 0], 1: [0], 2: [504], 504: [2]}
    parts = {
        "x": csr_matrix(x[:N_TRAIN]),
        "y": one_hot[:N_TRAIN],
        "allx": csr_matrix(x[seen]),
        "ally": one_hot[seen],
        "tx": csr_matrix(x[TEST]),
        "ty": one_hot[TEST],
        "graph": neighbours,
    }
    for name, part in parts.items():
        (folder / f"ind.citeseer.{name}").write_bytes(pickle.dumps(part))
    (folder / "ind.citeseer.test.index").write_text("\n".join(str(node) for node in TEST) + "\n")
    return x, y


# PyTorch Geometric compiles helpers with torch.jit when it is imported.
@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_the_files_upstream_become_an_archive(tmp_path: Path, cache: Path) -> None:
    x, y = write_raw(tmp_path)
    write_archive(cache / "citeseer.npz", Citeseer().convert(tmp_path))
    graph = Citeseer().load()
    assert (graph.n_nodes, graph.n_edges) == (N_NODES, 2)
    known = np.arange(N_NODES) != 504
    np.testing.assert_array_equal(graph.labels, np.where(known, y, -1))
    assert isinstance(graph.features, csr_array)
    np.testing.assert_array_equal(graph.features.toarray() > 0, x > 0)
    np.testing.assert_array_equal(graph.train, [0, 1])
    np.testing.assert_array_equal(graph.val, np.arange(2, 502))
    np.testing.assert_array_equal(graph.test, sorted(TEST))
    assert read_archive(cache / "citeseer.npz")["unlabelled"].tolist() == [504]


def test_pickles_upstream_are_not_looked_for_on_disk(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "cora").mkdir()
    for name in ("x", "y", "allx", "ally", "tx", "ty", "graph", "test.index"):
        (tmp_path / "cora" / f"ind.cora.{name}").touch()
    assert not Cora().is_at_hand(tmp_path)


def test_citeseers_fifteen_nodes_without_features_have_no_label(
    load_if_at_hand: Callable[..., Graph],
) -> None:
    graph = load_if_at_hand("citeseer")
    unknown = np.flatnonzero(graph.labels < 0)
    assert len(unknown) == 15
    assert graph.features[unknown].sum() == 0
    isolated = np.flatnonzero(np.diff(graph.adjacency.indptr) == 0)
    assert len(isolated) == 48
    assert not np.isin(unknown, isolated).any()


@pytest.mark.parametrize("name", ["citeseer", "cora", "pubmed"])
def test_the_official_split_has_twenty_training_nodes_a_class(
    name: str, load_if_at_hand: Callable[..., Graph]
) -> None:
    graph = load_if_at_hand(name)
    assert set(np.bincount(graph.labels[graph.train])) == {20}
