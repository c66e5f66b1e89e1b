"""A graph's features as something that can be multiplied with a weight."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from cogsl.graph import Features
from cogsl.sparse import SparseMatrix

FeatureMatrix = Tensor | SparseMatrix


def row_length(features: FeatureMatrix) -> float:
    """Return the root mean square of the rows' lengths."""
    values = features if isinstance(features, Tensor) else features.values
    return math.sqrt(float(values.double().square().sum()) / features.shape[0])


def feature_matrix(features: Features, dtype: torch.dtype) -> FeatureMatrix:
    """Return features as a tensor or, where they are sparse, as a constant sparse matrix."""
    if isinstance(features, np.ndarray):
        return torch.tensor(features, dtype=dtype)
    return SparseMatrix.from_scipy(features, dtype)
