"""Pubmed."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.planetoid import PlanetoidDataset


class Pubmed(PlanetoidDataset):
    """Papers on three kinds of diabetes, joined where one cites the other.

    - 19,717 nodes
    - 44,324 edges
    - 500 features, TF-IDF weights of words, divided by their sum
    - 3 classes, homophily 0.802
    - official split 60/500/1,000
    """

    name = "pubmed"
    title = "Pubmed"
    pyg_name = "PubMed"
    file = "pubmed.npz"
    statistics = Statistics(
        nodes=19717,
        edges=44324,
        features=500,
        classes=3,
        homophily=0.802,
        train=60,
        val=500,
        test=1000,
    )
