"""Where data set files are, and how they are read and written: NumPy archives, never pickles."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cogsl.errors import DataUnavailableError
from cogsl.files import write_arrays

Archive: TypeAlias = dict[str, npt.NDArray[Any]]

DATA_VARIABLE = "COGSL_DATA"


def cache_folder() -> Path:
    """Return the user's cache folder, where downloads are kept."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("cogsl"))


def search_folders(root: str | Path | None) -> list[Path]:
    """Return the folders to look in: ``root``, then that of ``COGSL_DATA``, then the cache."""
    folders = []
    if root is not None:
        folders.append(Path(root).expanduser())
        if not folders[0].is_dir():
            raise DataUnavailableError(
                f"The data root must be a folder. Got '{root}', which is none; make it, or leave "
                "the data root out."
            )
    if os.environ.get(DATA_VARIABLE):
        folders.append(Path(os.environ[DATA_VARIABLE]).expanduser())
    return [*folders, cache_folder()]


def read_archive(path: Path) -> Archive:
    """Read every array of an archive."""
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def write_archive(path: Path, archive: Archive) -> None:
    """Write an archive whole or not at all; its folder is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(path, archive)
