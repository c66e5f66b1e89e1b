"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when the scope ends well, so a reader sees all or nothing.

    What is written goes to a temporary file in the same folder, to the disk, and then gets its
    name. After an error nothing is left of it.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8."""
    with whole_file(path) as file:
        file.write(text.encode())


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays as a compressed npz file; arrays of objects are no arrays."""
    assert not any(array.dtype.hasobject for array in arrays.values()), "objects need pickle"
    with whole_file(path) as file:
        np.savez_compressed(file, **cast(dict[str, Any], dict(arrays)))


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk too, where folders can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
