"""Anybody's labels as numbers from 0 upward, -1 where a label is unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cogsl.errors import LabelError

_UNKNOWN_WORDS = ("", "-1")  # NumPy turns the -1 in np.array(["a", -1]) into a word


def encode_labels(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the class of each of N nodes, -1 where it is unknown, and the sorted classes.

    Unknown are -1, NaN and None; among words also the empty one and "-1". Otherwise labels may be
    anything that can be sorted: whole numbers, words, truth values, dates.
    """
    known = ~_unknown(labels)
    values = labels[known]
    if values.dtype == object and not any(isinstance(value, str) for value in values):
        values = _plain(values)
    _check_whole(values)
    try:
        classes, codes = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise LabelError(
            f"Labels must be of one kind, so that they can be sorted: {error}. Write numbers as "
            "words, or words as numbers."
        ) from error
    encoded = np.full(len(labels), -1, dtype=np.int64)
    encoded[known] = codes
    return encoded, classes


def _unknown(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell which labels are unknown."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels) | (labels == -1))
    if labels.dtype.kind == "U":
        return np.isin(labels, _UNKNOWN_WORDS)
    if labels.dtype.kind == "M":
        return np.asarray(np.isnat(labels))
    if labels.dtype == object:
        return np.array([_is_unknown(label) for label in labels], dtype=np.bool_)
    if labels.dtype.kind == "i":
        return np.asarray(labels == -1)
    return np.zeros(len(labels), dtype=np.bool_)


def _is_unknown(label: object) -> bool:
    if isinstance(label, str):
        return label in _UNKNOWN_WORDS
    is_missing = label is None or type(label).__name__ in ("NAType", "NaTType")  # pandas'
    return is_missing or bool(label != label or label == -1)


def _plain(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers and truth values among objects in a type of their own, else the objects."""
    plain = np.array(values.tolist()) if len(values) else values
    return plain if plain.ndim == 1 and plain.dtype.kind in "biuf" else values


def _check_whole(values: npt.NDArray[Any]) -> None:
    if values.dtype.kind == "f":
        wrong = values[~(np.isfinite(values) & (values == np.round(values)))]
        if len(wrong):
            raise LabelError(
                "Labels must be classes: whole numbers or words, not continuous values. Got "
                f"{wrong[0]!s} instead; cut a range of numbers into classes first."
            )
