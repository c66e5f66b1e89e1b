"""MS Academic, known as Coauthor CS, too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cogsl.datasets.base import Statistics
from cogsl.datasets.download import convert_benchmark_archive, fetch_with_pyg
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset
from cogsl.datasets.preparation import binary, csr_from_parts, row_normalise

if TYPE_CHECKING:
    from cogsl.graph import Features


class MSAcademic(FileDataset):
    """Computer scientists by field, joined where they wrote a paper together.

    - 18,333 nodes
    - 81,894 edges; the paper's 163,788 are both directions
    - 6,805 features, which keywords an author's papers have, divided by their number
    - 15 classes, homophily 0.808
    - split by seed: 20 training nodes a class, so 300/500/1,000
    """

    name = "ms_academic"
    title = "MS Academic"
    file = "coauthor_cs.npz"
    sources = ("https://github.com/shchur/gnn-benchmark/raw/master/data/npz/ms_academic_cs.npz",)
    raw_files = ("ms_academic_cs.npz",)
    balanced = True
    statistics = Statistics(
        nodes=18333,
        edges=81894,
        features=6805,
        classes=15,
        homophily=0.808,
        train=300,
        val=500,
        test=1000,
    )

    def fetch(self, folder: Path) -> Path:
        """Download the archive of gnn-benchmark."""
        return fetch_with_pyg("Coauthor", folder, name="CS")

    def convert(self, folder: Path) -> Archive:
        """Turn it into one of ours."""
        return convert_benchmark_archive(folder / self.raw_files[0])

    def prepare_features(self, archive: Archive) -> Features:
        """Return which keywords there are, not how often."""
        return row_normalise(binary(csr_from_parts(archive)))
