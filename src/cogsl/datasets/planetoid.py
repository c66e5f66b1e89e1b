"""The citation networks of Planetoid, which share files of one form."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from cogsl.datasets.download import fetch_with_pyg
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset
from cogsl.datasets.preparation import parts_from_csr


class PlanetoidDataset(FileDataset):
    """A citation network with Planetoid's split: 20 training nodes a class, 500 and 1,000 more.

    From "Revisiting Semi-Supervised Learning with Graph Embeddings" (Yang et al., ICML 2016).
    The files upstream are pickles: PyTorch Geometric's reader reads them, right after it has
    downloaded them, and never we; therefore they are not looked for on disk.
    """

    has_official_split = True
    default_split = "official"
    balanced = True
    sources = ("https://github.com/kimiyoung/planetoid/tree/master/data",)
    pyg_name: ClassVar[str]

    def fetch(self, folder: Path) -> Path:
        """Download the eight files."""
        return fetch_with_pyg("Planetoid", folder, name=self.pyg_name)

    def convert(self, folder: Path) -> Archive:
        """Turn the eight files into an archive."""
        from torch_geometric.io import read_planetoid_data

        data = read_planetoid_data(str(folder), self.pyg_name)
        test = data.test_mask.numpy()
        # Nodes among the test nodes that are none of them have neither features nor a label.
        unlabelled = np.flatnonzero(~test & (np.arange(len(test)) >= test.argmax()))
        masks = {f"{part}_mask": data[f"{part}_mask"].numpy() for part in ("train", "val", "test")}
        return {
            "edge_index": data.edge_index.numpy(),
            "y": data.y.numpy(),
            "unlabelled": unlabelled,
            **masks,
            **parts_from_csr(csr_array(data.x.numpy())),
        }
