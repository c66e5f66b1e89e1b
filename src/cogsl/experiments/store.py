"""Records of a grid on disk: one file a run, named by the hash of what determines it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from cogsl.errors import InputError
from cogsl.evaluation.protocol import Record
from cogsl.experiments.records import check_folder, write_record
from cogsl.files import write_text


class Store:
    """A folder of records. Any number of processes may read and write it at the same time.

    A record is written whole or not at all, and never changed, so a run that was killed leaves
    what was finished and nothing else.

    Parameters
    ----------
    folder : is made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return the file of a record."""
        return self.folder / f"{key}.json"

    def __contains__(self, key: str) -> bool:
        return self.path(key).exists()

    def get(self, key: str) -> Record | None:
        """Return a record, None if it is not there."""
        path = self.path(key)
        try:
            record: Record = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"The record '{path}' is damaged: {error}. Delete it, and its run is done again."
            ) from error
        return record

    def put(self, key: str, record: Record) -> None:
        """Write a record."""
        write_record(self.path(key), record)

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Return the keys without a record, each once, in their order."""
        return [key for key in dict.fromkeys(keys) if key not in self]

    def take_in(self, path: Path) -> int:
        """Add the records of a compact file that are not there yet; return how many there were.

        Raises an error of ours if the file holds anything else.
        """
        records = read_compact(path)
        for key in self.missing(records):
            self.put(key, records[key])
        return len(records)


def write_compact(path: Path, records: Mapping[str, Record]) -> None:
    """Write records as one file, a line each, in the order of their keys.

    Settings and versions, which the key stands for, are left out.
    """
    lines = [
        json.dumps({"key": key} | {k: v for k, v in record.items() if k not in _LEFT_OUT})
        for key, record in sorted(records.items())
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_compact(path: Path) -> dict[str, Record]:
    """Return the records of a compact file by their keys."""
    records: dict[str, Record] = {}
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            records[record.pop("key")] = record
    except OSError as error:
        raise InputError(f"Cannot read the records '{path}': {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"'{path}' is no file of records: {error}.") from error
    return records


_LEFT_OUT = ("settings", "versions")
