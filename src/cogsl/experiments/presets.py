"""Presets: named settings of a method for a data set, kept as TOML.

``presets/<method>/<preset>/<data set>.toml`` holds what differs from the method's defaults, and
``_common.toml`` beside it what differs for all data sets of that preset. Each preset but
``default`` exists only for the data sets that have a file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogsl.datasets import settings_class
from cogsl.errors import InputError, UnknownNameError, UnknownSettingError, did_you_mean
from cogsl.methods import METHODS
from cogsl.settings import check_known, coerce_settings, settings_of

if TYPE_CHECKING:
    from cogsl.methods.base import NodeClassifier

PRESETS = ("default", "paper")
_COMMON = "_common"


def resolve(
    method_name: str,
    dataset_name: str,
    preset: str = "default",
    overrides: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Return the settings that differ from the method's defaults, each in its own type.

    Later ones win: the preset's common file, its file for the data set, ``overrides``.
    """
    method = find_method(method_name)
    known = check_preset(method_name, dataset_name, preset)
    parts = [_read(known[name]) for name in (_COMMON, dataset_name) if name in known]
    merged: dict[str, object] = {}
    for part in (*parts, overrides or {}):
        merged.update(part)
    return coerce_settings(method, merged)


def find_method(name: str) -> type[NodeClassifier]:
    """Return the method of that name, or raise ``UnknownNameError``."""
    if name not in METHODS:
        raise UnknownNameError(f"Unknown method '{name}'{did_you_mean(name, METHODS)}")
    return METHODS[name]


def check_preset(method_name: str, dataset_name: str, preset: str) -> dict[str, Traversable]:
    """Return the preset's files by name, or raise if it has nothing for the data set."""
    if preset not in PRESETS:
        raise UnknownNameError(f"Unknown preset '{preset}'{did_you_mean(preset, PRESETS)}")
    known = _files(method_name, preset)
    datasets = sorted(known.keys() - {_COMMON})
    if preset != "default" and dataset_name not in datasets:
        where = f"it has one for {', '.join(datasets)}" if datasets else "it has none at all"
        raise UnknownNameError(
            f"The method '{method_name}' has no '{preset}' preset for '{dataset_name}'; {where}. "
            "Use --preset default instead."
        )
    return known


def has_preset(method_name: str, dataset_name: str, preset: str) -> bool:
    """Tell whether a method has a preset for a data set; everything has a default."""
    return preset == "default" or dataset_name in _files(method_name, preset)


def divide(
    method_name: str, dataset_name: str, settings: Mapping[str, object]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the settings that are the method's, and those that are the data set's.

    A key that neither has is an error that suggests one of either.
    """
    method, dataset = find_method(method_name), settings_class(dataset_name)
    if dataset is None:
        check_known(method, settings)
        return dict(settings), {}
    of_method, of_dataset = settings_of(method), settings_of(dataset)
    for name in settings:
        if name not in of_method | of_dataset:
            hint = did_you_mean(name, of_method | of_dataset)
            who = f"{method.__name__} or {dataset.__name__}"
            raise UnknownSettingError(f"Unknown key '{name}' for {who}{hint}")
    return (
        {name: value for name, value in settings.items() if name not in of_dataset},
        {name: value for name, value in settings.items() if name in of_dataset},
    )


def read_settings(path: Path, method_name: str, dataset_name: str = "") -> dict[str, Any]:
    """Read a user's TOML file of settings; an unknown key is an error that names the file.

    They may be the method's, or the data set's if that has any.
    """
    try:
        values = _read(path)
    except OSError as error:
        raise InputError(f"Cannot read the file '{path}': {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"The file '{path}' is not valid TOML: {error}.") from error
    try:
        divide(method_name, dataset_name, values)
    except UnknownSettingError as error:
        raise UnknownSettingError(f"In '{path}': {error}") from error
    return values


def parse_assignments(assignments: list[str]) -> dict[str, str]:
    """Split ``key=value`` words; the last one of a key wins."""
    settings = {}
    for assignment in assignments:
        key, sign, value = assignment.partition("=")
        if not (sign and key.strip()):
            raise InputError(f"A setting must be written key=value. Got '{assignment}' instead.")
        settings[key.strip()] = value
    return settings


def _files(method_name: str, preset: str) -> dict[str, Traversable]:
    """Return a preset's files by their names without the ending."""
    folder = files("cogsl.experiments") / "presets" / method_name / preset
    if not folder.is_dir():
        return {}
    found = (f for f in folder.iterdir() if f.name.endswith(".toml"))
    return {f.name.removesuffix(".toml"): f for f in found}


def _read(file: Traversable | Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
