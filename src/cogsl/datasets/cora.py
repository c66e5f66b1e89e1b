"""Cora."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.planetoid import PlanetoidDataset


class Cora(PlanetoidDataset):
    """Machine learning papers of seven topics, joined where one cites the other.

    - 2,708 nodes
    - 5,278 edges
    - 1,433 features, which words a paper uses, divided by their number
    - 7 classes, homophily 0.810
    - official split 140/500/1,000
    """

    name = "cora"
    title = "Cora"
    pyg_name = "Cora"
    file = "cora.npz"
    statistics = Statistics(
        nodes=2708,
        edges=5278,
        features=1433,
        classes=7,
        homophily=0.810,
        train=140,
        val=500,
        test=1000,
    )
