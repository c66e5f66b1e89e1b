"""Digits."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.embedded import EmbeddedDataset


class Digits(EmbeddedDataset):
    """Images of handwritten digits, 8 x 8, joined where they are alike.

    - 1,797 nodes
    - 27,462 edges; the paper's 43,128 are the 24 entries of each row before it is made symmetric
    - 64 features, columns standardised
    - 10 classes, homophily 0.863
    - split by seed: 50/100/1,647, each class in its share
    """

    name = "digits"
    title = "Digits"
    loader = "load_digits"
    neighbours = 24
    statistics = Statistics(
        nodes=1797,
        edges=27462,
        features=64,
        classes=10,
        homophily=0.863,
        train=50,
        val=100,
        test=1647,
    )
