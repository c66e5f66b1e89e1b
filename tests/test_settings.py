from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from cogsl.errors import SettingValueError, UnknownSettingError
from cogsl.settings import (
    SettingInfo,
    check_known,
    coerce_settings,
    info_of,
    setting,
    settings_of,
    validate_settings,
)


@dataclass(kw_only=True)
class Oven:
    """A component with a setting of every kind."""

    heat: float = setting(0.5, "how hot", symbol="h", low=0.0, high=1.0, open_low=True)
    racks: int = setting(2, "how many racks", low=1)
    minutes: tuple[float, ...] = setting((1.0, 2.0), "how long on each rack", low=0.0)
    limit: int | None = setting(None, "when to stop", low=1)
    mode: str = setting("bake", "how", choices=("bake", "grill"))
    fan: bool = setting(False, "whether the fan runs")
    owner: str = "nobody"


# What a setting says of itself ------------------------------------------------------------------


def test_settings_are_the_fields_made_with_setting_and_no_others() -> None:
    names = ["heat", "racks", "minutes", "limit", "mode", "fan"]
    assert list(settings_of(Oven)) == list(settings_of(Oven(racks=3))) == names


def test_field_carries_default_meaning_symbol_and_range() -> None:
    field = settings_of(Oven)["heat"]
    info = info_of(field)
    assert (field.default, info.help, info.symbol, info.range) == (0.5, "how hot", "h", "(0, 1]")


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (SettingInfo(""), ""),
        (SettingInfo("", low=1), ">= 1"),
        (SettingInfo("", low=0.5, open_low=True), "> 0.5"),
        (SettingInfo("", low=0, high=1), "[0, 1]"),
        (SettingInfo("", low=0, high=1, open_high=True), "[0, 1)"),
        (SettingInfo("", high=1), "[-inf, 1]"),
        (SettingInfo("", choices=("a", "b")), "a | b"),
    ],
)
def test_range_is_worded(info: SettingInfo, words: str) -> None:
    assert info.range == words


@pytest.mark.parametrize(
    ("info", "inside", "outside"),
    [
        (SettingInfo("", low=0, high=1), [0, 0.5, 1], [-1e-9, 1 + 1e-9, math.nan, math.inf]),
        (SettingInfo("", low=0, high=1, open_low=True, open_high=True), [0.5], [0, 1]),
        (SettingInfo("", low=1), [1, 10**9], [0, -math.inf]),
        (SettingInfo("", choices=("a", "b")), ["a", "b"], ["c", "", 1]),
    ],
)
def test_bounds_are_part_of_the_range_unless_they_are_open(
    info: SettingInfo, inside: list[Any], outside: list[Any]
) -> None:
    assert all(map(info.admits, inside))
    assert not any(map(info.admits, outside))


# Words become values ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("heat", "0.25", 0.25),
        ("heat", 1, 1.0),
        ("racks", " 3 ", 3),
        ("racks", "1e3", 1000),
        ("racks", 4.0, 4),
        ("minutes", "0.5, 3", (0.5, 3.0)),
        ("minutes", [1, 2, 3], (1.0, 2.0, 3.0)),
        ("minutes", 7, (7.0,)),
        ("limit", "none", None),
        ("limit", "ALL", None),
        ("limit", None, None),
        ("limit", "12", 12),
        ("mode", " grill", "grill"),
        ("fan", "yes", True),
        ("fan", "0", False),
        ("fan", True, True),
    ],
)
def test_words_and_toml_values_become_what_the_setting_asks_for(
    name: str, given: object, expected: object
) -> None:
    value = coerce_settings(Oven, {name: given})[name]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("racks", "two", "a whole number >= 1"),
        ("racks", 2.5, "a whole number"),
        ("racks", True, "a whole number"),
        ("racks", "inf", "a whole number"),
        ("heat", "nan", "a number"),
        ("heat", None, "a number"),
        ("minutes", "1,x", "a number"),
        ("minutes", "", "a number"),
        ("limit", "some", "a whole number"),
        ("mode", 3, "a word bake | grill"),
        ("fan", "maybe", "true or false"),
    ],
)
def test_what_is_no_such_value_is_refused_by_name(name: str, given: object, wanted: str) -> None:
    with pytest.raises(SettingValueError) as caught:
        coerce_settings(Oven, {name: given})
    assert f"'{name}' setting of Oven must be {wanted}" in str(caught.value)


def test_unknown_key_gets_the_nearest_one_as_a_hint() -> None:
    with pytest.raises(UnknownSettingError, match=r"'raks' for Oven; did you mean 'racks'\?"):
        check_known(Oven, {"heat": 1.0, "raks": 2})


def test_field_that_is_no_setting_is_an_unknown_key() -> None:
    with pytest.raises(UnknownSettingError, match="'owner'"):
        coerce_settings(Oven, {"owner": "me"})


# Values are held against their ranges -----------------------------------------------------------


def test_defaults_and_none_pass() -> None:
    validate_settings(Oven())
    validate_settings(Oven(heat=1.0, racks=1, minutes=(0.0,), limit=1, mode="grill", fan=True))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("heat", 0.0, "(0, 1]"),
        ("heat", 1.5, "(0, 1]"),
        ("racks", 0, ">= 1"),
        ("minutes", (1.0, -0.5), ">= 0"),
        ("limit", 0, ">= 1"),
        ("mode", "boil", "bake | grill"),
        ("racks", "many", "a whole number"),
    ],
)
def test_value_out_of_range_is_refused_with_name_range_and_value(
    name: str, value: object, words: str
) -> None:
    with pytest.raises(SettingValueError) as caught:
        validate_settings(Oven(**{name: value}))  # type: ignore[arg-type]
    message = str(caught.value)
    assert f"The '{name}' setting of Oven must be" in message
    assert words in message
    assert f"Got {value!r} instead" in message


def test_unknown_word_gets_the_nearest_choice_as_a_hint() -> None:
    with pytest.raises(SettingValueError, match="did you mean 'grill'"):
        validate_settings(Oven(mode="gril"))


@pytest.mark.parametrize(
    ("name", "value"), [("racks", "3"), ("racks", 3.0), ("minutes", 7.0), ("limit", "none")]
)
def test_value_of_another_type_is_refused_or_stored_as_the_right_one(
    name: str, value: object
) -> None:
    oven = Oven(**{name: value})  # type: ignore[arg-type]
    try:
        validate_settings(oven)
    except SettingValueError:
        return
    assert type(getattr(oven, name)) is not type(value)
