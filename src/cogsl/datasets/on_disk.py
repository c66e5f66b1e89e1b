"""Data sets that are read from a file, and downloaded where there is none."""

from __future__ import annotations

import logging
import tempfile
import zipfile
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cogsl.datasets.base import Dataset, Split
from cogsl.datasets.files import (
    DATA_VARIABLE,
    Archive,
    cache_folder,
    read_archive,
    search_folders,
    write_archive,
)
from cogsl.datasets.preparation import csr_from_parts, row_normalise
from cogsl.errors import DataUnavailableError

if TYPE_CHECKING:
    from cogsl.graph import Features, Graph

logger = logging.getLogger("cogsl")

# What readers raise where a file is cut off, empty or of another form.
_UNREADABLE = (EOFError, LookupError, OSError, TypeError, ValueError, zipfile.BadZipFile)

_NOBODY = np.empty(0, dtype=np.int64)


class FileDataset(Dataset):
    """A data set that is read from ``file``, a NumPy archive, or made from what is upstream.

    An archive holds ``edge_index`` (2 x E), ``y``, features as ``x`` or as the parts of a CSR
    matrix (``x_data``, ``x_indices``, ``x_indptr``, ``x_shape``), nodes without a label in
    ``unlabelled``, and the official split, if any, as ``train_mask`` or ``train_index`` and so on.
    It is never read with pickle.

    ``sources`` are the addresses of the upstream files. Where these need no pickle either, their
    names stand in ``raw_files``, and they may lie in a folder of the data set's name, too.
    """

    file: ClassVar[str]
    sources: ClassVar[tuple[str, ...]]
    raw_files: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def fetch(self, folder: Path) -> Path:
        """Download the upstream files to somewhere in ``folder``; return where they are."""

    @abstractmethod
    def convert(self, folder: Path) -> Archive:
        """Turn the upstream files in ``folder`` into an archive of ours."""

    def is_at_hand(self, root: str | Path | None = None) -> bool:
        """Tell whether its file is in one of the folders that are looked in."""
        return self._find(root) is not None

    def prepare_features(self, archive: Archive) -> Features:
        """Return the features as they go into the graph: rows that sum to 1."""
        return row_normalise(csr_from_parts(archive))

    def official_split(self, archive: Archive, split_seed: int) -> Split:
        """Return the official split; ``split_seed`` says which, where there are several."""
        train, val, test = (
            archive[f"{part}_mask"] if f"{part}_mask" in archive else archive[f"{part}_index"]
            for part in ("train", "val", "test")
        )
        return train, val, test

    def _read(self, root: str | Path | None, split_seed: int) -> tuple[Graph, Split | None]:
        from cogsl.graph import Graph

        path = self._find(root) or self._download()
        logger.info("Reading %s from %s.", self.name, path)
        try:
            archive = self.convert(path) if path.is_dir() else read_archive(path)
            edges, labels = archive["edge_index"], archive["y"].astype(np.int64)
            labels[archive.get("unlabelled", _NOBODY)] = -1
            features = self.prepare_features(archive)
            official = self.official_split(archive, split_seed) if self.has_official_split else None
        except _UNREADABLE as error:
            raise DataUnavailableError(
                f"'{path}' cannot be read as the data set '{self.name}' "
                f"({type(error).__name__}: {error}). Delete it, or put a whole one in its place."
            ) from error
        return Graph.from_edges(edges, features=features, labels=labels, name=self.name), official

    def _find(self, root: str | Path | None) -> Path | None:
        """Return the first archive, or folder of upstream files, among the folders to look in."""
        for folder in search_folders(root):
            if (folder / self.file).is_file():
                return folder / self.file
            raw = folder / self.name
            if self.raw_files and all((raw / name).is_file() for name in self.raw_files):
                return raw
        return None

    def _download(self) -> Path:
        """Fetch and convert the upstream files; return the archive made of them in the cache."""
        path = cache_folder() / self.file
        logger.info("Downloading %s to %s.", self.name, path)
        try:
            with tempfile.TemporaryDirectory() as folder:
                write_archive(path, self.convert(self.fetch(Path(folder))))
        except Exception as error:  # each transport and reader raises kinds of its own
            raise DataUnavailableError(
                f"The data set '{self.name}' is not at hand and could not be downloaded "
                f"({type(error).__name__}: {error}). {self._how_to_get_it()} Another folder will "
                f"do if it is given as data root or in {DATA_VARIABLE}."
            ) from error
        return path

    def _how_to_get_it(self) -> str:
        """Say what to fetch and where to put it."""
        sources = " and ".join(self.sources)
        if self.raw_files:
            files = " and ".join(f"'{name}'" for name in self.raw_files)
            return f"Fetch {files} from {sources} and put them into '{cache_folder() / self.name}'."
        return (
            f"Load it once on a machine that reaches {sources}, and copy '{self.file}' from that "
            f"one's cache folder into '{cache_folder()}'."
        )
