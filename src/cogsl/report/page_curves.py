"""The history of a training as panels of curves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

MOST_POINTS = 1000  # of a curve; of a longer one every k-th is drawn

_SILENT = re.compile(r"iteration|kept|eta|seconds_\w+")
_TITLES = {
    "loss": "Loss",
    "loss_view": "Loss of the views",
    "loss_mi": "Loss of the MI estimator",
    "outer_loss": "Outer loss",
    "val_loss": "Validation loss",
}
_MI, _CLASSIFIERS, _ACCURACY = "Mutual information of each pair", "Classifier losses", "Accuracy"

Record = Mapping[str, Any]


def curves_of(history: Sequence[Record], view_names: Sequence[str]) -> dict[str, Any]:
    """Return the panels with their curves, and the iterations they are drawn at, from 1."""
    every = -(-len(history) // MOST_POINTS) or 1
    places = list(range(0, len(history), every))
    keys = dict.fromkeys(key for record in history for key in record if _is_figure(key, record))
    panels: dict[str, list[dict[str, Any]]] = {_MI: [], _ACCURACY: []}
    for key in keys:
        values = [_number(history[place].get(key)) for place in places]
        curve = {"name": curve_name(key, view_names), "values": values}
        panels.setdefault(panel_title(key), []).append(curve)
    return {
        "iterations": [place + 1 for place in places],
        "every": every,
        "panels": [{"title": t, "curves": curves} for t, curves in panels.items() if curves],
    }


def _is_figure(key: str, record: Record) -> bool:
    value = record[key]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and not _SILENT.fullmatch(key)


def _number(value: Any) -> float | None:
    """Return six digits of it; None where an iteration has not this figure."""
    return None if value is None else float(f"{float(value):.6g}")


def panel_title(key: str) -> str:
    """Return the panel in which a figure is drawn: with others of its scale, or alone."""
    if key.startswith("mi_"):
        return _MI
    if key.endswith("accuracy"):
        return _ACCURACY
    if key.startswith("loss_classifier"):
        return _CLASSIFIERS
    return _TITLES.get(key, key.replace("_", " ").capitalize())


def curve_name(key: str, view_names: Sequence[str]) -> str:
    """Return what a curve is called: views by their names, the rest in words."""
    for head in ("mi_", "loss_classifier_"):
        if key.startswith(head):
            return " and ".join(_view(k, view_names) for k in key.removeprefix(head).split("_"))
    if key == "loss_classifier":
        return "all"
    words = {"val": "validation", "train": "training"}
    return " ".join(words.get(word, word) for word in key.split("_"))


def _view(number: str, names: Sequence[str]) -> str:
    """Return a view's name, with its number if another has the same; other words as they are."""
    if not number.isdecimal() or not 1 <= int(number) <= len(names):
        return number
    name = names[int(number) - 1]
    return name if names.count(name) == 1 else f"{name} {number}"


def pairs_of(record: Record, view_names: Sequence[str]) -> dict[str, float]:
    """Return the mutual information of each pair in one iteration, by the pair's name."""
    return {curve_name(k, view_names): float(v) for k, v in record.items() if k.startswith("mi_")}
