"""A graph as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import InputError
from cogsl.files import write_arrays
from cogsl.io.named import NamedGraph
from cogsl.sparse.undirected import edges_of


def write_npz(path: Path, named: NamedGraph) -> None:
    """Write all of a graph as arrays that ``read_npz`` knows, each edge once."""
    try:
        write_arrays(path, arrays_of(named))
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
