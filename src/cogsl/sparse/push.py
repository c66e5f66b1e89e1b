"""The resolvent of a graph's normalised matrix by local push: a row costs the same in any graph.

S = alpha (I - c G)^-1 with c = 1 - alpha, for G = D^-1/2 W D^-1/2, where W (N x N) is symmetric
without negative entries and D holds its row sums, d.

Row i of S is s_ij = sqrt(d_i d_j) x_j with x = alpha sum_k c^k P^k e_i / d_i and P = D^-1 W, as
G^k = D^1/2 P^k D^-1/2. The push has an estimate y of x, 0 at first, and a residual r, e_i / d_i at
first, and keeps x = y + alpha (I - c P)^-1 r: where r_u > epsilon it moves the share of r_u that
stays at u to y_u, and the rest to the residuals of u's neighbours v, each times P_vu.

Error: P 1 = 1 and nothing is negative, so r <= epsilon 1 at the end gives
0 <= x - y <= epsilon 1, which is 0 <= s_ij - sqrt(d_i d_j) y_j <= epsilon sqrt(d_i d_j).

Cost: sum_v d_v r_v is 1 at first, and a push of u takes at least alpha d_u epsilon from it. So the
degrees of all pushed nodes sum to at most 1 / (alpha epsilon), and d_i for the first push. Without
weights a degree is the number of entries that a push reads.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, get_index_dtype

from cogsl.errors import import_extra
from cogsl.sparse.blocks import GRID, Float64Array, Int64Array

Int32Array = npt.NDArray[np.int32]
Part = tuple[Int64Array, Int32Array, Float64Array]
"""Some rows: how long each is, then the columns and values of all."""

BLOCK_NODES = 512
"""Nodes that a thread takes at a time: some hundredths of a second, so Ctrl-C is soon heard."""

_COLUMN_BITS = 25  # and 36 + 2 for a value on the grid and the mark of the node itself
_COLUMN_MASK = (1 << _COLUMN_BITS) - 1
_UNSEEN, _SEEN, _QUEUED = 0, 1, 2


class Walk(NamedTuple):
    """What every push reads.

    Parameters
    ----------
    indptr, indices : the pattern of W.
    steps : P_vu for each stored (u, v): what goes on from u to v.
    stay : N, alpha / (1 - c P_uu): the share of a residual that stays, all turns of the loop at u
        together.
    roots : N, sqrt(d).
    damping : c.
    epsilon : residuals that are no larger rest.
    """

    indptr: Int64Array
    indices: Int32Array
    steps: Float64Array
    stay: Float64Array
    roots: Float64Array
    damping: float
    epsilon: float


class Scratch(NamedTuple):
    """What one thread writes, 37 bytes a node; clean between two pushes.

    Parameters
    ----------
    residual, estimate : r and y, N, zeros.
    state : N, unseen, seen or queued.
    seen : N, the nodes that are not unseen, in the order in which they were found.
    queue, following : N, nodes whose turn it is, and those of the next round.
    amount : N, what each node of the queue passes on in this round.
    """

    residual: Float64Array
    estimate: Float64Array
    state: npt.NDArray[np.uint8]
    seen: Int32Array
    queue: Int32Array
    following: Int32Array
    amount: Float64Array


def push_resolvent(
    matrix: csr_array, degrees: Float64Array, *, damping: float, top: int, epsilon: float
) -> csr_array:
    """Return the largest entries of each row of S, at a cost of O(1 / (alpha epsilon)) a row.

    0 <= s_ij - found_ij <= epsilon sqrt(d_i d_j): none is too large, none too small by more.

    A row holds the node itself and the largest other entries, ``top`` in all; they are compared on
    the grid of ``sparse.blocks``, and ties go to the lower column. What the push did not reach is
    absent. PyTorch's number of threads push side by side; the bits do not depend on that number.
    Numba's own threads are not used (a process that forks afterwards is safe), and compiled code is
    not kept on disk: a process that pushes compiles for some seconds, wherever it is installed.

    Parameters
    ----------
    matrix : G, N x N, no negative entries, sorted.
    degrees : d, N, positive, with G sqrt(d) = sqrt(d): the row sums of W or a multiple of them.
    damping : c, in [0, 1).
    top : entries a row that are kept.
    epsilon : as above; positive.
    """
    n = matrix.shape[0]
    assert matrix.has_sorted_indices
    assert n <= 1 << _COLUMN_BITS
    assert epsilon > 0
    push_nodes = _compiled()
    walk = _walk(matrix, degrees, damping=damping, epsilon=epsilon)
    own = threading.local()

    def prepare() -> None:
        own.scratch = _scratch(n)

    def work(start: int) -> Part:
        stop = min(start + BLOCK_NODES, n)
        part: Part = push_nodes(start, stop, min(top, n), walk, own.scratch)
        return part

    with ThreadPoolExecutor(torch.get_num_threads(), initializer=prepare) as pool:
        parts = list(pool.map(work, range(0, n, BLOCK_NODES)))  # a list, so that errors come out
    return _stack(parts, n)


def _walk(matrix: csr_array, degrees: Float64Array, *, damping: float, epsilon: float) -> Walk:
    """Return what every push reads; P_vu = G_uv sqrt(d_u / d_v).

    Whatever the types of the matrix, here they are the same: each other one is compiled for anew.
    """
    roots = np.sqrt(degrees.astype(np.float64))
    steps = matrix.data * np.repeat(roots, np.diff(matrix.indptr)) / roots[matrix.indices]
    stay = (1 - damping) / (1 - damping * matrix.diagonal().astype(np.float64))
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    return Walk(indptr, indices, steps, stay, roots, float(damping), float(epsilon))


def _scratch(n: int) -> Scratch:
    """Return clean memory for one thread."""
    seen, queue, following = (np.empty(n, dtype=np.int32) for _ in range(3))
    state = np.zeros(n, dtype=np.uint8)
    return Scratch(np.zeros(n), np.zeros(n), state, seen, queue, following, np.empty(n))


def _stack(parts: list[Part], n: int) -> csr_array:
    """Put blocks of rows under one another."""
    lengths, columns, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    index = get_index_dtype(maxval=max(n, int(indptr[-1])))
    pattern = columns.astype(index, copy=False), indptr.astype(index)
    rows = csr_array((values, *pattern), shape=(n, n))
    rows.sort_indices()
    return rows


@functools.cache
def _compiled() -> Any:
    """Return ``push_nodes`` compiled; a thread that runs it does not hold Python's lock."""
    numba = import_extra("numba", extra="scale", purpose="Diffusion on a large graph")
    return push_nodes_by(numba.njit(nogil=True))


def push_nodes_by(compiled: Callable[[Any], Any]) -> Any:
    """Return the loop over some nodes; ``compiled`` is applied to it and to each of its steps."""
    push, entry_keys, largest, clean = map(compiled, (_push, _entry_keys, _largest, _clean))

    def push_nodes(start: int, stop: int, top: int, walk: Walk, scratch: Scratch) -> Part:
        lengths = np.empty(stop - start, dtype=np.int64)
        columns = np.empty((stop - start) * top, dtype=np.int32)
        values = np.empty((stop - start) * top, dtype=np.float64)
        end = 0
        for node in range(start, stop):
            n_seen = push(node, walk, scratch)
            kept = largest(entry_keys(node, n_seen, walk, scratch), top)
            lengths[node - start] = len(kept)
            for key in kept:
                column = len(walk.stay) - 1 - (key & _COLUMN_MASK)
                columns[end] = column
                values[end] = scratch.estimate[column]
                end += 1
            clean(n_seen, scratch)
        return lengths, columns[:end].copy(), values[:end].copy()

    return compiled(push_nodes)


# What follows is compiled: plain loops, and nothing that Numba does not know.


def _push(node: int, walk: Walk, scratch: Scratch) -> int:
    """Push from one node until no residual is above epsilon; return the number of nodes seen.

    All nodes of a round give what they had when it began, so the result does not depend on the
    order in which nodes are numbered, but for rounding. The first node is pushed whatever its
    degree, so that it is never 0.
    """
    residual, estimate, state, seen, queue, following, amount = scratch
    residual[node] = 1.0 / walk.roots[node] ** 2
    state[node] = _QUEUED
    seen[0] = queue[0] = node
    n_seen = n_queued = 1
    while n_queued > 0:
        for k in range(n_queued):
            u = queue[k]
            stays = walk.stay[u] * residual[u]
            estimate[u] += stays
            amount[k] = stays * walk.damping / (1.0 - walk.damping)
            residual[u] = 0.0
            state[u] = _SEEN
        n_following = 0
        for k in range(n_queued):
            u = queue[k]
            for entry in range(walk.indptr[u], walk.indptr[u + 1]):
                v = walk.indices[entry]
                if v == u:  # the loop's turns are in the amount
                    continue
                residual[v] += amount[k] * walk.steps[entry]
                if state[v] == _UNSEEN:
                    state[v] = _SEEN
                    seen[n_seen] = v
                    n_seen += 1
                if state[v] == _SEEN and residual[v] > walk.epsilon:
                    state[v] = _QUEUED
                    following[n_following] = v
                    n_following += 1
        queue, following = following, queue
        n_queued = n_following
    return n_seen


def _entry_keys(node: int, n_seen: int, walk: Walk, scratch: Scratch) -> Int64Array:
    """Turn estimates of x into entries of S; return a key for each that is not 0 on the grid.

    Of each residual the share that stays is added first. It is part of what is missing, so the
    error only shrinks, and nodes that were seen but not pushed, a hub's neighbours above all, can
    be told apart.

    A key is value and column in one whole number, as in ``sparse.blocks.top_of_rows``: the larger
    value has the larger key, of equal ones the lower column, and the node itself has the largest.
    """
    keys = np.empty(n_seen, dtype=np.int64)
    last = len(walk.stay) - 1
    n_keys = 0
    for k in range(n_seen):
        v = np.int64(scratch.seen[k])
        found = scratch.estimate[v] + walk.stay[v] * scratch.residual[v]
        scratch.estimate[v] = found * walk.roots[node] * walk.roots[v]
        level = np.int64(np.rint(scratch.estimate[v] / GRID))
        if v == node:
            level = np.int64(1 << 37)  # above every value, as none exceeds 1
        if level > 0:
            keys[n_keys] = (level << _COLUMN_BITS) + (last - v)
            n_keys += 1
    return keys[:n_keys]


def _largest(keys: Int64Array, top: int) -> Int64Array:
    """Return the ``top`` largest keys, in no order.

    They are held in a heap whose first is the least of them. Most keys are less than that at once;
    to sort them all takes longer, and much longer to compile.
    """
    if len(keys) <= top:
        return keys
    heap = np.full(top, -1, dtype=np.int64)
    for key in keys:
        if key < heap[0]:
            continue
        at, child = 0, 1
        while child < top:
            if child + 1 < top and heap[child + 1] < heap[child]:
                child += 1
            if heap[child] > key:
                break
            heap[at] = heap[child]
            at, child = child, 2 * child + 1
        heap[at] = key
    return heap


def _clean(n_seen: int, scratch: Scratch) -> None:
    """Make the memory clean again where it was written."""
    for k in range(n_seen):
        v = scratch.seen[k]
        scratch.residual[v] = 0.0
        scratch.estimate[v] = 0.0
        scratch.state[v] = _UNSEEN
