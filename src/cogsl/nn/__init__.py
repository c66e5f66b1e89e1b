"""Layers without loss or loop."""

from cogsl.nn.gcn import GCNClassifier, Propagated, graph_convolution
from cogsl.nn.init import dropout, glorot
from cogsl.nn.inputs import FeatureMatrix, feature_matrix

__all__ = [
    "FeatureMatrix",
    "GCNClassifier",
    "Propagated",
    "dropout",
    "feature_matrix",
    "glorot",
    "graph_convolution",
]
