"""Tables from files: CSV, TSV, Parquet and JSON lines, each a pandas data frame."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

from cogsl.errors import FileFormatError, did_you_mean, import_extra

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
"""What stands for a missing value in a text file, in columns that are neither ids nor text."""

Picker = Callable[[Sequence[str]], Collection[str]]

_COMPRESSED: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_DELIMITERS = (",", ";", "\t", "|")


def read_table(path: Path, *, as_text: Picker, delimiter: str | None = None) -> Any:
    """Return a file's table; its suffix says what it is.

    Parameters
    ----------
    path : of the file; text files may be compressed, e.g. ``nodes.csv.gz``.
    as_text : says which of the named columns of a text file are read as they are written: "007" is
        no number there, and "NA" a name.
    delimiter : what parts the columns of a CSV file; None finds out by its first line.
    """
    check_readable(path)
    read = find_reader(path, TABLES)
    try:
        table = read(path, as_text, delimiter)
    except FileFormatError:
        raise
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path} must be text in UTF-8. Got another encoding, at byte {error.start}; save it "
            "as UTF-8."
        ) from error
    except (ValueError, OSError, EOFError, lzma.LZMAError) as error:  # pandas' and pyarrow's, too
        raise FileFormatError(f"{path} cannot be read: {_first_line(error)}") from error
    if table.shape[1] == 0:
        raise FileFormatError(f"{path} holds no column; check that it is the right file.")
    return table


def check_readable(path: Path) -> None:
    """Raise an error that names the file if it is not there, is no file, or is empty."""
    if not path.exists():
        beside = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, beside[:1000]) if beside else "; there is no such folder."
        raise FileFormatError(f"There is no file {path}{hint}")
    if not path.is_file():
        raise FileFormatError(f"{path} is a folder. Give a file.")
    if path.stat().st_size == 0:
        raise FileFormatError(f"{path} is empty. Check that it was written in full.")


def find_reader(path: Path, readers: dict[str, Any]) -> Any:
    """Return the reader of a file's suffix; that of the compressed file counts."""
    reader = readers.get(suffix_of(path))
    if reader is None:
        raise FileFormatError(
            f"{path} has a suffix that is not known: '{suffix_of(path)}'. Known are "
            f"{', '.join(sorted(readers))}; save the file as one of these."
        )
    return reader


def suffix_of(path: Path) -> str:
    """Return the suffix that tells the format: ".csv" for ``nodes.csv.gz``."""
    inner = path.with_suffix("") if path.suffix in _COMPRESSED else path
    return inner.suffix.lower()


def _read_csv(path: Path, as_text: Picker, delimiter: str | None) -> Any:
    import pandas as pd  # heavy

    parted_by, names = _header(path, delimiter)
    _check_names(path, names)
    textual = set(as_text(names))
    empty = {name: [""] if name in textual else list(MISSING) for name in names}
    return pd.read_csv(
        path,
        sep=parted_by,
        encoding="utf-8-sig",
        dtype=dict.fromkeys(textual, str),
        keep_default_na=False,
        na_values=empty,
        index_col=False,
        low_memory=False,
    )


def _header(path: Path, delimiter: str | None) -> tuple[str, list[str]]:
    """Return the delimiter and the columns' names, from the first line."""
    with _open_text(path) as file:
        first = file.readline().rstrip("\r\n")
    parted_by = delimiter or max(_DELIMITERS, key=first.count)  # of equals, the first
    return parted_by, next(csv.reader([first], delimiter=parted_by))


def _check_names(path: Path, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if _has_twice(names) else []
    if twice:
        raise FileFormatError(
            f"{path} has columns of the same name: {', '.join(map(repr, twice[:5]))}. Rename them."
        )


def _has_twice(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _read_tsv(path: Path, as_text: Picker, delimiter: str | None) -> Any:
    return _read_csv(path, as_text, delimiter or "\t")


def _read_parquet(path: Path, as_text: Picker, delimiter: str | None) -> Any:
    import pandas as pd  # heavy

    import_extra("pyarrow", extra="parquet", purpose="Reading Parquet files")
    return pd.read_parquet(path, engine="pyarrow")


def _read_json_lines(path: Path, as_text: Picker, delimiter: str | None) -> Any:
    import pandas as pd  # heavy

    rows: list[dict[str, Any]] = []
    with _open_text(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                rows.append(_json_row(line, path, number))
    return pd.DataFrame(rows)


def _json_row(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{path}, line {number}, is no JSON: {error}.") from error
    if not isinstance(row, dict):
        raise FileFormatError(
            f'{path}, line {number}, must be an object of columns, as in {{"id": 1}}. Got a '
            f"{type(row).__name__} instead."
        )
    return row


def _open_text(path: Path) -> TextIO:
    """Open a text file that may be compressed; a byte order mark is no part of it."""
    opened = _COMPRESSED.get(path.suffix, open)(path, "rt", encoding="utf-8-sig", newline="")
    return cast(TextIO, opened)


Reader = Callable[[Path, Picker, str | None], Any]

TABLES: dict[str, Reader] = {
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".tab": _read_tsv,
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}


def as_frame(table: Any) -> Any:
    """Return a table of pandas or Polars, or a mapping of columns, as a pandas data frame."""
    import pandas as pd  # heavy

    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "get_columns"):  # Polars; its own conversion would need pyarrow
        return pd.DataFrame({column.name: column.to_list() for column in table.get_columns()})
    return pd.DataFrame(table)


def identifiers(values: Any) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return each value as text, None where it is missing: 7, 7.0 and "7" name the same node."""
    import pandas as pd  # heavy

    column = pd.Series(values)
    missing = column.isna().to_numpy()
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    texts: np.ndarray[Any, np.dtype[np.object_]]
    texts = column.astype(str).str.strip().to_numpy(dtype=object)
    texts[missing | (texts == "")] = None
    return texts


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Return the first few values in quotes, and how many there are if that is not all."""
    all_values = list(values)
    shown = ", ".join(repr(str(value)) for value in all_values[:most])
    return f"{shown}, ... ({len(all_values)} in all)" if len(all_values) > most else shown


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
