"""A graph that was written comes back as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cogsl.errors import InputError
from cogsl.io import NamedGraph, read_graph, write_npz
from tests.attacks.graphs import arrays_of, random_graph


@pytest.mark.parametrize("sparse", [False, True])
def test_a_graph_comes_back_as_it_was_written(tmp_path: Path, sparse: bool) -> None:
    graph = random_graph(sparse=sparse)
    nodes, classes, features = (
        tuple(f"{word}{k}" for k in range(n)) for word, n in (("n", 30), ("c", 2), ("f", 6))
    )
    write_npz(tmp_path / "g.npz", NamedGraph(graph, nodes, classes, features))
    back = read_graph(tmp_path / "g.npz")
    both = zip(arrays_of(graph), arrays_of(back.graph), strict=True)
    assert all(np.array_equal(a, b) for a, b in both)
    assert (back.nodes, back.classes, back.features) == (nodes, classes, features)
    assert back.graph.test.tolist() == graph.test.tolist()


def test_isolated_nodes_at_the_end_come_back(tmp_path: Path) -> None:
    graph = random_graph(n=12)
    assert graph.adjacency[-1:].nnz == 0
    nodes = tuple(map(str, range(12)))
    write_npz(tmp_path / "g.npz", NamedGraph(graph, nodes, ("0", "1"), tuple("abcdef")))
    assert read_graph(tmp_path / "g.npz").graph.n_nodes == 12


def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    named = NamedGraph(random_graph(n=5), tuple("abcde"), ("0", "1"), tuple("abcdef"))
    with pytest.raises(InputError, match="Cannot write"):
        write_npz(tmp_path / "none" / "g.npz", named)
