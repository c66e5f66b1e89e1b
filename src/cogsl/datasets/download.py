"""Fetching what data sets are made of: PyTorch Geometric's classes know where most of it is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.datasets.files import Archive
from cogsl.datasets.preparation import csr_from_parts, parts_from_csr


def fetch_with_pyg(dataset: str, folder: Path, **arguments: Any) -> Path:
    """Let a PyTorch Geometric data set class download its raw files; return where they are.

    The class is stopped before it reads them: its processing makes sparse features dense and
    keeps what it made in a pickle.
    """
    from torch_geometric import datasets

    downloader = type(
        dataset,
        (getattr(datasets, dataset),),
        {"_process": lambda self: None, "load": lambda self, *args, **kwargs: None},
    )
    return Path(downloader(str(folder), **arguments).raw_dir)


def fetch_address(address: str, path: Path) -> None:
    """Download one file."""
    with urlopen(address, timeout=60) as response, path.open("wb") as stream:
        shutil.copyfileobj(response, stream)


def read_benchmark_archive(path: Path) -> Archive:
    """Read an archive in the form of gnn-benchmark: ``adj_*``, ``attr_*`` if any, ``labels``.

    Names of nodes and classes, which such archives hold as pickled objects, are left alone.
    """
    parts = ("data", "indices", "indptr", "shape")
    wanted = {"labels", *(f"{prefix}_{part}" for prefix in ("adj", "attr") for part in parts)}
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files if key in wanted}


def convert_benchmark_archive(path: Path) -> Archive:
    """Turn an archive in the form of gnn-benchmark into one of ours."""
    stored = read_benchmark_archive(path)
    return {
        "edge_index": edge_index_of(csr_from_parts(stored, "adj")),
        "y": stored["labels"].astype(np.int64),
        **parts_from_csr(csr_from_parts(stored, "attr")),
    }


def edge_index_of(adjacency: csr_array) -> npt.NDArray[np.int64]:
    """Return the positions of a matrix's entries, 2 x E."""
    return np.stack(adjacency.nonzero()).astype(np.int64)
