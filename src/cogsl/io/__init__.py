"""Anybody's data as a Graph: files, tables, arrays, and the objects of other libraries."""

from cogsl.io.arrays import graph_from_arrays, graph_from_pyg, read_matrix_market, read_npz
from cogsl.io.difference import Difference, compare_graphs
from cogsl.io.features import KINDS, FeatureEncoder
from cogsl.io.frames import EdgeColumns, NodeColumns, graph_from_frames
from cogsl.io.inspection import Inspection, inspect_graph
from cogsl.io.named import NamedGraph
from cogsl.io.networkx import graph_from_networkx, read_graphml
from cogsl.io.numbers import Treatment
from cogsl.io.read import read_graph
from cogsl.io.write import arrays_of, edge_table, to_networkx, to_pyg, write_graph

__all__ = [
    "KINDS",
    "Difference",
    "EdgeColumns",
    "FeatureEncoder",
    "Inspection",
    "NamedGraph",
    "NodeColumns",
    "Treatment",
    "arrays_of",
    "compare_graphs",
    "edge_table",
    "graph_from_arrays",
    "graph_from_frames",
    "graph_from_networkx",
    "graph_from_pyg",
    "inspect_graph",
    "read_graph",
    "read_graphml",
    "read_matrix_market",
    "read_npz",
    "to_networkx",
    "to_pyg",
    "write_graph",
]
