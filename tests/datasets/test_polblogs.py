from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from cogsl.datasets.files import write_archive
from cogsl.datasets.polblogs import Polblogs
from cogsl.graph import Graph


def write_raw(folder: Path) -> None:
    """Write seven blogs: 6 -> 4 -> 1 -> 3 are the largest component, 0 and 2 a small one."""
    links = np.zeros((7, 7))
    for i, j in ((6, 4), (4, 1), (1, 3), (1, 1), (0, 2)):
        links[i, j] = 1
    matrix = csr_array(links)
    np.savez(
        folder / "polblogs.npz",
        adj_data=matrix.data,
        adj_indices=matrix.indices,
        adj_indptr=matrix.indptr,
        adj_shape=np.array(matrix.shape),
        labels=np.array([9, 0, 9, 1, 0, 9, 1]),
    )
    split = {"idx_train": [3, 0], "idx_val": [1], "idx_test": [2]}
    (folder / "polblogs_prognn_splits.json").write_text(json.dumps(split))


def test_the_largest_component_is_kept_and_the_split_counts_within_it(
    tmp_path: Path, cache: Path
) -> None:
    write_raw(tmp_path)
    write_archive(cache / "polblogs.npz", Polblogs().convert(tmp_path))
    graph = Polblogs().load()
    # Nodes 1, 3, 4, 6 become 0, 1, 2, 3.
    edges = np.argwhere(np.triu(graph.adjacency.toarray())).tolist()
    assert edges == [[0, 1], [0, 2], [2, 3]]
    assert graph.labels.tolist() == [0, 1, 0, 1]
    assert (graph.train.tolist(), graph.val.tolist(), graph.test.tolist()) == ([0, 3], [1], [2])


def test_a_blog_is_described_by_its_place_among_all_source_nodes(
    tmp_path: Path, cache: Path
) -> None:
    write_raw(tmp_path)
    features = Polblogs().prepare_features(Polblogs().convert(tmp_path))
    expected = np.zeros((4, 1490))
    expected[[0, 1, 2, 3], [1, 3, 4, 6]] = 1
    assert isinstance(features, csr_array)
    np.testing.assert_array_equal(features.toarray(), expected)


def test_no_two_blogs_have_the_same_features(load_if_at_hand: Callable[..., Graph]) -> None:
    features = load_if_at_hand("polblogs").features
    assert isinstance(features, csr_array)
    assert len(np.unique(features.indices)) == features.nnz == 1222
