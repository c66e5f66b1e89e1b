"""Files as a graph, whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cogsl.errors import InputError
from cogsl.io.arrays import read_matrix_market, read_npz
from cogsl.io.frames import (
    ID_NAMES,
    EdgeColumns,
    NodeColumns,
    graph_from_frames,
)
from cogsl.io.named import NamedGraph
from cogsl.io.networkx import read_graphml
from cogsl.io.tables import TABLES, check_readable, find_reader, read_table, suffix_of

WHOLE_GRAPHS: dict[str, Callable[[Path], NamedGraph]] = {
    ".npz": read_npz,
    ".mtx": read_matrix_market,
    ".graphml": read_graphml,
}
"""Formats of which one file holds nodes and edges."""


def read_graph(
    nodes: Path,
    edges: Sequence[Path] = (),
    *,
    node_columns: NodeColumns | None = None,
    edge_columns: EdgeColumns | None = None,
    neighbours: int = 20,
    delimiter: str | None = None,
) -> NamedGraph:
    """Return the graph that some files hold.

    Parameters
    ----------
    nodes : a table of nodes (CSV, TSV, Parquet, JSON lines), or a file that holds the edges, too
        (npz, Matrix Market, GraphML).
    edges : tables of edges; without any, each node is joined to its nearest ones by cosine.
    node_columns, edge_columns : which columns hold what.
    neighbours : of each node where there are no edges, itself counted among them.
    delimiter : what parts the columns of CSV files; None finds out.
    """
    columns = node_columns or NodeColumns()
    if edge_columns is not None and not edges:
        raise InputError("Columns of the edges are named, but there is no table of edges. Give it.")
    if suffix_of(nodes) in WHOLE_GRAPHS:
        return _read_whole(nodes, edges, columns)
    for path in (nodes, *edges):  # before any is read, which may take long
        check_readable(path)
        find_reader(path, dict(TABLES) | (WHOLE_GRAPHS if path == nodes else {}))
    named = {columns.id, columns.label}

    def names_and_labels(header: Sequence[str]) -> set[str]:
        return {h for h in header if h in named or h.lower() in ID_NAMES} | {header[0]}

    table = read_table(nodes, as_text=names_and_labels, delimiter=delimiter)
    pairs = [read_table(path, as_text=tuple, delimiter=delimiter) for path in edges]
    return graph_from_frames(
        table,
        pairs,
        node_columns=columns,
        edge_columns=edge_columns,
        neighbours=neighbours,
        name=nodes.stem,
    )


def _read_whole(path: Path, edges: Sequence[Path], columns: NodeColumns) -> NamedGraph:
    """Return the graph of a file that holds all of it."""
    if edges:
        raise InputError(f"{path} holds its own edges. Leave out the file of edges.")
    check_readable(path)
    if suffix_of(path) == ".graphml":
        return read_graphml(path, node_columns=columns)
    return WHOLE_GRAPHS[suffix_of(path)](path)
