"""BlogCatalog."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, load_npz

from cogsl.datasets.base import Statistics
from cogsl.datasets.download import fetch_with_pyg
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset
from cogsl.datasets.preparation import parts_from_csr


class BlogCatalog(FileDataset):
    """Bloggers by the category of their blog, joined where one follows the other.

    Most edges join unlike nodes.

    - 5,196 nodes
    - 171,743 edges
    - 8,189 features, how often a blogger uses a keyword, divided by their sum
    - 6 classes, homophily 0.401
    - split by seed: 20 training nodes a class, so 120/500/1,000
    """

    name = "blogcatalog"
    title = "BlogCatalog"
    file = "blogcatalog.npz"
    sources = (
        "https://drive.usercontent.google.com/download?id=178PqGqh67RUYMMP6-SoRHDoIBh8ku5FS",
    )
    raw_files = ("attrs.npz", "edgelist.txt", "labels.txt")
    balanced = True
    statistics = Statistics(
        nodes=5196,
        edges=171743,
        features=8189,
        classes=6,
        homophily=0.401,
        train=120,
        val=500,
        test=1000,
    )

    def fetch(self, folder: Path) -> Path:
        """Download and unpack the three files."""
        return fetch_with_pyg("AttributedGraphDataset", folder, name="BlogCatalog")

    def convert(self, folder: Path) -> Archive:
        """Turn the three files into an archive; a line of labels is a node and its class from 1."""
        attributes, edges, labels = (folder / name for name in self.raw_files)
        pairs = np.array(edges.read_text().replace(",", " ").split(), dtype=np.int64)
        return {
            "edge_index": pairs.reshape(-1, 2).T,
            "y": np.loadtxt(labels, dtype=np.int64, ndmin=2)[:, 1] - 1,
            **parts_from_csr(csr_array(load_npz(attributes))),
        }
