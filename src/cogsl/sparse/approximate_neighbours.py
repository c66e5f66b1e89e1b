"""Nearest neighbours by cosine similarity: approximate, for many nodes, by an inverted file.

The rows are put into lists of similar rows (k-means). A node is then compared with the members of
the lists nearest to it, and with no others. These comparisons are the exact ones, of the features
as they are; only which pairs are looked at is a guess.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array

from cogsl.errors import InputError, import_extra
from cogsl.machine import one_thread
from cogsl.sparse.blocks import BLOCK_BYTES, GRID, Int64Array, blocks, top_of_rows
from cogsl.sparse.neighbours import (
    Similarities,
    cosine_neighbours,
    joined,
    nearest_columns,
    similarities_of,
)

Float32Array = npt.NDArray[np.float32]

RECALL = 0.97
"""Share of the neighbours to be found; what is found comes out a little above or below."""

WIDTH = 128  # columns that the lists are made from
_SEED = 0
_LISTS = 2.0  # times sqrt(N): more take longer to make, fewer take longer to read
_POINTS = 64  # a list, for k-means
_ROUNDS = 10  # of k-means
_BASIS_ROWS, _BASIS_ROUNDS = 8192, 3
_SAMPLE = 512  # rows whose neighbours are found exactly, to see how many lists are needed
_CHUNK = 1 << 12  # rows searched together; the same on any number of threads

_INDEX_BITS = 25  # of a key: the value on the grid, then the column, the lower the better
_MASK = (1 << _INDEX_BITS) - 1
_NOTHING = np.iinfo(np.int64).min
_ITSELF = 2.0  # more than any cosine: a node comes first among its own neighbours

logger = logging.getLogger("cogsl")


def approximate_cosine_neighbours(
    features: npt.NDArray[Any] | csr_array,
    k: int,
    *,
    recall: float = RECALL,
    block_bytes: int = BLOCK_BYTES,
) -> csr_array:
    """Join each node to k nodes whose features are very much alike, itself among them.

    sim(i, j) = x_i . x_j / (|x_i| |x_j|), as in ``cosine_neighbours``, with the same ties.

    About 2 sqrt(N) lists are made, from the features if they have at most 128 columns, else from
    their coordinates in the 128 directions in which a sample of the rows is largest. How many
    lists a node is compared with is found on a sample of nodes whose neighbours are known exactly:
    the fewest that hold the share ``recall`` of those with a similarity above 0.

    - A row of zeros has the neighbours of the exact search: itself and the lowest indices. It is
      itself found by nobody who has k others.
    - Where the lists hold fewer than k nodes, that row is searched exactly.
    - Where fewer than k nodes have a similarity above 0, the others are any nodes at hand.
    - Equal rows share a list, and the time grows with the square of a list's length.

    The same features give the same bits, whatever the number of threads: everything that faiss
    computes is done by one thread for a fixed part of the rows, and the comparisons are made on a
    grid far above their rounding. PyTorch's number of threads work on different parts.

    Memory: N x 128 float32 for the lists, a copy of sparse features, N x k for the result, and
    some blocks for each thread. Sparse features are made dense in blocks only.

    Parameters
    ----------
    features : X, N x D, dense or CSR.
    k : entries a row, self included; N if there are fewer nodes.
    recall : share of the neighbours to be found, above 0 and at most 1.
    block_bytes : size of a block.

    Returns
    -------
    N x N, min(k, N) entries of 1.0 (float32) a row; not symmetric in general.
    """
    if not 0 < recall <= 1:
        raise InputError(
            "The 'recall' parameter of approximate_cosine_neighbours must be above 0 and at most "
            f"1. Got {recall} instead."
        )
    n = features.shape[0]
    if k < 1 or k >= n:
        return cosine_neighbours(features, k, block_bytes=block_bytes)
    purpose = f"The search for the neighbours of {n:,} nodes (nothing else is wrong)"
    faiss = import_extra("faiss", extra="scale", purpose=purpose)
    similarities = similarities_of(features, block_bytes)
    with _workers(faiss) as pool:
        search = _Search(faiss, pool, similarities, k, recall, block_bytes)
        return joined(search.columns(reduced_rows(similarities, features.shape[1], block_bytes)))


@contextmanager
def _workers(faiss: ModuleType) -> Iterator[ThreadPoolExecutor]:
    """Give as many workers as PyTorch has threads; in each of them a product has one thread.

    Products on several threads would depend on their number and be in one another's way.
    """
    alone = partial(faiss.omp_set_num_threads, 1)  # of the thread that calls it only
    with one_thread() as n_threads, ThreadPoolExecutor(n_threads, initializer=alone) as pool:
        yield pool


# --------------------------------------------------------------------------- the reduced rows


def reduced_rows(similarities: Similarities, width: int, block_bytes: int) -> Float32Array:
    """Return rows of length 1 with at most 128 columns, N x min(D, 128); 0 for a row of zeros.

    A row of other than zeros that has no part in the 128 directions gets a random one: nothing is
    known of it, and all such rows in one list would be a long list.
    """
    n = similarities.n
    rng = np.random.default_rng(_SEED)
    out = np.empty((n, min(width, WIDTH)), dtype=np.float32)
    basis = _basis(similarities, width, rng) if width > WIDTH else None
    for rows in blocks(n, row_bytes=8 * width, block_bytes=block_bytes):
        unit: Any = similarities.unit(rows)
        out[rows] = _dense(unit) if basis is None else _product(unit, basis)
        is_lost = ~out[rows].any(axis=1) & (abs(unit).sum(axis=1) > 0)
        out[rows][is_lost] = rng.normal(size=(np.count_nonzero(is_lost), out.shape[1]))
    length = np.sqrt(np.einsum("nd,nd->n", out, out))[:, None]
    np.divide(out, length, out=out, where=length > 0)
    return out


def _basis(
    similarities: Similarities, width: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return orthonormal columns, D x 128, near the largest directions of a sample of the rows.

    Q <- orthonormal columns of A^T A Q, from a random start; A holds the sampled rows.
    """
    A = similarities.unit(_sample(similarities.n, _BASIS_ROWS, rng))
    Q = rng.normal(size=(width, WIDTH))
    for _ in range(_BASIS_ROUNDS):
        Q = torch.linalg.qr(torch.from_numpy(_product(A.T, _product(A, Q))))[0].numpy()
    return np.ascontiguousarray(Q)


def _product(matrix: Any, dense: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Multiply on one thread: SciPy's sparse product has no more, PyTorch's has as many as set."""
    if not isinstance(matrix, np.ndarray):
        return np.asarray(matrix @ dense)
    return (torch.from_numpy(matrix) @ torch.from_numpy(np.ascontiguousarray(dense))).numpy()


def _dense(matrix: Any) -> npt.NDArray[np.float64]:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def _sample(n: int, size: int, rng: np.random.Generator) -> Int64Array:
    """Return some of ``range(n)``, ascending; all if there are not more."""
    return np.sort(rng.choice(n, min(n, size), replace=False))


# ---------------------------------------------------------------------------------- the lists


@dataclass(frozen=True, eq=False)
class _Lists:
    """The nodes list by list: those of list l are ``order[start[l]:start[l + 1]]``."""

    index: Any  # faiss's index of the centroids
    order: Int64Array
    start: Int64Array
    position: Int64Array  # of each node in ``order``; -1 for a row of zeros

    @property
    def n_lists(self) -> int:
        """Number of lists."""
        return len(self.start) - 1

    def members(self, number: int) -> Int64Array:
        """Return the nodes of a list."""
        return self.order[self.start[number] : self.start[number + 1]]


@dataclass(frozen=True, eq=False)
class _Search:
    """One search: what all its steps need."""

    faiss: ModuleType
    pool: ThreadPoolExecutor
    similarities: Similarities
    k: int
    recall: float
    block_bytes: int

    def columns(self, reduced: Float32Array) -> npt.NDArray[np.int32]:
        """Return the neighbours of every node, ascending, N x k."""
        n, k = len(reduced), self.k
        is_zero = ~reduced.any(axis=1)
        keys = np.full((n, k), _NOTHING)
        keys[:, 0] = _keys(np.full(n, _ITSELF), np.arange(n))
        if not is_zero.all():
            lists = self.make_lists(reduced, np.flatnonzero(~is_zero))
            n_probed = self.count_probed(lists, reduced)
            logger.info("Each node is compared with %d of %d lists.", n_probed, lists.n_lists)
            self.fill(keys, lists, reduced, n_probed)
        found = np.sort(_MASK - (keys & _MASK), axis=1).astype(np.int32)
        lacking = np.flatnonzero((keys == _NOTHING).any(axis=1) & ~is_zero)
        found[lacking] = nearest_columns(
            self.similarities, lacking, k, block_bytes=self.block_bytes
        )
        found[is_zero] = _lowest(np.flatnonzero(is_zero), k)
        return found

    def make_lists(self, reduced: Float32Array, nodes: Int64Array) -> _Lists:
        """Put nodes into about 2 sqrt(N) lists by k-means."""
        n_lists = min(len(nodes), max(1, round(_LISTS * len(nodes) ** 0.5)))
        rng = np.random.default_rng(_SEED)
        points = reduced[nodes[_sample(len(nodes), _POINTS * n_lists, rng)]]
        means = self.faiss.Kmeans(
            *(reduced.shape[1], n_lists),
            niter=_ROUNDS,
            seed=_SEED + 1,
            spherical=True,
            min_points_per_centroid=1,  # fewer would be told on stderr
            max_points_per_centroid=_POINTS,
        )
        self.pool.submit(means.train, points).result()
        parts = [nodes[part] for part in _chunks(len(nodes))]
        nearest = self.pool.map(lambda part: means.index.search(reduced[part], 1)[1][:, 0], parts)
        own = np.concatenate(list(nearest))
        order = nodes[np.argsort(own, kind="stable")]
        position = np.full(len(reduced), -1)
        position[order] = np.arange(len(order))
        start = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=n_lists))])
        return _Lists(means.index, order, start, position)

    def count_probed(self, lists: _Lists, reduced: Float32Array) -> int:
        """Return how many lists hold the wanted share of a sample's neighbours."""
        rng = np.random.default_rng(_SEED)
        nodes = lists.order[_sample(len(lists.order), _SAMPLE, rng)]
        ranks = [
            self.ranks(lists, reduced, nodes[part])
            for part in blocks(
                len(nodes), row_bytes=8 * self.similarities.n, block_bytes=self.block_bytes
            )
        ]
        needed = np.quantile(np.concatenate(ranks), self.recall, method="higher") + 1
        # Twice k nodes on average, so that few rows have less than k and are searched exactly.
        enough = np.ceil(2 * self.k * lists.n_lists / len(lists.order))
        return int(min(max(needed, enough), lists.n_lists))

    def ranks(self, lists: _Lists, reduced: Float32Array, nodes: Int64Array) -> Int64Array:
        """Return how many lists are nearer to a node than that of its neighbour, for each pair."""
        values = self.similarities.block(nodes)
        near = top_of_rows(values, self.k, always=nodes)
        is_alike = np.take_along_axis(values, near, axis=1) > GRID
        is_alike &= lists.position[near] >= 0
        owner = np.searchsorted(lists.start, lists.position[near], side="right") - 1
        search = self.pool.submit(lists.index.search, reduced[nodes], lists.n_lists)
        order: Int64Array = search.result()[1]
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(lists.n_lists)[None], axis=1)
        return np.take_along_axis(rank, owner, axis=1)[is_alike]

    def fill(self, keys: Int64Array, lists: _Lists, reduced: Float32Array, n_probed: int) -> None:
        """Put the best keys of every node into its row, N x k; chunks of nodes in parallel."""
        # Neighbouring nodes in the order of the lists are compared with the same few lists.
        largest = max(1, self.block_bytes // (8 * n_probed))
        parts = [lists.order[part] for part in _chunks(len(lists.order), largest)]

        def search(nodes: Int64Array) -> None:
            probed = lists.index.search(reduced[nodes], n_probed)[1]
            keys[nodes] = self.best(keys[nodes], lists, nodes, probed)

        for _ in self.pool.map(search, parts):
            pass

    def best(
        self, keys: Int64Array, lists: _Lists, nodes: Int64Array, probed: Int64Array
    ) -> Int64Array:
        """Return the k best keys of some nodes, b x k, given their lists, b x p."""
        for number, rows in _by_value(probed):
            members = lists.members(number)
            for part in blocks(
                len(rows), row_bytes=8 * max(1, len(members)), block_bytes=self.block_bytes
            ):
                some = rows[part]
                new = _keys(self.similarities.between(nodes[some], members), members)
                place = lists.position[nodes[some]] - lists.start[number]
                own = np.flatnonzero((place >= 0) & (place < len(members)))
                new[own, place[own]] = _NOTHING  # the node itself is there already
                keys[some] = _largest(np.hstack([keys[some], _largest(new, self.k)]), self.k)
        return keys


def _keys(values: npt.NDArray[np.float64], columns: Int64Array) -> Int64Array:
    """Return one whole number for value and column: a lower column has the larger one."""
    keys = np.rint(values / GRID).astype(np.int64)
    keys <<= _INDEX_BITS
    keys += _MASK - columns
    return keys


def _largest(keys: Int64Array, k: int) -> Int64Array:
    """Return the k largest keys of each row, in any order."""
    size = keys.shape[1]
    return keys if size <= k else np.partition(keys, size - k, axis=1)[:, size - k :]


def _by_value(numbers: Int64Array) -> Iterator[tuple[int, Int64Array]]:
    """Yield each number of a table with the rows that hold it."""
    order = np.argsort(numbers, axis=None, kind="stable")
    values, start = np.unique(numbers.ravel()[order], return_index=True)
    for value, places in zip(values, np.split(order, start[1:]), strict=True):
        yield int(value), places // numbers.shape[1]


def _chunks(n: int, largest: int = _CHUNK) -> Iterator[slice]:
    """Cut ``range(n)`` into chunks that do not depend on the number of threads."""
    return blocks(n, row_bytes=1, block_bytes=min(largest, _CHUNK))


def _lowest(nodes: Int64Array, k: int) -> Int64Array:
    """Return each node and the k - 1 lowest others, ascending, b x k."""
    lowest = np.tile(np.arange(k), (len(nodes), 1))
    lowest[:, k - 1] = np.maximum(nodes, k - 1)
    return lowest
