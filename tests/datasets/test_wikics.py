"""Wiki-CS, on a small file of the form of the upstream ``data.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogsl.datasets.files import write_archive
from cogsl.datasets.wikics import WikiCS
from cogsl.errors import DataUnavailableError, MissingClassError
from cogsl.graph import Graph


def upstream() -> dict[str, Any]:
    """Return six articles, two of them mutually linked, with two official splits."""
    return {
        "features": [[0.5, -1.0], [0.0, 2.0], [1.0, 1.0], [-0.5, 0.0], [0.0, 0.0], [3.0, 1.0]],
        "labels": [0, 1, 0, 1, 0, 1],
        "links": [[1, 2], [0], [], [3, 4], [0], []],
        "train_masks": [[True, True] + [False] * 4, [False, False, True, True, False, False]],
        "stopping_masks": [[False] * 6, [False] * 6],
        "val_masks": [[False] * 2 + [True] * 2 + [False] * 2, [True, True] + [False] * 4],
        "test_mask": [False] * 4 + [True] * 2,
    }


@pytest.fixture
def folder(tmp_path: Path, cache: Path) -> Path:
    """Return a data root that holds ``wikics/data.json``."""
    (tmp_path / "wikics").mkdir()
    (tmp_path / "wikics" / "data.json").write_text(json.dumps(upstream()))
    return tmp_path


def test_links_become_undirected_edges_and_features_stay_as_they_are(folder: Path) -> None:
    graph = WikiCS().load(folder, split="official")
    edges = np.argwhere(np.triu(graph.adjacency.toarray())).tolist()
    assert edges == [[0, 1], [0, 2], [0, 4], [3, 4]]
    np.testing.assert_array_equal(graph.features, np.array(upstream()["features"]))
    assert graph.labels.tolist() == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("seed", "train", "val"), [(0, [0, 1], [2, 3]), (1, [2, 3], [0, 1]), (2, [0, 1], [2, 3])]
)
def test_the_split_seed_chooses_among_the_official_splits(
    folder: Path, seed: int, train: list[int], val: list[int]
) -> None:
    graph = WikiCS().load(folder, split="official", split_seed=seed)
    assert (graph.train.tolist(), graph.val.tolist()) == (train, val)
    assert graph.test.tolist() == [4, 5]


def test_an_archive_made_of_it_gives_the_same_graph(folder: Path, cache: Path) -> None:
    write_archive(cache / "wikics.npz", WikiCS().convert(folder / "wikics"))
    one, other = WikiCS().load(folder, "official", 1), WikiCS().load(None, "official", 1)
    np.testing.assert_array_equal(one.adjacency.toarray(), other.adjacency.toarray())
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.train, other.train)


def test_the_default_split_has_twenty_training_nodes_a_class(folder: Path) -> None:
    with pytest.raises(MissingClassError, match="at least 20 nodes"):  # six articles are too few
        WikiCS().load(folder)


def test_a_file_that_is_cut_off_is_named(folder: Path) -> None:
    path = folder / "wikics" / "data.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(DataUnavailableError, match=r"wikics' cannot be read as .* 'wikics'"):
        WikiCS().load(folder)


def test_the_real_file_has_the_published_statistics(load_if_at_hand: Callable[..., Graph]) -> None:
    graph, said = load_if_at_hand("wikics"), WikiCS.statistics
    assert (graph.n_nodes, graph.n_features, graph.n_classes) == (
        said.nodes,
        said.features,
        said.classes,
    )
    assert graph.n_edges == pytest.approx(said.edges, rel=0.01)
    assert graph.homophily == pytest.approx(said.homophily, abs=0.01)
    assert (len(graph.train), len(graph.val), len(graph.test)) == (200, 500, 1000)
