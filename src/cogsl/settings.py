"""Settings: dataclass fields that carry their meaning, symbol and range.

A component (a view, a method) is a keyword-only dataclass whose fields are made with ``setting``.
The constructor only stores; ``validate_settings`` checks every field against its range.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any

from cogsl.errors import SettingValueError, UnknownSettingError, did_you_mean


@dataclasses.dataclass(frozen=True)
class SettingInfo:
    """What a setting means and may be.

    ``low`` and ``high`` bound each number (``open_low``/``open_high``: the bound is excluded);
    ``choices`` lists the words that are allowed. A tuple setting is checked entry by entry.
    """

    help: str
    symbol: str = ""
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()

    @property
    def range(self) -> str:
        """Return the range in words, e.g. ``(0, 1]`` or ``adaptive | average``."""
        if self.choices:
            return " | ".join(self.choices)
        if self.low is None and self.high is None:
            return ""
        if self.high is None:
            return f"{'>' if self.open_low else '>='} {self.low:g}"
        low = "-inf" if self.low is None else f"{self.low:g}"
        return (
            f"{'(' if self.open_low else '['}{low}, {self.high:g}{')' if self.open_high else ']'}"
        )

    def admits(self, value: object) -> bool:
        """Tell whether a single value lies in the range."""
        if self.choices:
            return value in self.choices
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        if not math.isfinite(value):
            return False
        too_low = self.low is not None and (
            value <= self.low if self.open_low else value < self.low
        )
        too_high = self.high is not None and (
            value >= self.high if self.open_high else value > self.high
        )
        return not (too_low or too_high)


def setting(
    default: Any,
    help: str,  # noqa: A002
    *,
    symbol: str = "",
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
    choices: tuple[str, ...] = (),
) -> Any:
    """Make a dataclass field that carries its meaning, paper symbol, default and range."""
    info = SettingInfo(help, symbol, low, high, open_low, open_high, choices)
    return dataclasses.field(default=default, metadata={"setting": info})


def settings_of(component: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a component (class or instance) that are settings, by name."""
    return {f.name: f for f in dataclasses.fields(component) if "setting" in f.metadata}


def info_of(field: dataclasses.Field[Any]) -> SettingInfo:
    """Return what a setting's field says of itself."""
    info = field.metadata["setting"]
    assert isinstance(info, SettingInfo)
    return info


def check_known(component: type, names: Mapping[str, object]) -> None:
    """Raise ``UnknownSettingError`` for the first name that the component does not have."""
    known = settings_of(component)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UnknownSettingError(f"Unknown key '{name}' for {component.__name__}{hint}")


def coerce_settings(component: type, values: Mapping[str, object]) -> dict[str, Any]:
    """Turn words (from a command line) or TOML values into what each setting's type asks for.

    A tuple may be written ``0.5,0.1`` or as a list; a single value stands for a tuple of one.
    """
    check_known(component, values)
    hints = typing.get_type_hints(component)
    return {name: _coerce(component, name, value, hints[name]) for name, value in values.items()}


def validate_settings(component: Any) -> None:
    """Raise ``SettingValueError`` for the first setting of an instance that it cannot have."""
    kind = type(component)
    hints = typing.get_type_hints(kind)
    for name, field in settings_of(component).items():
        value, info = getattr(component, name), info_of(field)
        coerced = _coerce(kind, name, value, hints[name])
        if not _same_kind(value, coerced):
            raise _value_error(kind, name, f"given as {coerced!r}", value, ())
        for entry in value if isinstance(value, tuple) else (value,):
            if entry is not None and not info.admits(entry):
                raise _value_error(kind, name, info.range, value, info.choices, entry)


def _same_kind(value: object, coerced: object) -> bool:
    """Tell whether a value has its setting's type already; a whole number may stand for a float."""
    if isinstance(value, tuple) and isinstance(coerced, tuple):
        return all(map(_same_kind, value, coerced))
    return type(value) is type(coerced) or (type(value) is int and type(coerced) is float)


def _coerce(component: type, name: str, value: object, hint: Any) -> Any:
    """Return ``value`` as the type ``hint``, or raise ``SettingValueError``."""
    if isinstance(hint, types.UnionType):
        return _coerce_optional(component, name, value, hint)
    if typing.get_origin(hint) is tuple:
        inner = typing.get_args(hint)[0]
        entries = value.split(",") if isinstance(value, str) else value
        if not isinstance(entries, list | tuple):
            entries = [entries]
        return tuple(_coerce(component, name, e, inner) for e in entries)
    return _coerce_scalar(component, name, value, hint)


def _coerce_optional(component: type, name: str, value: object, hint: Any) -> Any:
    """Return None for None, "none" and "all"; else ``value`` as the other type of the union."""
    if value is None or (isinstance(value, str) and value.lower() in ("none", "all")):
        return None
    (inner,) = (h for h in typing.get_args(hint) if h is not type(None))
    return _coerce(component, name, value, inner)


def _coerce_scalar(component: type, name: str, value: object, hint: type) -> Any:
    """Return a bool, int, float or str, or raise ``SettingValueError``."""
    info = info_of(settings_of(component)[name])
    if isinstance(value, str):
        value = value.strip()
    if hint is bool:
        word = str(value).lower()
        if word in ("true", "yes", "1", "false", "no", "0"):
            return word in ("true", "yes", "1")
    elif hint is str and isinstance(value, str):
        return value
    elif hint in (int, float) and not isinstance(value, bool):
        try:
            number = float(value)  # type: ignore[arg-type] # refused below if it is no number
        except (TypeError, ValueError):
            number = float("nan")
        if number == number and (hint is float or number.is_integer()):
            return hint(number)
    kind = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
    wanted = f"{kind[hint]} {info.range}".strip()
    raise _value_error(component, name, wanted, value, info.choices)


def _value_error(
    component: type,
    name: str,
    wanted: str,
    value: object,
    choices: tuple[str, ...],
    entry: object = None,
) -> SettingValueError:
    """Word the error of a setting with a value that it cannot have; ``entry`` is the wrong part."""
    word = value if entry is None else entry
    hint = did_you_mean(word, choices) if choices and isinstance(word, str) else "."
    return SettingValueError(
        f"The '{name}' setting of {component.__name__} must be {wanted}. "
        f"Got {value!r} instead{hint}"
    )
