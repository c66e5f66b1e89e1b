"""Nodes that come to a known graph: from a table, with edges of their own or without."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array

from cogsl.errors import InputError, NoNodesError
from cogsl.graph import Features
from cogsl.io.arrays import read_npz
from cogsl.io.frames import EdgeColumns, Pairs, adjacency_of, find_column, unique_names
from cogsl.io.named import NamedGraph
from cogsl.io.tables import as_frame, identifiers, read_table, suffix_of
from cogsl.sparse.rows import differing_rows

logger = logging.getLogger("cogsl")

_ROUNDING = 1e-5  # features that differ by less are the same


@dataclass(frozen=True, eq=False)
class Newcomers:
    """The rows of a table of nodes, of which some may be known already.

    Parameters
    ----------
    names : one name a row.
    place : the number of the known node of that name, -1 for a new one.
    features : of the n new ones, n x D.
    edges : those that touch a new node, (N + n) x (N + n), new ones after the N known ones.
    """

    names: tuple[str, ...]
    place: npt.NDArray[np.int64]
    features: Features
    edges: coo_array

    @property
    def is_new(self) -> npt.NDArray[np.bool_]:
        """Which rows are new nodes."""
        return self.place < 0


def read_newcomers(
    known: NamedGraph,
    nodes: Path,
    edges: Sequence[Path] = (),
    *,
    edge_columns: EdgeColumns | None = None,
    delimiter: str | None = None,
) -> Newcomers:
    """Read nodes from a file: a table like the one that was fitted, or an npz file of features."""
    pairs = [read_table(path, as_text=tuple, delimiter=delimiter) for path in edges]
    if known.encoder is None:
        if suffix_of(nodes) != ".npz":
            raise InputError(
                "The fitted graph has its features from arrays, not from the columns of a table. "
                f"Give new nodes as an npz file with 'features' and 'node_names'. Got '{nodes}'."
            )
        given = read_npz(nodes)
        has_names = given.nodes != tuple(map(str, range(given.graph.n_nodes)))
        names = np.array(given.nodes, dtype=object) if has_names else None
        return _newcomers(known, names, given.graph.features, pairs, edge_columns)

    def names_of_nodes(header: Sequence[str]) -> set[str]:
        return {name for name in header if name == known.id_column}

    table = read_table(nodes, as_text=names_of_nodes, delimiter=delimiter)
    return newcomers_from_frames(known, table, pairs, edge_columns=edge_columns)


def newcomers_from_frames(
    known: NamedGraph,
    nodes: Any,
    edges: Sequence[Any] = (),
    *,
    edge_columns: EdgeColumns | None = None,
) -> Newcomers:
    """Make them of tables of pandas or Polars; columns are those of the table that was fitted."""
    if known.encoder is None:
        raise InputError(
            "The fitted graph has its features from arrays, not from the columns of a table. Use "
            "'cogsl.extension.extend' with the features of new nodes."
        )
    table = as_frame(nodes)
    if not len(table):
        raise NoNodesError("The table of new nodes has no row. Check that it is not cut off.")
    names = None
    if known.id_column is not None:
        column = find_column(table, known.id_column, "the names of nodes")
        names = unique_names(identifiers(table[column]), column)
    return _newcomers(known, names, known.encoder.encode(table), edges, edge_columns)


def _newcomers(
    known: NamedGraph, names: Any, features: Features, edges: Sequence[Any], columns: Any
) -> Newcomers:
    """Tell new nodes from known ones, and number the ends of the edges."""
    if known.graph.n_features != features.shape[1]:
        raise InputError(
            f"New nodes must have the {known.graph.n_features} features of the fitted graph. Got "
            f"{features.shape[1]} instead."
        )
    if names is None:
        if edges:
            raise InputError(
                "Edges name nodes, and the fitted or the new nodes have no names. Fit with a "
                "column of names, or leave out the edges."
            )
        names = np.array([f"new {k}" for k in range(features.shape[0])], dtype=object)
    numbers = {name: k for k, name in enumerate(known.nodes)}
    place = np.array([numbers.get(name, -1) for name in names], dtype=np.int64)
    new = np.flatnonzero(place < 0)
    _tell_of_changes(known, features, place)
    ids = np.concatenate([np.array(known.nodes, dtype=object), names[new]])
    pairs = [Pairs.of(as_frame(each), columns or EdgeColumns()) for each in edges]
    links = adjacency_of(pairs, ids) if pairs else coo_array((len(ids), len(ids)))
    return Newcomers(tuple(names), place, features[new], _of_new_ones(links, len(known.nodes)))


def _of_new_ones(links: coo_array, n: int) -> coo_array:
    """Return the edges that touch a new node; what was learned of known ones stands."""
    touches = (links.row >= n) | (links.col >= n)
    if not touches.all():
        logger.info("Left out %d edges between known nodes.", np.count_nonzero(~touches))
    ends = (links.row[touches], links.col[touches])
    return coo_array((links.data[touches], ends), shape=links.shape)


def _tell_of_changes(known: NamedGraph, features: Features, place: npt.NDArray[np.int64]) -> None:
    """Say if a known node comes with other features than it had."""
    rows = np.flatnonzero(place >= 0)
    if not len(rows):
        return
    changed = differing_rows(features[rows], known.graph.features[place[rows]], _ROUNDING)
    if changed.any():
        logger.warning(
            "%d known nodes have other features than when they were fitted. Their predictions are "
            "those of the fit; fit again to change them.",
            np.count_nonzero(changed),
        )
