"""Graphs of NetworkX, and GraphML files, which NetworkX reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cogsl.errors import FileFormatError, NoNodesError
from cogsl.io.frames import EdgeColumns, NodeColumns, graph_from_frames
from cogsl.io.named import NamedGraph

_NAME, _ENDS = "__name__", ("__source__", "__target__")


def graph_from_networkx(
    graph: Any, *, node_columns: NodeColumns | None = None, weight: str = "weight", name: str = ""
) -> NamedGraph:
    """Make a graph from NetworkX's, directed or not; attributes of nodes are columns.

    Parameters
    ----------
    graph : a ``networkx.Graph`` or one of its kinds.
    node_columns : which attributes hold what; names are the graph's own.
    weight : the edges' attribute that is their weight; where it is missing, 1.
    """
    import pandas as pd  # heavy

    if not graph.number_of_nodes():
        raise NoNodesError("The graph has no node.")
    columns = node_columns or NodeColumns()
    nodes = pd.DataFrame([{_NAME: node} | dict(its) for node, its in graph.nodes(data=True)])
    rows = [(a, b, its.get(weight, 1.0)) for a, b, its in graph.edges(data=True)]
    edges = pd.DataFrame(rows, columns=[*_ENDS, weight])
    return graph_from_frames(
        nodes,
        [edges] if rows else [],
        node_columns=NodeColumns(
            id=_NAME, label=columns.label, kinds=columns.kinds, treatment=columns.treatment
        ),
        edge_columns=EdgeColumns(source=_ENDS[0], target=_ENDS[1], weight=weight),
        name=name,
    )


def read_graphml(path: Path, *, node_columns: NodeColumns | None = None) -> NamedGraph:
    """Return the graph of a GraphML file."""
    from xml.etree.ElementTree import ParseError

    import networkx as nx  # heavy

    try:
        graph = nx.read_graphml(path)
    except (ParseError, nx.NetworkXError, ValueError, KeyError, OSError) as error:
        raise FileFormatError(f"{path} cannot be read as GraphML: {error}.") from error
    return graph_from_networkx(graph, node_columns=node_columns, name=path.stem)
