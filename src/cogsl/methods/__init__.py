"""The methods, by the name that the command line knows them by."""

from cogsl.methods.base import NodeClassifier
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.gcn import GCN

METHODS: dict[str, type[NodeClassifier]] = {"cogsl": CoGSL, "gcn": GCN}

__all__ = ["GCN", "METHODS", "CoGSL", "NodeClassifier"]
