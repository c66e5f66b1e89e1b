"""A graph that was written comes back as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cogsl.errors import InputError
from cogsl.io import (
    NamedGraph,
    NodeColumns,
    edge_table,
    graph_from_frames,
    graph_from_networkx,
    graph_from_pyg,
    read_graph,
    to_networkx,
    to_pyg,
    write_graph,
)
from cogsl.io.tables import read_table
from cogsl.io.write import WRITERS
from tests.attacks.graphs import arrays_of, random_graph


@pytest.mark.parametrize("sparse", [False, True])
def test_a_graph_comes_back_as_it_was_written(tmp_path: Path, sparse: bool) -> None:
    graph = random_graph(sparse=sparse)
    nodes, classes, features = (
        tuple(f"{word}{k}" for k in range(n)) for word, n in (("n", 30), ("c", 2), ("f", 6))
    )
    write_graph(tmp_path / "g.npz", NamedGraph(graph, nodes, classes, features))
    back = read_graph(tmp_path / "g.npz")
    both = zip(arrays_of(graph), arrays_of(back.graph), strict=True)
    assert all(np.array_equal(a, b) for a, b in both)
    assert (back.nodes, back.classes, back.features) == (nodes, classes, features)
    assert back.graph.test.tolist() == graph.test.tolist()


def test_isolated_nodes_at_the_end_come_back(tmp_path: Path) -> None:
    graph = random_graph(n=12)
    assert graph.adjacency[-1:].nnz == 0
    nodes = tuple(map(str, range(12)))
    write_graph(tmp_path / "g.npz", NamedGraph(graph, nodes, ("0", "1"), tuple("abcdef")))
    assert read_graph(tmp_path / "g.npz").graph.n_nodes == 12


def test_a_folder_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    named = NamedGraph(random_graph(n=5), tuple("abcde"), ("0", "1"), tuple("abcdef"))
    with pytest.raises(InputError, match="Cannot write"):
        write_graph(tmp_path / "none" / "g.npz", named)


def small() -> NamedGraph:
    graph = random_graph(n=12)
    nodes = tuple(f"n {k}" for k in range(12))
    return NamedGraph(graph, nodes, ("no", "yes"), tuple("abcdef"))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_edges_come_back_from_tables(tmp_path: Path, suffix: str) -> None:
    named, path = small(), tmp_path / f"edges.{suffix}"
    write_graph(path, named)
    edges = read_table(path, as_text=lambda _: ("source", "target"))
    assert list(edges.columns) == ["source", "target", "weight"]
    back = graph_from_frames({"id": named.nodes}, [edges])
    written = named.graph.adjacency.toarray()
    np.testing.assert_allclose(back.graph.adjacency.toarray(), written, rtol=1e-6)


def test_networkx_and_graphml_keep_names_labels_and_weights(tmp_path: Path) -> None:
    named, columns = small(), NodeColumns(label="label")
    write_graph(tmp_path / "g.graphml", named)
    for back in (
        graph_from_networkx(to_networkx(named), node_columns=columns),
        read_graph(tmp_path / "g.graphml", node_columns=columns),
    ):
        assert (back.nodes, back.classes) == (named.nodes, named.classes)
        assert back.graph.labels.tolist() == named.graph.labels.tolist()
        written = named.graph.adjacency.toarray()
        np.testing.assert_allclose(back.graph.adjacency.toarray(), written, rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_pytorch_geometric_gives_back_what_it_got(sparse: bool) -> None:
    graph = random_graph(sparse=sparse)
    back = graph_from_pyg(to_pyg(NamedGraph.numbered(graph))).graph
    both = zip(arrays_of(graph), arrays_of(back), strict=True)
    assert all(np.array_equal(a, b) for a, b in both)
    assert back.test.tolist() == graph.test.tolist()


def test_each_edge_stands_once_in_the_table() -> None:
    assert len(edge_table(small())) == small().graph.n_edges


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Known are \.csv"):
        write_graph(tmp_path / "g.xlsx", small())
    assert set(WRITERS) == {".npz", ".mtx", ".csv", ".tsv", ".jsonl", ".parquet", ".graphml"}


def test_matrix_market_gives_back_the_weights(tmp_path: Path) -> None:
    named = NamedGraph.numbered(random_graph())
    write_graph(tmp_path / "g.mtx", named)
    again = read_graph(tmp_path / "g.mtx").graph
    assert again.n_nodes == named.graph.n_nodes
    assert abs(again.adjacency - named.graph.adjacency).sum() == 0
