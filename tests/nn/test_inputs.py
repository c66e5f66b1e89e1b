from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from cogsl.graph import Features
from cogsl.nn import FeatureMatrix, dropped_features, feature_matrix, row_length
from cogsl.sparse import SparseMatrix

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]], dtype=np.float32)
W = [[1.0, -1.0], [10.0, 0.5]]
XW = [[1.0, -1.0], [20.0, 1.0], [3.0, -3.0]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dense_and_sparse_features_give_the_same_product(dtype: torch.dtype) -> None:
    weight = torch.tensor(W, dtype=dtype)
    dense, sparse = feature_matrix(X, dtype), feature_matrix(csr_array(X), dtype)
    assert isinstance(dense, Tensor)
    assert isinstance(sparse, SparseMatrix)
    for features in (dense, sparse):
        product = features @ weight
        assert product.dtype == dtype
        assert product.tolist() == XW


def test_sparse_features_stay_sparse() -> None:
    features = feature_matrix(csr_array(X), torch.float32)
    assert isinstance(features, SparseMatrix)
    assert features.values.tolist() == [1.0, 2.0, 3.0]


def test_unsorted_columns_are_sorted() -> None:
    unsorted = csr_array(
        (np.array([5.0, 7.0], dtype=np.float32), np.array([1, 0]), np.array([0, 2])), shape=(1, 2)
    )
    product = feature_matrix(unsorted, torch.float32) @ torch.tensor([[1.0], [100.0]])
    assert product.tolist() == [[507.0]]


@pytest.mark.parametrize("sparse", [False, True])
def test_read_only_features_are_copied_and_need_no_gradient(sparse: bool) -> None:
    frozen = X.copy()
    frozen.setflags(write=False)
    features = feature_matrix(csr_array(frozen) if sparse else frozen, torch.float32)
    numbers = features.values if isinstance(features, SparseMatrix) else features
    assert not numbers.requires_grad
    numbers.zero_()
    assert np.array_equal(frozen, X)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_row_length_by_hand(kind: Callable[[np.ndarray], Features]) -> None:
    # Squared lengths 25, 0 and 2: their mean is 9.
    features = kind(np.array([[3.0, 4.0], [0.0, 0.0], [-1.0, 1.0]]))
    assert row_length(features) == 3.0


@pytest.mark.parametrize("sparse", [False, True])
def test_dropped_features_are_zero_or_scaled_and_absent_ones_stay_absent(sparse: bool) -> None:
    dense = torch.eye(200) * 3.0
    given: FeatureMatrix = dense
    if sparse:
        given = SparseMatrix.from_scipy(csr_array(dense.numpy()), torch.float32)
    dropped = dropped_features(given, 0.25, generator=torch.Generator().manual_seed(0))
    found = dropped @ torch.eye(200)
    assert set(found.diagonal().tolist()) == {0.0, 4.0}
    assert 100 < int((found > 0).sum()) < 190
    assert float(found.sum()) == float(found.diagonal().sum())


def test_without_a_generator_or_a_rate_features_are_left_alone() -> None:
    features = torch.ones(2, 2)
    assert dropped_features(features, 0.5, generator=None) is features
    assert dropped_features(features, 0.0, generator=torch.Generator()) is features
