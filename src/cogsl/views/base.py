"""What every view is: a matrix, and the scope in which it may change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from scipy.sparse import csr_array, eye_array

from cogsl.cost import GraphSize
from cogsl.graph import Graph
from cogsl.settings import validate_settings
from cogsl.sparse import SparseMatrix

Change = Callable[[csr_array], csr_array]

ENTRY_SECONDS = 1.0e-7
"""To make, normalise and copy an entry, on the reference machine."""


@dataclass(frozen=True, eq=False)
class BasicView:
    """A view of a graph before anything is learned; indices are sorted.

    Parameters
    ----------
    matrix : V, N x N, float64, normalised; not symmetric in general.
    scope : S, N x N, entries of 1.0 (float32): row i holds the nodes j whose pair (i, j) is
        estimated anew, i among them.
    """

    matrix: csr_array
    scope: csr_array


@dataclass(frozen=True)
class ExpectedView:
    """What a view will come to.

    Parameters
    ----------
    entries, scope : of the basic view V and of its scope S.
    symmetric : of the union of both with their mirror images.
    seconds : that it takes on the reference machine.
    held_bytes : what making it leaves in memory beside the view.
    """

    entries: float
    scope: float
    symmetric: float
    seconds: float
    held_bytes: float = 0.0


@dataclass(frozen=True, kw_only=True)
class View(ABC):
    """Makes one kind of basic view of any graph.

    A view is a frozen dataclass of settings that are checked when it is made; ``scope`` is one.
    A view that ``follows_edges`` has few entries where the graph has none nearby.
    """

    follows_edges: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validate_settings(self)

    def build(
        self, graph: Graph, *, generator: np.random.Generator, change: Change | None = None
    ) -> BasicView:
        """Return the view of ``graph``, which stays as it is.

        Parameters
        ----------
        graph : the nodes, their features and edges.
        generator : draws, where the view is random.
        change : is given V before it is normalised, and returns what takes its place: an attack.
        """
        matrix = self.matrix(graph, generator=generator)
        if change is not None:
            matrix = change(matrix)
        return BasicView(normalise(matrix), self.scope_of(matrix))

    @abstractmethod
    def matrix(self, graph: Graph, *, generator: np.random.Generator) -> csr_array:
        """Return V before it is normalised, N x N, with a full diagonal."""

    @abstractmethod
    def scope_of(self, matrix: csr_array) -> csr_array:
        """Return the scope of such a V."""

    @abstractmethod
    def expect(self, size: GraphSize) -> ExpectedView:
        """Return about what the view of a graph of that size comes to."""


def with_self_loops(adjacency: csr_array) -> csr_array:
    """Return A + I: every node is its own neighbour, with weight 1."""
    loops = eye_array(adjacency.shape[0], dtype=adjacency.dtype, format="csr")
    looped = csr_array(adjacency + loops)
    looped.sort_indices()
    return looped


def normalise(matrix: csr_array) -> csr_array:
    """Return D^-1/2 V D^-1/2 in float64, with D the row sums of V; a row that sums to 0 stays 0.

    Parameters
    ----------
    matrix : V, N x N, no negative entries; not symmetric in general.
    """
    V = matrix.astype(np.float64)  # a copy, indices included
    root = np.sqrt(V.sum(axis=1))
    scale = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    data = np.repeat(scale, np.diff(V.indptr)) * V.data * scale[V.indices]
    normalised = csr_array((data, V.indices, V.indptr), shape=V.shape)
    normalised.sort_indices()
    return normalised


def propagation(adjacency: csr_array) -> SparseMatrix:
    """Return D^-1/2 (A + I) D^-1/2 of a symmetric A, N x N, for products in float32."""
    matrix = SparseMatrix.from_scipy(normalise(with_self_loops(adjacency)), torch.float32)
    pattern = replace(matrix.pattern, is_symmetric=True)
    return SparseMatrix(pattern, matrix.values, symmetric=True)
