"""A feature encoder as plain values, for JSON, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from cogsl.errors import FileFormatError
from cogsl.io.features import Categories, FeatureEncoder, Part, Text, Vectors
from cogsl.io.numbers import Numbers

_PARTS: dict[str, Any] = {
    "numbers": Numbers,
    "categories": Categories,
    "text": Text,
    "vectors": Vectors,
}


def encoder_to_plain(encoder: FeatureEncoder) -> list[dict[str, Any]]:
    """Return all that an encoder has learned; numbers lose nothing on the way through JSON."""
    return [_part_to_plain(part) for part in encoder.parts]


def encoder_from_plain(parts: list[Mapping[str, Any]]) -> FeatureEncoder:
    """Return the encoder that has learned this."""
    return FeatureEncoder(tuple(_part_from_plain(part) for part in parts))


def _part_to_plain(part: Part) -> dict[str, Any]:
    kind = next(name for name, its in _PARTS.items() if isinstance(part, its))
    fields = {name: getattr(part, name) for name in _fields(kind)}
    return {"kind": kind} | {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }


def _part_from_plain(plain: Mapping[str, Any]) -> Part:
    values = dict(plain)
    kind = values.pop("kind", None)
    if kind not in _PARTS or set(values) != set(_fields(kind)):
        raise FileFormatError(
            f"The model's encoder holds a part '{kind}' that is not known. Was it written by a "
            "newer version? Update the package, or fit again."
        )
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = (
                tuple(value)
                if name in ("names", "categories", "words")
                else (np.array(value, dtype=np.float64))
            )
    part: Part = _PARTS[kind](**values)
    return part


def _fields(kind: str) -> list[str]:
    return [field.name for field in dataclasses.fields(_PARTS[kind])]
