"""Search spaces as TOML files.

``search/<method>.toml`` has two parts. ``[parameters]`` lists what is drawn: a list of values, or a
range ``{ low, high, step }``. Most are settings. The others are parts of a setting that has an
entry for each entry of another one (a scope for each view): ``[each.<setting>]`` names that other
one (``of``), and says which parameter an entry is, ``by_name`` or ``by_place``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from cogsl.errors import InputError, UnknownNameError, UnknownSettingError, did_you_mean
from cogsl.experiments.presets import find_method
from cogsl.experiments.search_space import Choice, Each, Range, Space, Values
from cogsl.settings import coerce_settings, settings_of


def known_spaces() -> list[str]:
    """Return the methods that have a search space."""
    folder = files("cogsl.experiments") / "search"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name[-5:] == ".toml")


def read_space(
    method_name: str, fixed: Mapping[str, Any], *, held: tuple[str, ...] = (), file: Path | None
) -> Space:
    """Return the search space of a method, without the settings that are fixed or held still.

    ``file`` is a user's own space, in the place of the method's.
    """
    method, table = find_method(method_name), _read(method_name, file)
    each = {name: _each_of(entry) for name, entry in table.get("each", {}).items()}
    _check_names(method, table, each)
    still = {*fixed, *held}
    for name in still & each.keys():
        if isinstance(each[name].parameters, Mapping) and each[name].of not in still:
            raise InputError(
                f"The setting '{name}' has an entry for each of '{each[name].of}', which is "
                f"searched. Fix '{each[name].of}' with --set, too."
            )
    closed = still.union(*(each[name].all_names for name in still & each.keys()))
    parameters = {
        name: _parameter_of(method, name, values)
        for name, values in table["parameters"].items()
        if name not in closed
    }
    searched = {name: entry for name, entry in each.items() if name not in still}
    return _fitted(parameters, searched, method().get_params(), method(**fixed).get_params())


def _fitted(
    parameters: dict[str, Choice | Range],
    each: dict[str, Each],
    plain: Mapping[str, Any],
    own: Mapping[str, Any],
) -> Space:
    """Return the space of those parameters that decide something, the method's own values in it.

    Parameters
    ----------
    plain, own : the method's settings, all by default and with those that are fixed.
    """
    parts = {part for entry in each.values() for part in entry.all_names}
    reached, kept, defaults = parameters.keys() - parts, dict[str, Each](), Values()
    for name, entry in each.items():
        entries, is_shared = own[entry.of], len(own[name]) == 1
        is_searched, names = entry.of in parameters, entry.names(entries)
        reached.update(entry.all_names if is_searched else names)
        kept[name] = Each(entry.of, entry.parameters, None if is_searched else entries, is_shared)
        if is_shared or entries == plain[entry.of]:  # else the defaults belong to other entries
            given = own[name] * len(entries) if is_shared else own[name]
            defaults.update(zip(names, given, strict=True))
    found = {name: p for name, p in parameters.items() if name in reached}
    if not found:
        raise InputError("Nothing is left to search: every parameter is fixed by --set.")
    for name, parameter in found.items():
        if name not in defaults:  # a part that the defaults do not have: take the first value
            first = parameter.values[0] if isinstance(parameter, Choice) else parameter.low
            defaults[name] = own.get(name, first)
        found[name] = parameter.including(defaults[name])
    return Space(found, kept, {name: defaults[name] for name in found})


def _read(method_name: str, file: Path | None) -> dict[str, Any]:
    """Return the TOML of a method's space or of a user's."""
    known = known_spaces()
    if file is None and method_name not in known:
        raise UnknownNameError(
            f"The method '{method_name}' has no search space; {', '.join(known)} have one. Give "
            "your own with --space FILE.toml."
        )
    path = files("cogsl.experiments") / "search" / f"{method_name}.toml" if file is None else file
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"Cannot read the file '{file}': {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"The file '{file}' is not valid TOML: {error}.") from error
    if not isinstance(table.get("parameters"), dict) or not table["parameters"]:
        raise InputError(f"The search space '{file}' must have a table [parameters]. It has none.")
    return table


def _each_of(table: Mapping[str, Any]) -> Each:
    """Return a setting that is put together, as TOML says."""
    try:
        by_name = table.get("by_name")
        return Each(table["of"], dict(by_name) if by_name else tuple(table["by_place"]))
    except (KeyError, TypeError) as error:
        raise InputError(
            "A table [each.SETTING] of a search space must have 'of', and 'by_name' or 'by_place'. "
            f"Got {table!r} instead."
        ) from error


def _check_names(method: type, table: Mapping[str, Any], each: Mapping[str, Each]) -> None:
    """Raise for a name that is neither a setting nor part of one."""
    known = settings_of(method)
    parts = {part for entry in each.values() for part in entry.all_names}
    settings = [*each, *(entry.of for entry in each.values())]
    for name in (*(n for n in table["parameters"] if n not in parts), *settings):
        if name not in known:
            hint = did_you_mean(name, known)
            raise UnknownSettingError(f"Unknown key '{name}' for {method.__name__}{hint}")
    for part in parts - table["parameters"].keys():
        raise InputError(f"The search space must say the values of the parameter '{part}'.")


def _parameter_of(method: type, name: str, given: Any) -> Choice | Range:
    """Return a parameter as TOML says, its values in the setting's own type."""
    if isinstance(given, dict):
        try:
            return Range(**given)
        except TypeError as error:
            raise InputError(
                f"A range must be written {{ low = 0.1, high = 0.9, step = 0.1 }}. The parameter "
                f"'{name}' is {given!r} instead."
            ) from error
    if not isinstance(given, list) or not given:
        raise InputError(
            f"The parameter '{name}' of a search space must be a list of values or a range. Got "
            f"{given!r} instead."
        )
    if name not in settings_of(method):
        return Choice(tuple(given))
    return Choice(tuple(coerce_settings(method, {name: value})[name] for value in given))
