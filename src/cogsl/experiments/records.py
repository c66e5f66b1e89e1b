"""Records on disk: JSON, written whole or not at all."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cogsl.errors import CogslError, InputError
from cogsl.files import write_text


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write one run's record as JSON."""
    text = json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    try:
        write_text(path, text)
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
