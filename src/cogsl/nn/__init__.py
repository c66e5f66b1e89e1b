"""Layers without loss or loop."""

from cogsl.nn.functions import prelu, unit_rows
from cogsl.nn.gcn import (
    ACTIVATIONS,
    FEW,
    GCNClassifier,
    Propagated,
    graph_convolution,
)
from cogsl.nn.init import dropout, glorot
from cogsl.nn.inputs import FeatureMatrix, feature_matrix, feature_rows, row_length

__all__ = [
    "ACTIVATIONS",
    "FEW",
    "FeatureMatrix",
    "GCNClassifier",
    "Propagated",
    "dropout",
    "feature_matrix",
    "feature_rows",
    "glorot",
    "graph_convolution",
    "prelu",
    "row_length",
    "unit_rows",
]
