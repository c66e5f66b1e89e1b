"""Data inside a page: short, and never taken for markup.

Arrays are cut into planes of bytes (all lowest bytes, then all next ones ...), compressed by zlib
and written in base64: neighbouring numbers have equal high bytes, which then cost next to nothing.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_ESCAPES = {
    "<": "\\u003c",  # no end of a script element, and no beginning of anything
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}

Packed = dict[str, Any]


def embed(value: Any) -> str:
    """Return JSON that may stand in a script element: no character of it is markup."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: no NumPy, no tuples, None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return _well_formed(str(value))


def _well_formed(text: str) -> str:
    """Return text that UTF-8 can hold: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def pack_integers(values: npt.NDArray[np.integer[Any] | np.bool_]) -> Packed:
    """Pack whole numbers from 0, in as few bytes each as the largest needs."""
    most = int(values.max(initial=0))
    assert int(values.min(initial=0)) >= 0
    assert most < 2**32
    width = 1 if most < 2**8 else 2 if most < 2**16 else 4
    return _packed(values.astype(f"<u{width}"), "u")


def pack_floats(values: npt.NDArray[np.floating[Any]]) -> Packed:
    """Pack numbers in single precision."""
    return _packed(values.astype("<f4"), "f")


def pack_shares(values: npt.NDArray[np.floating[Any]]) -> Packed:
    """Pack numbers between 0 and 1, rounded to thousandths."""
    return pack_integers(np.rint(1000 * np.clip(np.nan_to_num(values), 0, 1)).astype(np.int64))


def pack_texts(values: list[str]) -> Packed:
    """Pack a list of texts."""
    text = json.dumps(plain(values), ensure_ascii=False, separators=(",", ":"))
    return {"kind": "text", "data": _compressed(text.encode())}


def _packed(array: npt.NDArray[Any], kind: str) -> Packed:
    width = array.dtype.itemsize
    planes = np.ascontiguousarray(array).view(np.uint8).reshape(-1, width).T
    data = _compressed(np.ascontiguousarray(planes).tobytes())
    return {"kind": kind, "width": width, "length": len(array), "data": data}


def _compressed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")
