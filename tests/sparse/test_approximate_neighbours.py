from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.sparse import csr_array, eye_array

from cogsl.errors import InputError, MissingExtraError
from cogsl.graph import Graph
from cogsl.sparse import neighbours
from cogsl.sparse.approximate_neighbours import (
    WIDTH,
    approximate_cosine_neighbours,
    reduced_rows,
)
from cogsl.sparse.neighbours import (
    DenseRows,
    cosine_neighbours,
    nearest_neighbours,
    similarities_of,
)
from cogsl.views import KNN
from tests.views.graphs import generator

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]


def clustered(n: int, width: int = 16, *, seed: int = 0) -> FloatArray:
    """Return n points around 20 centres."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(20, width))
    points = centres[rng.integers(20, size=n)] + 0.5 * rng.normal(size=(n, width))
    return points.astype(np.float32)


def words(n: int, width: int = 400, *, seed: int = 0) -> csr_array:
    """Return bags of about 20 words; each of 10 topics has 60 words of its own."""
    rng = np.random.default_rng(seed)
    row = np.repeat(np.arange(n), 20)
    topic = rng.integers(10, size=n)[row] * 35
    col = np.where(rng.random(20 * n) < 0.8, topic + rng.integers(60, size=20 * n), -1)
    col = np.where(col < 0, rng.integers(width, size=20 * n), col % width)
    bags = csr_array((np.ones(20 * n, dtype=np.float32), (row, col)), shape=(n, width))
    bags.sum_duplicates()
    return bags


def recall(found: csr_array, exact: csr_array) -> float:
    """Return the share of the exact neighbours that were found, a node itself not counted."""
    n = found.shape[0]
    return float((found.multiply(exact).sum() - n) / (exact.nnz - n))


@contextmanager
def threads(number: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def assert_form(found: csr_array, n: int, k: int) -> None:
    assert found.shape == (n, n)
    assert found.dtype == np.float32
    assert found.has_canonical_format
    np.testing.assert_array_equal(np.diff(found.indptr), min(k, n))
    np.testing.assert_array_equal(found.data, 1.0)
    np.testing.assert_array_equal(found.diagonal(), 1.0)


@pytest.mark.parametrize("k", [2, 20])
@pytest.mark.parametrize("width", [16, WIDTH + 72])
def test_most_neighbours_of_clustered_points_are_found(k: int, width: int) -> None:
    features = clustered(3000, width)
    found = approximate_cosine_neighbours(features, k)
    assert_form(found, 3000, k)
    assert recall(found, cosine_neighbours(features, k)) >= 0.95


def test_most_neighbours_of_bags_of_words_are_found() -> None:
    features = words(3000)
    found = approximate_cosine_neighbours(features, 10)
    assert_form(found, 3000, 10)
    assert recall(found, cosine_neighbours(features, 10)) >= 0.95


def test_not_all_pairs_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    between = DenseRows.between

    def counted(self: DenseRows, rows: IntArray, columns: IntArray) -> npt.NDArray[np.float64]:
        sizes.append(len(rows) * len(columns))
        return between(self, rows, columns)

    monkeypatch.setattr(DenseRows, "between", counted)
    approximate_cosine_neighbours(clustered(3000), 5)
    assert 0 < sum(sizes) < 0.25 * 3000**2


def test_more_recall_finds_more_and_all_of_it_everything() -> None:
    features = np.random.default_rng(0).normal(size=(1500, 12)).astype(np.float32)
    exact = cosine_neighbours(features, 8)
    some, more = (
        recall(approximate_cosine_neighbours(features, 8, recall=r), exact) for r in (0.5, 0.9)
    )
    assert 0.3 < some < more < 1.0
    most = recall(approximate_cosine_neighbours(features, 8, recall=1.0), exact)
    assert most > 0.999


def test_sparse_and_dense_features_find_the_same_neighbours() -> None:
    for sparse in (words(2000), words(2000, width=100)):
        dense = sparse.toarray()
        one, two = (approximate_cosine_neighbours(x, 10) for x in (sparse, dense))
        exact = cosine_neighbours(sparse, 10)
        assert min(recall(one, exact), recall(two, exact)) >= 0.95
        assert recall(one, two) >= 0.95


@pytest.mark.parametrize("form", ["dense", "wide", "sparse"])
def test_the_same_bits_whatever_the_number_of_threads_and_however_often(form: str) -> None:
    sizes = {"dense": 16, "wide": 2 * WIDTH}
    features = words(5000) if form == "sparse" else clustered(5000, sizes[form])
    results = []
    for number in (1, 2, 1):
        with threads(number):
            results.append(approximate_cosine_neighbours(features, 7))
            assert torch.get_num_threads() == number
    for other in results[1:]:
        np.testing.assert_array_equal(other.indices, results[0].indices)


def test_faiss_keeps_its_number_of_threads_and_numpy_its_random_state() -> None:
    import faiss

    before, state = faiss.omp_get_max_threads(), repr(np.random.get_state())  # noqa: NPY002
    approximate_cosine_neighbours(clustered(500), 5)
    assert faiss.omp_get_max_threads() == before
    assert repr(np.random.get_state()) == state  # noqa: NPY002


@pytest.mark.parametrize("sparse", [False, True])
def test_a_zero_row_has_itself_and_the_lowest_indices_as_in_the_exact_search(sparse: bool) -> None:
    features = clustered(800)
    zeros = np.array([0, 3, 17, 400, 799])
    features[zeros] = 0
    given = csr_array(features) if sparse else features
    found, exact = approximate_cosine_neighbours(given, 5), cosine_neighbours(given, 5)
    assert_form(found, 800, 5)
    np.testing.assert_array_equal(found[zeros].toarray(), exact[zeros].toarray())
    assert recall(found, exact) >= 0.95


@pytest.mark.parametrize("n_others", [0, 1, 3])
def test_hardly_anything_but_zero_rows_gives_the_exact_neighbours(n_others: int) -> None:
    features = np.zeros((50, 4), dtype=np.float32)
    features[10 : 10 + n_others] = 1
    found = approximate_cosine_neighbours(features, 6)
    np.testing.assert_array_equal(found.toarray(), cosine_neighbours(features, 6).toarray())


def test_duplicates_come_first_and_the_lower_index_wins() -> None:
    features = clustered(600)
    copies = np.array([5, 100, 101, 350, 599])
    features[copies] = features[5] * np.array([[1], [2], [0.5], [4], [8]])
    found = approximate_cosine_neighbours(features, 3)
    exact = cosine_neighbours(features, 3)
    np.testing.assert_array_equal(found[copies].toarray(), exact[copies].toarray())
    np.testing.assert_array_equal(found[[599]].indices, [5, 100, 599])


def test_rows_that_are_all_equal_leave_the_lowest_indices() -> None:
    features = np.ones((300, 3), dtype=np.float32)
    found = approximate_cosine_neighbours(features, 4)
    np.testing.assert_array_equal(found.indices, cosine_neighbours(features, 4).indices)


def test_identity_features_that_have_no_likeness_still_give_k_neighbours() -> None:
    features = csr_array(eye_array(700, dtype=np.float32))
    assert_form(approximate_cosine_neighbours(features, 6), 700, 6)


def test_rows_that_the_reduction_loses_are_spread() -> None:
    # The last 1,000 rows have a word of their own; that of some is in no row of the sample.
    n, n_common = 10_000, 9_000
    col = np.where(np.arange(n) < n_common, np.arange(n) % 200, np.arange(n) - n_common + 200)
    features = csr_array((np.ones(n, dtype=np.float32), (np.arange(n), col)), shape=(n, 1200))
    rows = reduced_rows(similarities_of(features), 1200, 1 << 20)
    assert rows.shape == (n, WIDTH)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    assert len(np.unique(rows[n_common:], axis=0)) == n - n_common


@pytest.mark.parametrize("k", [39, 40, 41, 1000])
def test_k_near_the_number_of_nodes_gives_the_exact_neighbours(k: int) -> None:
    features = clustered(40)
    found = approximate_cosine_neighbours(features, k)
    np.testing.assert_array_equal(found.toarray(), cosine_neighbours(features, k).toarray())


def test_small_blocks_give_the_same_neighbours() -> None:
    for features in (clustered(400), words(400)):
        whole = approximate_cosine_neighbours(features, 5)
        by_row = approximate_cosine_neighbours(features, 5, block_bytes=1 << 12)
        np.testing.assert_array_equal(by_row.indices, whole.indices)


@pytest.mark.parametrize("width", [100, 20_000])
def test_similarities_between_some_rows_are_those_of_the_block(width: int) -> None:
    features = words(300, width)
    rows, columns = np.array([3, 4, 299, 7, 0, 150, 20]), np.arange(299, 0, -7)
    for form in (features, features.toarray()):
        similarities = similarities_of(form, 1 << 12)
        expected = similarities.block(rows)[:, columns]
        np.testing.assert_allclose(similarities.between(rows, columns), expected, atol=1e-12)


def test_features_are_not_altered() -> None:
    dense, sparse = clustered(200), words(200)
    for array in (dense, sparse.data, sparse.indices, sparse.indptr):
        array.setflags(write=False)
    approximate_cosine_neighbours(dense, 3)
    approximate_cosine_neighbours(sparse, 3)


@pytest.mark.parametrize("wrong", [0.0, 1.5, float("nan")])
def test_an_impossible_recall_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match=r"'recall' parameter .* above 0 and at most 1. Got"):
        approximate_cosine_neighbours(clustered(50), 2, recall=wrong)


def test_no_neighbours_at_all_are_refused() -> None:
    with pytest.raises(InputError, match=r"'k' parameter .* must be >= 1. Got 0"):
        approximate_cosine_neighbours(clustered(50), 0)


# The choice between the two -----------------------------------------------------------------------


def test_up_to_the_limit_the_search_is_exact_and_needs_no_faiss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setattr(neighbours, "EXACT_NODES", 300)
    features = clustered(300)
    expected = cosine_neighbours(features, 5)
    np.testing.assert_array_equal(nearest_neighbours(features, 5).indices, expected.indices)


def test_beyond_the_limit_view_and_graph_are_approximate_and_say_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(neighbours, "EXACT_NODES", 299)
    features = clustered(300)
    expected = approximate_cosine_neighbours(features, 5)
    with caplog.at_level(logging.INFO, logger="cogsl"):
        graph = Graph.from_features(features, neighbours=5)
    assert "More than 299 nodes (300): neighbours are approximate." in caplog.text
    assert graph.n_edges == (((expected + expected.T) > 0).sum() - 300) / 2
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="cogsl"):
        view = KNN(knn_neighbours=5).build(graph, generator=generator())
    assert "neighbours are approximate" in caplog.text
    np.testing.assert_array_equal(view.matrix.indices, expected.indices)


def test_without_faiss_the_error_says_that_nothing_else_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setattr(neighbours, "EXACT_NODES", 299)
    with pytest.raises(MissingExtraError, match=r"300 nodes .*nothing else is wrong.*'faiss'"):
        nearest_neighbours(clustered(300), 5)
