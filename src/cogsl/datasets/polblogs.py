"""Polblogs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from cogsl.datasets.base import Statistics
from cogsl.datasets.download import edge_index_of, fetch_address, read_benchmark_archive
from cogsl.datasets.files import Archive
from cogsl.datasets.on_disk import FileDataset
from cogsl.datasets.preparation import csr_from_parts

if TYPE_CHECKING:
    from cogsl.graph import Features

N_SOURCE_NODES = 1490


class Polblogs(FileDataset):
    """Political blogs of the year 2004, liberal or conservative, joined by links.

    The largest connected component of 1,490 blogs. A blog has no features of its own: it is
    described by its identity vector, one of 1,490. PyTorch Geometric has neither this component
    nor the split, so both come from their upstream addresses.

    - 1,222 nodes
    - 16,714 edges; the paper's 33,428 are both directions
    - 1,490 features
    - 2 classes, homophily 0.906
    - official split 121/123/978, that of Pro-GNN
    """

    name = "polblogs"
    title = "Polblogs"
    file = "polblogs.npz"
    sources = (
        "https://raw.githubusercontent.com/danielzuegner/gnn-meta-attack/master/data/polblogs.npz",
        "https://raw.githubusercontent.com/ChandlerBang/Pro-GNN/master/splits/"
        "polblogs_prognn_splits.json",
    )
    raw_files = ("polblogs.npz", "polblogs_prognn_splits.json")
    has_official_split = True
    default_split = "official"
    statistics = Statistics(
        nodes=1222,
        edges=16714,
        features=N_SOURCE_NODES,
        classes=2,
        homophily=0.906,
        train=121,
        val=123,
        test=978,
    )

    def fetch(self, folder: Path) -> Path:
        """Download the graph and the split."""
        for address, name in zip(self.sources, self.raw_files, strict=True):
            fetch_address(address, folder / name)
        return folder

    def convert(self, folder: Path) -> Archive:
        """Keep the largest connected component, whose nodes the split counts from 0."""
        graph, split = (folder / name for name in self.raw_files)
        stored = read_benchmark_archive(graph)
        adjacency = csr_from_parts(stored, "adj")
        component = connected_components(adjacency, directed=False)[1]
        nodes = np.flatnonzero(component == np.bincount(component).argmax())
        parts = json.loads(split.read_text())
        indices = {
            f"{part}_index": np.array(parts[f"idx_{part}"], dtype=np.int64)
            for part in ("train", "val", "test")
        }
        return {
            "edge_index": edge_index_of(adjacency[nodes][:, nodes]),
            "y": stored["labels"][nodes].astype(np.int64),
            "node_ids": nodes,
            **indices,
        }

    def prepare_features(self, archive: Archive) -> Features:
        """Return each node's identity vector among all source nodes."""
        nodes = archive["node_ids"]
        return csr_array(
            (np.ones(len(nodes), dtype=np.float32), nodes, np.arange(len(nodes) + 1)),
            shape=(len(nodes), N_SOURCE_NODES),
        )
