"""Layers without loss or loop."""

from cogsl.nn.functions import prelu, unit_rows
from cogsl.nn.gcn import (
    ACTIVATIONS,
    FEW,
    Convolving,
    GCNClassifier,
    Propagated,
    add_bias,
    graph_convolution,
)
from cogsl.nn.init import dropout, glorot, zeros
from cogsl.nn.inputs import (
    FeatureMatrix,
    dropped_features,
    feature_matrix,
    feature_rows,
    row_length,
)
from cogsl.nn.message_passing import FeatureProduct, MessagePassingGCN, edge_index

__all__ = [
    "ACTIVATIONS",
    "FEW",
    "Convolving",
    "FeatureMatrix",
    "FeatureProduct",
    "GCNClassifier",
    "MessagePassingGCN",
    "Propagated",
    "add_bias",
    "dropout",
    "dropped_features",
    "edge_index",
    "feature_matrix",
    "feature_rows",
    "glorot",
    "graph_convolution",
    "prelu",
    "row_length",
    "unit_rows",
    "zeros",
]
