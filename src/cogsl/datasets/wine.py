"""Wine."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.embedded import EmbeddedDataset


class Wine(EmbeddedDataset):
    """Wines of three growers, joined where their chemistry is alike.

    - 178 nodes
    - 2,186 edges; the paper's 3,560 are the 20 entries of each row before it is made symmetric
    - 13 features, columns standardised
    - 3 classes, homophily 0.892
    - split by seed: 10/20/148, each class in its share
    """

    name = "wine"
    title = "Wine"
    loader = "load_wine"
    neighbours = 20
    statistics = Statistics(
        nodes=178, edges=2186, features=13, classes=3, homophily=0.892, train=10, val=20, test=148
    )
