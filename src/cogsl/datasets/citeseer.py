"""Citeseer."""

from __future__ import annotations

from cogsl.datasets.base import Statistics
from cogsl.datasets.planetoid import PlanetoidDataset


class Citeseer(PlanetoidDataset):
    """Scientific papers of six fields, joined where one cites the other.

    - 3,327 nodes, of which 48 are isolated and 15 others have neither features nor a label
    - 4,552 edges; the paper's 9,228 are both directions of these and 124 self-loops
    - 3,703 features, which words a paper uses, divided by their number
    - 6 classes, homophily 0.738
    - official split 120/500/1,000
    """

    name = "citeseer"
    title = "Citeseer"
    pyg_name = "CiteSeer"
    file = "citeseer.npz"
    statistics = Statistics(
        nodes=3327,
        edges=4552,
        features=3703,
        classes=6,
        homophily=0.738,
        train=120,
        val=500,
        test=1000,
    )
