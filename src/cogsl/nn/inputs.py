"""A graph's features as something that can be multiplied with a weight."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from cogsl.graph import Features
from cogsl.nn.init import dropout
from cogsl.sparse import SparseMatrix

FeatureMatrix = Tensor | SparseMatrix


def row_length(features: Features) -> float:
    """Return the root mean square of the rows' lengths."""
    values = features if isinstance(features, np.ndarray) else features.data
    return math.sqrt(float(np.square(values, dtype=np.float64).sum()) / features.shape[0])


def feature_rows(features: FeatureMatrix, index: Tensor) -> FeatureMatrix:
    """Return the features of some nodes."""
    if isinstance(features, Tensor):
        return features.index_select(0, index)
    return features.rows(index)


def dropped_features(
    features: FeatureMatrix, rate: float, *, generator: torch.Generator | None
) -> FeatureMatrix:
    """Return features after dropout; of sparse ones only what is stored is drawn for."""
    if generator is None or rate == 0.0:
        return features
    if isinstance(features, Tensor):
        return dropout(features, rate, generator=generator)
    return SparseMatrix(features.pattern, dropout(features.values, rate, generator=generator))


def feature_matrix(features: Features, dtype: torch.dtype) -> FeatureMatrix:
    """Return features as a tensor or, where they are sparse, as a constant sparse matrix."""
    if isinstance(features, np.ndarray):
        return torch.tensor(features, dtype=dtype)
    return SparseMatrix.from_scipy(features, dtype)
