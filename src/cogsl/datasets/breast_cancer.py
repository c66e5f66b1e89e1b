"""Breast Cancer."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.embedded import EmbeddedDataset


class BreastCancer(EmbeddedDataset):
    """Tumours, malignant or benign, joined where their cell nuclei are alike.

    - 569 nodes
    - 15,153 edges; the paper's 22,760 are the 40 entries of each row before it is made symmetric
    - 30 features, columns standardised
    - 2 classes, homophily 0.919
    - split by seed: 10/20/539, each class in its share
    """

    name = "breast_cancer"
    title = "Cancer"
    loader = "load_breast_cancer"
    neighbours = 40
    statistics = Statistics(
        nodes=569, edges=15153, features=30, classes=2, homophily=0.919, train=10, val=20, test=539
    )
