"""A run's record as tables of names and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TABLES = {"settings": "Settings", "dataset_settings": "Data set", "versions": "Versions"}
_FIGURES = ("macro_f1", "micro_f1", "auc", "accuracy")
_SHOWN_ELSEWHERE = ("history",)

Rows = list[list[str]]


def tables_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the record in tables: the run, its figures, the settings, the versions, the rest."""
    tables: dict[str, Rows] = {title: [] for title in ("Run", "Figures", *_TABLES.values())}
    for key, value in record.items():
        if key in _SHOWN_ELSEWHERE:
            continue
        if isinstance(value, Mapping):
            title = _TABLES.get(key, key.replace("_", " ").capitalize())
            tables.setdefault(title, []).extend(_flat(value))
        else:
            title = "Figures" if key.removeprefix("val_") in _FIGURES else "Run"
            tables[title].append([key, format_value(value)])
    return [{"title": title, "rows": rows} for title, rows in tables.items() if rows]


def _flat(values: Mapping[str, Any], head: str = "") -> Rows:
    """Return a row for each value; those inside others carry both names."""
    rows: Rows = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{head}{key}.")
        else:
            rows.append([f"{head}{key}", format_value(value)])
    return rows


def format_value(value: Any) -> str:
    """Return a value in words; of numbers six digits."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_value, value)) or "none"
    return str(value)
