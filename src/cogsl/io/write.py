"""A graph as a file, or as an object of another library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import FileFormatError, InputError, import_extra
from cogsl.files import whole_file, write_arrays
from cogsl.io.named import NamedGraph
from cogsl.io.tables import suffix_of
from cogsl.sparse.undirected import edges_of


def write_graph(path: Path, named: NamedGraph) -> None:
    """Write a graph as its suffix says: npz holds all of it, GraphML all but the features.

    Matrix Market holds the weights alone, and tables the edges by the names of their ends.

    The edges' table has the columns source, target and weight, each edge once.
    """
    writer = WRITERS.get(suffix_of(path))
    if writer is None:
        raise FileFormatError(
            f"'{path}' has a suffix that is not known. Known are {', '.join(sorted(WRITERS))}."
        )
    try:
        writer(path, named)
    except OSError as error:
        raise InputError(f"Cannot write '{path}': {error.strerror}. Give another file.") from error


def arrays_of(named: NamedGraph) -> dict[str, npt.NDArray[Any]]:
    """Return a graph as arrays under the names that ``graph_from_arrays`` knows."""
    graph = named.graph
    edges = edges_of(graph.adjacency)
    arrays: dict[str, npt.NDArray[Any]] = {
        "n_nodes": np.array(graph.n_nodes),
        "edge_index": np.stack([edges.low, edges.high]),
        "edge_weight": edges.weights,
        "labels": graph.labels,
        "node_names": np.array(named.nodes, dtype=str),
        "class_names": np.array(named.classes, dtype=str),
        "feature_names": np.array(named.features, dtype=str),
    }
    if isinstance(graph.features, csr_array):
        for part in ("data", "indices", "indptr", "shape"):
            arrays[f"features_{part}"] = np.asarray(getattr(graph.features, part))
    else:
        arrays["features"] = graph.features
    return arrays | {part: getattr(graph, part) for part in ("train", "val", "test")}


def edge_table(named: NamedGraph) -> Any:
    """Return the edges as a pandas data frame: source, target, weight, by the nodes' names."""
    import pandas as pd  # heavy

    edges, names = edges_of(named.graph.adjacency), np.array(named.nodes, dtype=object)
    return pd.DataFrame(
        {"source": names[edges.low], "target": names[edges.high], "weight": edges.weights}
    )


def to_networkx(named: NamedGraph) -> Any:
    """Return NetworkX's graph: names, labels as ``label``, weights as ``weight``; no features."""
    import networkx as nx  # heavy

    graph = nx.Graph()
    for name, label in zip(named.nodes, named.graph.labels.tolist(), strict=True):
        graph.add_node(name, **({"label": named.classes[label]} if label >= 0 else {}))
    edges = edges_of(named.graph.adjacency)
    ends = zip(edges.low.tolist(), edges.high.tolist(), edges.weights.tolist(), strict=True)
    graph.add_weighted_edges_from((named.nodes[i], named.nodes[j], w) for i, j, w in ends)
    return graph


def to_pyg(named: NamedGraph) -> Any:
    """Return PyTorch Geometric's ``Data``, each edge both ways; sparse features stay sparse."""
    import torch
    from torch_geometric.data import Data  # heavy

    graph = named.graph
    entries = graph.adjacency.tocoo()
    data = Data(
        x=_tensor(graph.features),
        edge_index=torch.tensor(np.stack([entries.row, entries.col]), dtype=torch.long),
        edge_weight=torch.tensor(entries.data),
        y=torch.tensor(graph.labels),
        num_nodes=graph.n_nodes,
    )
    for part in ("train", "val", "test"):
        mask = torch.zeros(graph.n_nodes, dtype=torch.bool)
        mask[torch.tensor(getattr(graph, part))] = True
        data[f"{part}_mask"] = mask
    return data


def _tensor(features: Any) -> Any:
    """Return features as a tensor, dense or CSR."""
    import torch

    if not isinstance(features, csr_array):
        return torch.tensor(features)
    rows, columns, data = (
        torch.tensor(p) for p in (features.indptr, features.indices, features.data)
    )
    return torch.sparse_csr_tensor(rows, columns, data, size=features.shape, check_invariants=True)


def _write_npz(path: Path, named: NamedGraph) -> None:
    write_arrays(path, arrays_of(named))


def _write_matrix_market(path: Path, named: NamedGraph) -> None:
    from scipy.io import mmwrite

    with whole_file(path) as file:
        mmwrite(file, named.graph.adjacency, symmetry="symmetric")


def _write_csv(path: Path, named: NamedGraph) -> None:
    _write_table(path, edge_table(named), sep=",")


def _write_tsv(path: Path, named: NamedGraph) -> None:
    _write_table(path, edge_table(named), sep="\t")


def _write_table(path: Path, table: Any, sep: str) -> None:
    with whole_file(path) as file:
        table.to_csv(file, index=False, sep=sep, mode="wb", compression=_compression(path))


def _compression(path: Path) -> Any:
    return {".gz": "gzip", ".bz2": "bz2", ".xz": "xz"}.get(path.suffix)


def _write_json_lines(path: Path, named: NamedGraph) -> None:
    with whole_file(path) as file:
        text = edge_table(named).to_json(orient="records", lines=True, force_ascii=False)
        file.write(text.encode())


def _write_parquet(path: Path, named: NamedGraph) -> None:
    import_extra("pyarrow", extra="parquet", purpose="Writing Parquet files")
    with whole_file(path) as file:
        edge_table(named).to_parquet(file, engine="pyarrow", index=False)


def _write_graphml(path: Path, named: NamedGraph) -> None:
    import networkx as nx  # heavy

    with whole_file(path) as file:
        nx.write_graphml(to_networkx(named), file)


WRITERS: dict[str, Callable[[Path, NamedGraph], None]] = {
    ".npz": _write_npz,
    ".mtx": _write_matrix_market,
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
    ".graphml": _write_graphml,
}
