from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array, diags_array, eye_array

from cogsl.errors import MissingExtraError
from cogsl.sparse import push
from cogsl.sparse.blocks import snap, top_of_rows
from cogsl.sparse.push import push_resolvent
from cogsl.sparse.resolvent import exact_resolvent

FloatArray = npt.NDArray[np.float64]

ROUNDING = 1e-10  # the exact inverse is on the grid, and rounds at a damping near 1


def normalised(W: csr_array) -> tuple[csr_array, FloatArray]:
    """Return G = D^-1/2 W D^-1/2 and the degrees."""
    degrees = W.sum(axis=1, dtype=np.float64)
    scale = diags_array(1 / np.sqrt(degrees))
    G = csr_array(scale @ W @ scale)
    G.sort_indices()
    return G, degrees


def random_weights(
    seed: int, *, n: int = 30, degree: float = 3.0, weighted: bool = True
) -> csr_array:
    """Draw A + I of two graphs side by side with isolated nodes; weights from 0.01 to 100."""
    rng = np.random.default_rng(seed)
    parts = []
    for size in (n - n // 3, n // 3):
        upper = np.triu(rng.random((size, size)) < degree / size, k=1)
        upper[0] = upper[:, 0] = False
        weights = 10 ** rng.uniform(-2, 2, (size, size)) if weighted else np.ones((size, size))
        half = np.where(upper, weights, 0.0)
        parts.append(csr_array(half + half.T + np.eye(size)))
    return csr_array(block_diag(parts, format="csr"))


def ring(n: int) -> csr_array:
    nodes = np.arange(n)
    pairs = np.concatenate([nodes, nodes]), np.concatenate([nodes, (nodes + 1) % n])
    half = csr_array((np.repeat([0.5, 1.0], n), pairs), shape=(n, n))
    return csr_array(half + half.T)


def same_bits(one: csr_array, other: csr_array) -> bool:
    parts = ("indptr", "indices", "data")
    return all(getattr(one, part).tobytes() == getattr(other, part).tobytes() for part in parts)


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([0.01, 0.05, 0.2, 0.9, 1.0]) | st.floats(0.01, 1.0),
    st.sampled_from([1.0, 1e-1, 1e-2, 1e-3, 1e-5]),
)
def test_no_entry_is_too_large_and_none_is_too_small_by_more_than_the_bound(
    seed: int, weighted: bool, teleport: float, epsilon: float
) -> None:
    G, degrees = normalised(random_weights(seed, weighted=weighted))
    n = len(degrees)
    exact = exact_resolvent(G, damping=1 - teleport).toarray()
    found = push_resolvent(G, degrees, damping=1 - teleport, top=n, epsilon=epsilon).toarray()
    missing = exact - found
    assert missing.min() >= -ROUNDING
    assert (missing - epsilon * np.sqrt(np.outer(degrees, degrees))).max() <= ROUNDING


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.2, 1.0]), st.integers(1, 12))
@settings(deadline=None)
def test_a_small_epsilon_gives_the_largest_entries(seed: int, teleport: float, top: int) -> None:
    G, degrees = normalised(random_weights(seed))
    exact = exact_resolvent(G, damping=1 - teleport).toarray()
    found = push_resolvent(G, degrees, damping=1 - teleport, top=top, epsilon=1e-13)
    expected = np.zeros_like(exact)
    columns = top_of_rows(snap(exact), top, always=np.arange(len(exact)))
    np.put_along_axis(expected, columns, np.take_along_axis(exact, columns, 1), axis=1)
    # Weights are random: entries tie in hardly any graph, and where they do the sums are equal.
    np.testing.assert_allclose(found.sum(axis=1), expected.sum(axis=1), rtol=0, atol=1e-8)
    assert np.diff(found.indptr).max() <= top


def test_the_degrees_may_be_any_multiple_and_the_bound_is_in_these() -> None:
    G, degrees = normalised(random_weights(1))
    once = push_resolvent(G, degrees, damping=0.8, top=9, epsilon=1e-3)
    # A power of two, so that no number is rounded otherwise.
    again = push_resolvent(G, 4 * degrees, damping=0.8, top=9, epsilon=1e-3 / 4)
    assert same_bits(once, again)


def test_two_joined_nodes_after_one_push_by_hand() -> None:
    # P = [[1, 1], [1, 1]] / 2, alpha = 1/2: of a residual 1/2 / (1 - 1/4) = 2/3 stays, and 1/3
    # goes on. So y = (2/3, 0) / d after one push and r = (0, 1/3) / d, of which 2/3 stays again.
    G, degrees = normalised(csr_array(np.ones((2, 2))))
    found = push_resolvent(G, degrees, damping=0.5, top=2, epsilon=1.0)
    np.testing.assert_allclose(found.toarray(), [[2 / 3, 2 / 9], [2 / 9, 2 / 3]], rtol=1e-14)


def test_a_node_keeps_itself_and_its_neighbours_are_told_apart_however_large_epsilon() -> None:
    # The hub's residual is below epsilon at once. Leaf 3 hangs on a heavier edge.
    W = np.eye(9)
    W[0, :] = W[:, 0] = 1
    W[0, 3] = W[3, 0] = 2
    G, degrees = normalised(csr_array(W))
    found = push_resolvent(G, degrees, damping=0.8, top=2, epsilon=10.0)
    np.testing.assert_array_equal(found.indices[:2], [0, 3])
    assert found.diagonal().min() >= 0.2


def test_without_damping_a_node_has_only_itself() -> None:
    G, degrees = normalised(random_weights(0))
    found = push_resolvent(G, degrees, damping=0.0, top=5, epsilon=1e-6)
    np.testing.assert_array_equal(found.indices, np.arange(len(degrees)))
    np.testing.assert_allclose(found.data, 1.0, rtol=1e-14)


def test_of_equal_entries_the_lower_column_is_kept() -> None:
    G, degrees = normalised(csr_array(np.ones((6, 6))))
    for epsilon in (1.0, 1e-2, 1e-12):
        found = push_resolvent(G, degrees, damping=0.8, top=3, epsilon=epsilon)
        expected = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5]]
        np.testing.assert_array_equal(found.indices.reshape(6, 3), expected)


def test_numbering_the_nodes_otherwise_gives_the_same_entries() -> None:
    W = random_weights(5, n=60)
    order = np.random.default_rng(0).permutation(60)
    found, moved = (
        push_resolvent(*normalised(each), damping=0.9, top=60, epsilon=1e-2).toarray()
        for each in (W, csr_array(W[order][:, order]))
    )
    np.testing.assert_allclose(moved, found[order][:, order], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("top", [1, 2, 3, 7, 8, 50])
def test_the_heap_holds_the_largest_keys(top: int) -> None:
    rng = np.random.default_rng(top)
    for _ in range(20):
        keys = rng.permutation(40).astype(np.int64)[: int(rng.integers(1, 41))]
        np.testing.assert_array_equal(np.sort(push._largest(keys, top)), np.sort(keys)[-top:])


def test_compiled_and_interpreted_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    G, degrees = normalised(random_weights(2))
    arguments: dict[str, Any] = {"damping": 0.8, "top": 6, "epsilon": 1e-3}
    compiled = push_resolvent(G, degrees, **arguments)
    monkeypatch.setattr(push, "_compiled", lambda: push.push_nodes_by(lambda function: function))
    assert same_bits(push_resolvent(G, degrees, **arguments), compiled)


def test_neither_threads_nor_blocks_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    G, degrees = normalised(random_weights(3, n=200))
    results = []
    for n_threads, n_nodes in ((1, 512), (1, 7), (4, 7), (4, 1)):
        monkeypatch.setattr(torch, "get_num_threads", lambda n=n_threads: n)
        monkeypatch.setattr(push, "BLOCK_NODES", n_nodes)
        results.append(push_resolvent(G, degrees, damping=0.9, top=8, epsilon=1e-3))
    assert all(same_bits(results[0], other) for other in results[1:])


def test_a_row_does_not_depend_on_what_is_far_away() -> None:
    small, large = (
        push_resolvent(*normalised(ring(n)), damping=0.8, top=20, epsilon=1e-4)[[n // 2]]
        for n in (100, 5_000)
    )
    np.testing.assert_array_equal(large.indices - 2_500, small.indices - 50)
    assert large.data.tobytes() == small.data.tobytes()


class CountedReads:
    """The columns of a matrix, and how often one was read."""

    def __init__(self, columns: Any) -> None:
        self.columns, self.n_reads = columns, 0

    def __getitem__(self, at: int) -> Any:
        self.n_reads += 1
        return self.columns[at]


@pytest.mark.parametrize(("teleport", "epsilon"), [(0.05, 1e-2), (0.2, 1e-3)])
def test_a_push_reads_no_more_entries_than_its_cost_allows(teleport: float, epsilon: float) -> None:
    G, degrees = normalised(random_weights(7, weighted=False))
    walk = push._walk(G, degrees, damping=1 - teleport, epsilon=epsilon)
    shares = []
    for node in range(len(degrees)):
        counted: Any = CountedReads(walk.indices)
        push._push(node, walk._replace(indices=counted), push._scratch(len(degrees)))
        allowed = degrees[node] + 1 / (teleport * epsilon)
        shares.append(counted.n_reads / allowed)
    assert 0.1 < max(shares) < 1


def test_columns_are_sorted_and_nodes_that_are_not_joined_are_absent() -> None:
    G, degrees = normalised(random_weights(4))
    found = push_resolvent(G, degrees, damping=0.8, top=30, epsilon=1e-6)
    assert found.has_canonical_format
    assert found.dtype == np.float64
    assert found[:20, 20:].nnz == 0
    assert (found.data > 0).all()


def test_a_read_only_matrix_is_left_as_it_is() -> None:
    G = eye_array(5, format="csr")
    for part in (G.data, G.indices, G.indptr):
        part.setflags(write=False)
    found = push_resolvent(G, np.ones(5), damping=0.8, top=2, epsilon=1e-3)
    np.testing.assert_allclose(found.toarray(), np.eye(5), rtol=1e-14)


def test_without_numba_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(push, "_compiled", push._compiled.__wrapped__)  # not the one kept
    with pytest.raises(MissingExtraError, match=r"pip install 'compact-gsl\[scale\]'"):
        push_resolvent(*normalised(ring(5)), damping=0.8, top=2, epsilon=1e-3)
