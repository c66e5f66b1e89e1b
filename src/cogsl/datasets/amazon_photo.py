"""Amazon Photo."""

from __future__ import annotations

from pathlib import Path

from cogsl.datasets.base import Statistics
from cogsl.datasets.download import convert_benchmark_archive, fetch_with_pyg
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset


class AmazonPhoto(FileDataset):
    """Photographic goods by category, joined where they are often bought together.

    - 7,650 nodes
    - 119,081 edges; the file lists some in one direction and some in both
    - 745 features, which words the reviews use, divided by their number
    - 8 classes, homophily 0.827
    - split by seed: 20 training nodes a class, so 160/500/1,000
    """

    name = "amazon_photo"
    title = "Amazon Photo"
    file = "amazon_photo.npz"
    sources = (
        "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/amazon_electronics_photo.npz",
    )
    raw_files = ("amazon_electronics_photo.npz",)
    balanced = True
    statistics = Statistics(
        nodes=7650,
        edges=119081,
        features=745,
        classes=8,
        homophily=0.827,
        train=160,
        val=500,
        test=1000,
    )

    def fetch(self, folder: Path) -> Path:
        """Download the archive of gnn-benchmark."""
        return fetch_with_pyg("Amazon", folder, name="Photo")

    def convert(self, folder: Path) -> Archive:
        """Turn it into one of ours."""
        return convert_benchmark_archive(folder / self.raw_files[0])
