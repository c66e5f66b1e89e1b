"""Wiki-CS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cogsl.datasets.base import Split, Statistics
from cogsl.datasets.download import fetch_with_pyg
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset

if TYPE_CHECKING:
    from cogsl.graph import Features


class WikiCS(FileDataset):
    """Wikipedia articles on ten branches of computer science, joined by links.

    From "Wiki-CS: A Wikipedia-Based Benchmark for Graph Neural Networks" (Mernyei and Cangea,
    2020). These figures are taken from publications:

    - 11,701 nodes
    - 215,603 edges; the authors' 216,123 include self-loops, the paper's 291,039 is another count
    - 300 features, the mean of the words' GloVe vectors, left as they are
    - 10 classes, homophily 0.65
    - split by seed: 20 training nodes a class, so 200/500/1,000, as in the paper

    Of the 20 official splits, which share their test nodes, ``split_seed`` chooses one.
    """

    name = "wikics"
    title = "Wiki-CS"
    file = "wikics.npz"
    sources = ("https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json",)
    raw_files = ("data.json",)
    has_official_split = True
    balanced = True
    statistics = Statistics(
        nodes=11701,
        edges=215603,
        features=300,
        classes=10,
        homophily=0.65,
        train=200,
        val=500,
        test=1000,
    )

    def fetch(self, folder: Path) -> Path:
        """Download ``data.json``."""
        return fetch_with_pyg("WikiCS", folder, is_undirected=True)

    def convert(self, folder: Path) -> Archive:
        """Turn ``data.json`` into an archive."""
        with (folder / self.raw_files[0]).open(encoding="utf-8") as stream:
            data = json.load(stream)
        links = data["links"]  # for each article, those that it links to
        source = np.repeat(np.arange(len(links)), [len(targets) for targets in links])
        target = np.array([node for targets in links for node in targets], dtype=np.int64)
        masks = {key: np.array(data[key], dtype=bool) for key in ("train_masks", "val_masks")}
        return {
            "edge_index": np.stack([source, target]),
            "x": np.array(data["features"], dtype=np.float32),
            "y": np.array(data["labels"], dtype=np.int64),
            "test_mask": np.array(data["test_mask"], dtype=bool),
            **masks,
        }

    def prepare_features(self, archive: Archive) -> Features:
        """Return the features as they are."""
        return archive["x"]

    def official_split(self, archive: Archive, split_seed: int) -> Split:
        """Return official split number ``split_seed`` (modulo their number)."""
        train, val = archive["train_masks"], archive["val_masks"]
        number = split_seed % len(train)
        return train[number], val[number], archive["test_mask"]
