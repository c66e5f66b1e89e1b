"""Records on disk: JSON, written whole or not at all."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cogsl.errors import CogslError, InputError


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` such that a reader sees the old file or the whole new one.

    The text goes to a temporary file in the same folder, to the disk, and then gets its name.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write one run's record as JSON."""
    text = json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    try:
        write_whole(path, text)
    except OSError as error:
        raise CogslError(f"Cannot write the record '{path}': {error.strerror}.") from error


def check_folder(folder: Path) -> None:
    """Make ``folder`` if needed and raise ``InputError`` if a record cannot be written in it."""
    probe = folder / f".{uuid.uuid4().hex}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            probe.touch(exist_ok=False)
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write in the output folder '{folder}': {error.strerror}. Give another folder."
        ) from error


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk too, where folders can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
