"""Tables of nodes and edges as a graph."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array

from cogsl.errors import (
    EdgeEndpointError,
    EdgeWeightError,
    FileFormatError,
    InputError,
    LabelError,
    NoNodesError,
    UnknownNameError,
    did_you_mean,
)
from cogsl.graph import Graph
from cogsl.io.features import FeatureEncoder
from cogsl.io.named import NamedGraph
from cogsl.io.numbers import Treatment
from cogsl.io.tables import MISSING, as_frame, identifiers, listed

logger = logging.getLogger("cogsl")

ID_NAMES = ("id", "node", "node_id", "nodeid")
END_NAMES = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"))
WEIGHT_NAMES = ("weight", "edge_weight")
UNKNOWN_LABELS = (*MISSING, "-1")

Ids = np.ndarray[Any, np.dtype[np.object_]]


@dataclass(frozen=True, kw_only=True)
class NodeColumns:
    """Which columns of a node table hold what.

    Parameters
    ----------
    id : the nodes' names; None looks for one of ``ID_NAMES``, then takes the first column if the
        edges speak of its values, then the rows' numbers, from 0.
    label : the classes; None means that no label is known.
    kinds : what some of the other columns are, ``features.KINDS``.
    treatment : of columns of numbers.
    """

    id: str | None = None
    label: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    treatment: Treatment = field(default_factory=Treatment)


@dataclass(frozen=True, kw_only=True)
class EdgeColumns:
    """Which columns of an edge table hold what.

    Parameters
    ----------
    source, target : the nodes that an edge joins; None looks for one of ``END_NAMES``, then takes
        the first two columns.
    weight : its weight; None looks for one of ``WEIGHT_NAMES``, then gives each edge 1.
    """

    source: str | None = None
    target: str | None = None
    weight: str | None = None


def graph_from_frames(
    nodes: Any,
    edges: Sequence[Any] = (),
    *,
    node_columns: NodeColumns | None = None,
    edge_columns: EdgeColumns | None = None,
    neighbours: int = 20,
    name: str = "",
) -> NamedGraph:
    """Make a graph from a table of nodes and any number of tables of edges.

    Tables are those of pandas or Polars, or mappings of columns. Without edges each node is joined
    to its nearest ones by cosine. An edge that two tables list is one edge.

    Parameters
    ----------
    nodes : one row a node.
    edges : one row an edge.
    neighbours : of each node where there are no edges, itself counted among them.
    """
    columns = node_columns or NodeColumns()
    table = as_frame(nodes)
    if not len(table):
        raise NoNodesError("The node table has no row. Check that the file is not cut off.")
    pairs = [Pairs.of(as_frame(each), edge_columns or EdgeColumns()) for each in edges]
    named, ids = _identify(table, columns, pairs)
    labels, classes = _labels(table, columns.label)
    rest = table.drop(columns=[c for c in (named, columns.label) if c is not None])
    encoder = FeatureEncoder.learn(rest, columns.kinds, columns.treatment)
    features = encoder.encode(rest) if encoder.parts else None
    if edges:
        adjacency = adjacency_of(pairs, ids)
        graph = Graph.from_scipy(adjacency, features=features, labels=labels, name=name)
    elif features is None:
        raise InputError(
            "There are neither edges nor columns to compare nodes by. Give a table of edges, or "
            "columns other than the name and the label."
        )
    else:
        graph = Graph.from_features(features, labels=labels, neighbours=neighbours, name=name)
    names = encoder.names if features is not None else tuple(ids)
    kept = encoder if encoder.parts else None
    return NamedGraph(graph, tuple(ids), classes, names, kept, named)


def find_column(table: Any, name: str, what: str) -> str:
    """Return a column's name if the table has it, or raise an error that names the nearest one."""
    if name not in table.columns:
        raise UnknownNameError(
            f"There is no column '{name}' for {what}{did_you_mean(name, map(str, table.columns))}"
        )
    return name


def _first_of(table: Any, names: Sequence[str]) -> str | None:
    """Return the column that has one of the names, in whatever case."""
    lowered = {str(column).lower(): column for column in table.columns}
    return next((lowered[name] for name in names if name in lowered), None)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The edges of a table by the names of their ends, and their weights."""

    source: Ids
    target: Ids
    weight: npt.NDArray[np.float64]

    @classmethod
    def of(cls, table: Any, columns: EdgeColumns) -> Pairs:
        """Take them from a table."""
        source, target = _ends(table, columns)
        ends = identifiers(table[source]), identifiers(table[target])
        missing = np.flatnonzero([a is None or b is None for a, b in zip(*ends, strict=True)])
        if len(missing):
            raise EdgeEndpointError(
                f"Each edge must name two nodes. One is missing in rows "
                f"{listed(missing + 1)} of the edge table; drop these rows."
            )
        return cls(*ends, _weights(table, columns.weight))

    @property
    def ends(self) -> Ids:
        """The names of both ends of every edge."""
        return np.concatenate([self.source, self.target])


def _ends(table: Any, columns: EdgeColumns) -> tuple[Any, Any]:
    """Return the columns of the two ends."""
    if (columns.source is None) != (columns.target is None):
        raise InputError("Give the columns of both ends of an edge, or of none.")
    if columns.source is not None and columns.target is not None:
        source = find_column(table, columns.source, "the source of edges")
        return source, find_column(table, columns.target, "the target of edges")
    for pair in END_NAMES:
        found = tuple(_first_of(table, [name]) for name in pair)
        if None not in found:
            return found[0], found[1]
    if table.shape[1] < 2:
        raise FileFormatError(
            "The edge table must have two columns, one for each end of an edge. Got only "
            f"{listed(table.columns)}; are the columns parted by something else?"
        )
    return table.columns[0], table.columns[1]


def _weights(table: Any, column: str | None) -> npt.NDArray[np.float64]:
    """Return one number an edge."""
    import pandas as pd  # heavy

    if column is None:
        column = _first_of(table, WEIGHT_NAMES)
    if column is None:
        return np.ones(len(table))
    given = table[find_column(table, column, "the weight of edges")]
    weights = np.asarray(pd.to_numeric(given, errors="coerce"), dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise EdgeWeightError(
            f"Edge weights must be finite numbers >= 0. Got {listed(given.iloc[wrong])} in rows "
            f"{listed(wrong + 1)} of the edge table. Mend them, or drop these edges."
        )
    return weights


def _identify(table: Any, columns: NodeColumns, pairs: Sequence[Pairs]) -> tuple[Any, Ids]:
    """Return the column of the nodes' names, None if they are the rows' numbers, and the names."""
    if columns.id is not None:
        column = find_column(table, columns.id, "the names of nodes")
        return column, unique_names(identifiers(table[column]), column)
    known = _first_of(table, ID_NAMES)
    if known is not None:
        return known, unique_names(identifiers(table[known]), known)
    ends = {end for each in pairs for end in each.ends}
    others = [column for column in table.columns if column != columns.label]
    if ends and others:
        names = identifiers(table[others[0]])
        if ends <= set(names):
            return others[0], unique_names(names, others[0])
    rows = np.array([str(k) for k in range(len(table))], dtype=object)
    unknown = sorted(ends - set(rows))
    if unknown:
        raise EdgeEndpointError(
            f"No column holds the nodes' names, and the edges name {listed(unknown)}, which are no "
            "numbers of rows from 0. Say which column holds the names."
        )
    if ends:
        logger.info("Nodes are named by the numbers of their rows, from 0.")
    return None, rows


def unique_names(names: Ids, column: str) -> Ids:
    """Return the names if each node has one of its own."""
    missing = np.flatnonzero(names == None)  # noqa: E711  (element by element)
    if len(missing):
        raise InputError(
            f"Each node must have a name. None in rows {listed(missing + 1)} of column '{column}'; "
            "fill them in, or drop these rows."
        )
    distinct, counts = np.unique(names.astype(str), return_counts=True)
    if len(distinct) < len(names):
        raise InputError(
            f"Each node must have a name of its own. Column '{column}' holds "
            f"{listed(distinct[counts > 1])} more than once; drop the repeated rows."
        )
    return names


def _labels(table: Any, column: str | None) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return one class a node, -1 where it is unknown, and the classes' names."""
    if column is None:
        return np.full(len(table), -1), ()
    values = identifiers(table[find_column(table, column, "the labels")])
    values[np.isin(values.astype(str), UNKNOWN_LABELS)] = None
    known = {value for value in values if value is not None}
    if not known:
        raise LabelError(f"Column '{column}' holds no label. Is it the right column?")
    classes = sorted(known, key=_natural)
    place = {name: k for k, name in enumerate(classes)}
    return np.array([-1 if v is None else place[v] for v in values]), tuple(classes)


def _natural(name: str) -> tuple[int, float, str]:
    """Order numbers by their size, before words."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def adjacency_of(pairs: Sequence[Pairs], ids: Ids) -> coo_array:
    """Return the edges of all tables as N x N entries."""
    place = {name: k for k, name in enumerate(ids)}
    source, target = (
        np.array([place.get(end, -1) for each in pairs for end in getattr(each, side)], dtype=int)
        for side in ("source", "target")
    )
    wrong = np.flatnonzero((source < 0) | (target < 0))
    if len(wrong):
        ends = np.concatenate([np.stack([each.source, each.target]) for each in pairs], axis=1)
        unknown = sorted({str(end) for end in ends[:, wrong].ravel() if end not in place})
        raise EdgeEndpointError(
            f"Each end of an edge must be a node of the node table. {len(wrong)} edges name "
            f"others: {listed(unknown)}. Drop these edges, or add the nodes."
        )
    weights = np.concatenate([each.weight for each in pairs])
    return coo_array((weights, (source, target)), shape=(len(ids), len(ids)))
