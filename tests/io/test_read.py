"""Files as a graph: the same one in every format, and an error for each way to go wrong."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from cogsl.errors import CogslError
from cogsl.io import (
    NamedGraph,
    NodeColumns,
    Treatment,
    graph_from_networkx,
    graph_from_pyg,
    read_graph,
)
from tests.io.dense import dense

NAMES, X = ["a", "b", "007", "NA"], [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 9.0]]
CLASSES, ENDS = ["no", "yes", "yes", None], [("a", "b"), ("b", "007"), ("007", "NA")]
COLUMNS = NodeColumns(label="y", treatment=Treatment(scaling="none"))


def nodes_frame() -> pd.DataFrame:
    return pd.DataFrame({"id": NAMES, "p": [x[0] for x in X], "q": [x[1] for x in X], "y": CLASSES})


def edges_frame() -> pd.DataFrame:
    return pd.DataFrame(ENDS, columns=["source", "target"]).assign(weight=[1.0, 2.0, 0.5])


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False)


def write_semicolons(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep=";", encoding="utf-8-sig")  # as Excel does, with a BOM


def write_tsv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep="\t")


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path)


def write_json_lines(frame: pd.DataFrame, path: Path) -> None:
    frame.to_json(path, orient="records", lines=True)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "t.csv": write_csv,
    "t.csv.gz": write_csv,
    "semicolons.csv": write_semicolons,
    "t.tsv": write_tsv,
    "t.parquet": write_parquet,
    "t.jsonl": write_json_lines,
}


def assert_is_the_graph(named: NamedGraph) -> None:
    graph = named.graph
    assert named.nodes == tuple(NAMES)
    assert named.classes == ("no", "yes")
    assert graph.labels.tolist() == [0, 1, 1, -1]
    np.testing.assert_array_equal(graph.features, X)
    expected = np.zeros((4, 4))
    expected[[0, 1, 2], [1, 2, 3]] = [1.0, 2.0, 0.5]
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected + expected.T)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_of_tables_gives_the_same_graph(tmp_path: Path, name: str) -> None:
    nodes, edges = tmp_path / f"nodes-{name}", tmp_path / f"edges-{name}"
    WRITERS[name](nodes_frame(), nodes)
    WRITERS[name](edges_frame(), edges)
    assert_is_the_graph(read_graph(nodes, [edges], node_columns=COLUMNS))


def test_graphml_and_networkx_give_it_too(tmp_path: Path) -> None:
    graph = nx.Graph()
    for name, x, label in zip(NAMES, X, CLASSES, strict=True):
        graph.add_node(name, p=x[0], q=x[1], **({"y": label} if label else {}))
    for (a, b), weight in zip(ENDS, [1.0, 2.0, 0.5], strict=True):
        graph.add_edge(a, b, weight=weight)
    assert_is_the_graph(graph_from_networkx(graph, node_columns=COLUMNS))
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert_is_the_graph(read_graph(tmp_path / "g.graphml", node_columns=COLUMNS))


def test_npz_gives_it_too(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "g.npz",
        edge_index=[[0, 1, 2], [1, 2, 3]],
        edge_weight=[1.0, 2.0, 0.5],
        x=X,
        y=[0, 1, 1, -1],
        node_names=NAMES,
        class_names=["no", "yes"],
        train=[0, 1],
    )
    named = read_graph(tmp_path / "g.npz")
    assert_is_the_graph(named)
    assert named.graph.train.tolist() == [0, 1]


def test_sparse_matrices_of_an_npz_file_are_read(tmp_path: Path) -> None:
    adjacency, features = sp.csr_array(np.eye(3)[[1, 0, 2]]), sp.csr_array(2 * np.eye(3))
    parts = {
        f"{name}_{part}": getattr(matrix, part)
        for name, matrix in (("adjacency", adjacency), ("features", features))
        for part in ("data", "indices", "indptr", "shape")
    }
    np.savez(tmp_path / "g.npz", **parts)
    graph = read_graph(tmp_path / "g.npz").graph
    assert graph.n_edges == 1
    np.testing.assert_array_equal(dense(graph.features), 2 * np.eye(3))


def test_a_matrix_that_scipy_saved_is_an_adjacency(tmp_path: Path) -> None:
    matrix = sp.csr_array([[0.0, 2.0], [2.0, 0.0]])
    sp.save_npz(tmp_path / "g.npz", matrix)
    scipy.io.mmwrite(tmp_path / "g.mtx", matrix)
    for name in ("g.npz", "g.mtx"):
        graph = read_graph(tmp_path / name).graph
        np.testing.assert_array_equal(graph.adjacency.toarray(), [[0, 2], [2, 0]])


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_pytorch_geometric_gives_it_too(layout: str) -> None:
    x = torch.tensor(X)
    data = Data(
        x=x if layout == "dense" else x.to_sparse(),
        edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]),
        edge_weight=torch.tensor([1.0, 2.0, 0.5]),
        y=torch.tensor([[0], [1], [1], [-1]]),
        val_mask=torch.tensor([False, True, False, False]),
    )
    graph = graph_from_pyg(data).graph
    assert isinstance(graph.features, np.ndarray) == (layout == "dense")
    np.testing.assert_array_equal(dense(graph.features), X)
    assert graph.labels.tolist() == [0, 1, 1, -1]
    assert graph.val.tolist() == [1]
    assert graph.adjacency[1, 2] == 2.0


def test_isolated_nodes_of_pytorch_geometric_are_kept() -> None:
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=5)
    assert graph_from_pyg(data).graph.n_nodes == 5


def truncated_parquet(path: Path) -> None:
    nodes_frame().to_parquet(path)
    path.write_bytes(path.read_bytes()[:200])


BAD: dict[str, tuple[str, str | bytes | Callable[[Path], object], str]] = {
    "empty": ("n.csv", "", "is empty"),
    "unknown suffix": ("n.xlsx", "x", "Known are .csv"),
    "no utf-8": ("n.csv", "id,y\nä,1\n".encode("latin-1"), "UTF-8"),
    "columns of one name": ("n.csv", "id,x,x\na,1,2\n", "same name: 'x'"),
    "row too long": ("n.csv", "id,x\na,1\nb,2,3,4\n", "cannot be read"),
    "cut parquet": ("n.parquet", truncated_parquet, "cannot be read"),
    "no json": ("n.jsonl", '{"id": 1}\n{"id": ', "line 2, is no JSON"),
    "json without names": ("n.jsonl", "[1, 2]\n", "line 1, must be an object of columns"),
    "no gzip": ("n.csv.gz", "id,x\na,1\n", "cannot be read"),
    "cut gzip": ("n.csv.gz", gzip.compress(b"id,x\n" + b"a,1\n" * 99)[:-20], "cannot be read"),
    "only a header": ("n.csv", "id,x\n", "no row"),
    "no xml": ("g.graphml", "<graphml", "GraphML"),
    "no npz": ("g.npz", "hello", "cannot be read"),
    "npz of objects": (
        "g.npz",
        lambda path: np.savez(path, x=np.array([{}], dtype=object)),
        "without objects",
    ),
    "npz without a graph": ("g.npz", lambda path: np.savez(path, z=[1]), "no graph"),
    "npz with half a matrix": (
        "g.npz",
        lambda path: np.savez(path, adjacency_data=[1.0]),
        "Missing: adjacency_indices",
    ),
    "npz with too few names": (
        "g.npz",
        lambda path: np.savez(path, edge_index=[[0], [1]], node_names=["a"]),
        "must hold 2 names",
    ),
    "no matrix market": ("g.mtx", "hello", "Matrix Market"),
    "matrix that is not square": (
        "g.mtx",
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1.0\n",
        "square",
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), BAD.values(), ids=BAD)
def test_bad_files_get_an_error_that_names_what_is_wrong(
    tmp_path: Path, name: str, content: str | bytes | Callable[[Path], object], message: str
) -> None:
    path = tmp_path / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(CogslError) as raised:
        read_graph(path)
    assert message in str(raised.value)


def test_a_file_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    write_csv(nodes_frame(), tmp_path / "nodes.csv")
    with pytest.raises(CogslError, match=r"did you mean 'nodes\.csv'"):
        read_graph(tmp_path / "node.csv")
    with pytest.raises(CogslError, match="no such folder"):
        read_graph(tmp_path / "nowhere" / "nodes.csv")
    with pytest.raises(CogslError, match="is a folder"):
        read_graph(tmp_path)


def test_a_missing_edge_file_is_found_before_the_nodes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(nodes_frame(), tmp_path / "nodes.csv")

    def fail(*_: object, **__: object) -> None:
        pytest.fail("a table was read")

    monkeypatch.setattr("cogsl.io.read.read_table", fail)
    with pytest.raises(CogslError, match="There is no file"):
        read_graph(tmp_path / "nodes.csv", [tmp_path / "edges.csv"])


def test_a_whole_graph_takes_no_edge_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", edge_index=[[0], [1]])
    with pytest.raises(CogslError, match="its own edges"):
        read_graph(tmp_path / "g.npz", [tmp_path / "e.csv"])
