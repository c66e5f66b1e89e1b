"""Graphs as arrays: npz files, Matrix Market files, PyTorch Geometric's data."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array

from cogsl.errors import FileFormatError
from cogsl.graph import Graph
from cogsl.io.named import NamedGraph

_ARRAY_NAMES = {
    "edge_index": ("edge_index", "edges"),
    "weights": ("edge_weight", "weights"),
    "features": ("features", "x", "attr_matrix"),
    "labels": ("labels", "y"),
    "train": ("train", "train_mask"),
    "val": ("val", "val_mask"),
    "test": ("test", "test_mask"),
    "nodes": ("node_names", "node_ids"),
    "classes": ("class_names",),
    "feature_names": ("feature_names",),
    "n_nodes": ("n_nodes", "num_nodes"),
}
"""What an npz file may hold, under one of these names."""

_SPARSE_NAMES = {"adjacency": ("adjacency", "adj"), "features": ("features", "x", "attr")}
_CSR = ("data", "indices", "indptr", "shape")
_PARTS = ("train", "val", "test")


def read_npz(path: Path) -> NamedGraph:
    """Return the graph of an npz file.

    It holds ``edge_index`` (2 x E, with ``edge_weight`` if need be) or a sparse adjacency
    (``adjacency_data``, ``adjacency_indices``, ``adjacency_indptr``, ``adjacency_shape``, as CSR);
    ``features``, dense or in four such parts; ``labels``; ``train``, ``val``, ``test``. What
    ``scipy.sparse.save_npz`` writes is an adjacency. Nothing is unpickled.
    """
    if not zipfile.is_zipfile(path):
        raise FileFormatError(
            f"{path} cannot be read: it is no npz file, or cut off. Write it with numpy.savez."
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise FileFormatError(
            f"{path} cannot be read: {error}. Write it with numpy.savez, without objects."
        ) from error
    return graph_from_arrays(arrays, name=path.stem)


def graph_from_arrays(arrays: Mapping[str, Any], *, name: str = "") -> NamedGraph:
    """Make a graph from arrays of the names that ``read_npz`` knows."""
    given: dict[str, Any] = {
        key: found
        for key, names in _ARRAY_NAMES.items()
        if (found := _first_of(arrays, names)) is not None
    }
    sparse = {key: _csr_of(arrays, names) for key, names in _SPARSE_NAMES.items()}
    if set(_CSR) <= set(arrays):
        sparse["adjacency"] = _csr(arrays, "")
    features = sparse["features"] if sparse["features"] is not None else given.get("features")
    common: dict[str, Any] = {"features": features, "labels": given.get("labels")}
    common |= {part: given.get(part, ()) for part in _PARTS}
    if sparse["adjacency"] is not None:
        graph = Graph.from_scipy(sparse["adjacency"], name=name, **common)
    elif "edge_index" in given:
        edges = given["edge_index"]
        counts: dict[str, Any] = {"weights": given.get("weights"), "n_nodes": given.get("n_nodes")}
        graph = Graph.from_edges(edges, name=name, **counts, **common)
    elif features is not None:
        graph = Graph.from_features(name=name, **common)
    else:
        raise FileFormatError(
            "The arrays hold no graph. Give 'edge_index' (2 x E), a CSR adjacency or 'features'; "
            f"got {', '.join(sorted(arrays)) or 'nothing'}."
        )
    return _named(graph, given)


def _first_of(arrays: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((arrays[name] for name in names if name in arrays), None)


def _csr_of(arrays: Mapping[str, Any], names: tuple[str, ...]) -> csr_array | None:
    for name in names:
        if f"{name}_data" in arrays:
            return _csr(arrays, f"{name}_")
    return None


def _csr(arrays: Mapping[str, Any], prefix: str) -> csr_array:
    """Return a matrix whose CSR parts have names of this beginning."""
    missing = [f"{prefix}{part}" for part in _CSR if f"{prefix}{part}" not in arrays]
    if missing:
        raise FileFormatError(f"A CSR matrix needs four arrays. Missing: {', '.join(missing)}.")
    data, indices, indptr, shape = (arrays[f"{prefix}{part}"] for part in _CSR)
    try:
        return csr_array((data, indices, indptr), shape=(int(shape[0]), int(shape[1])))
    except ValueError as error:
        raise FileFormatError(
            f"The CSR parts '{prefix}...' do not fit together: {error}."
        ) from error


def _named(graph: Graph, given: Mapping[str, Any]) -> NamedGraph:
    """Return the graph with the names that are given; else things are named by their numbers."""
    named = NamedGraph.numbered(graph)
    return NamedGraph(
        graph,
        _names(given.get("nodes"), named.nodes, "node_names"),
        _names(given.get("classes"), named.classes, "class_names"),
        _names(given.get("feature_names"), named.features, "feature_names"),
    )


def _names(given: Any, usual: tuple[str, ...], what: str) -> tuple[str, ...]:
    """Return the names that are given, else the usual ones."""
    if given is None:
        return usual
    if len(given) != len(usual):
        raise FileFormatError(f"'{what}' must hold {len(usual)} names. Got {len(given)} instead.")
    return tuple(str(name) for name in given)


def read_matrix_market(path: Path) -> NamedGraph:
    """Return the graph whose adjacency, N x N, is a Matrix Market file."""
    from scipy.io import mmread

    try:
        matrix = mmread(path)
    except (ValueError, OSError) as error:
        raise FileFormatError(f"{path} cannot be read as Matrix Market: {error}.") from error
    return NamedGraph.numbered(Graph.from_scipy(csr_array(matrix), name=path.stem))


def graph_from_pyg(data: Any, *, name: str = "") -> NamedGraph:
    """Make a graph from PyTorch Geometric's ``Data``: x, edge_index, edge_weight, y and masks."""
    keys = ("x", "edge_index", "edge_weight", "y", "train_mask", "val_mask", "test_mask")
    found = {key: getattr(data, key, None) for key in keys}
    arrays: dict[str, Any] = {
        key: _scipy_of(value) if value.layout != torch.strided else np.asarray(value.detach())
        for key, value in found.items()
        if value is not None
    }
    if "y" in arrays:
        arrays["y"] = arrays["y"].reshape(-1)
    return graph_from_arrays(arrays | {"n_nodes": data.num_nodes}, name=name)


def _scipy_of(tensor: torch.Tensor) -> csr_array:
    """Return a sparse tensor of whatever layout."""
    entries = tensor.detach().to_sparse().coalesce()
    rows, columns = entries.indices().numpy()
    shape = (tensor.shape[0], tensor.shape[1])
    return csr_array((entries.values().numpy(), (rows, columns)), shape=shape)
