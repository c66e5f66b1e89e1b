"""Columns of a table as features."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from cogsl.errors import SettingValueError
from cogsl.io import FeatureEncoder, Treatment
from cogsl.io.features import kind_of
from tests.io.dense import dense


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "numeric"),
        ([True, False, True], "numeric"),
        (["1.5", "2", "NA"], "numeric"),
        (["red", "blue", "red", "blue"], "categorical"),
        (["the cat sat down", "a dog ran off", "one bird flew away"], "text"),
        ([[1.0, 2.0], [3.0, 4.0]], "vector"),
        ([f"name{k}" for k in range(200)], "ignore"),
        ([None, None], "ignore"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "ignore"),
    ],
)
def test_the_kind_of_a_column_is_found_out(values: Any, kind: str) -> None:
    assert kind_of(pd.Series(values), "c") == kind


def test_a_column_that_is_left_out_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "cogsl"):
        kind_of(pd.Series([f"name{k}" for k in range(200)]), "who")
    assert "Left out column 'who': 200 different values in 200 rows" in caplog.text


@pytest.mark.parametrize(("missing", "filled"), [("median", 2.0), ("mean", 4.0), ("zero", 0.0)])
def test_gaps_are_filled_as_asked(missing: str, filled: float) -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 9.0, None]})
    treatment = Treatment(missing=missing, scaling="none")
    encoded = dense(FeatureEncoder.learn(table, treatment=treatment).encode(table))
    np.testing.assert_allclose(encoded[:, 0], [1.0, 2.0, 9.0, filled])


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [("none", [2.0, 4.0]), ("unit", [0.0, 1.0]), ("standard", [-1.0, 1.0]), ("auto", [-1.0, 1.0])],
)
def test_numbers_are_scaled_as_asked(scaling: str, expected: list[float]) -> None:
    table = pd.DataFrame({"x": [2.0, 4.0]})
    encoder = FeatureEncoder.learn(table, treatment=Treatment(scaling=scaling))
    np.testing.assert_allclose(dense(encoder.encode(table))[:, 0], expected)


def test_a_constant_column_becomes_zero_not_nan() -> None:
    table = pd.DataFrame({"x": [3.0, 3.0], "y": [1.0, 2.0]})
    encoded = dense(FeatureEncoder.learn(table).encode(table))
    np.testing.assert_array_equal(encoded[:, 0], [0.0, 0.0])


def test_counts_stay_as_they_are_and_sparse() -> None:
    counts = pd.DataFrame(3.0 * np.eye(10), columns=[f"w{k}" for k in range(10)])
    encoded = FeatureEncoder.learn(counts).encode(counts)
    assert isinstance(encoded, csr_array)
    np.testing.assert_array_equal(encoded.toarray(), 3.0 * np.eye(10))


def test_other_rows_are_encoded_by_what_was_learned() -> None:
    """Mean 2, deviation 1; category "z" was not seen; of the words only "cat" was shared."""
    known = pd.DataFrame({"x": [1.0, 3.0], "c": ["p", "q"], "t": ["cat dog", "cat bird"]})
    encoder = FeatureEncoder.learn(known, {"c": "categorical", "t": "text"})
    assert encoder.names == ("x", "c=p", "c=q", "t:cat")
    new = pd.DataFrame({"t": ["bird cat cat", "dog"], "x": [None, 5.0], "c": ["z", "q"]})
    encoded = dense(encoder.encode(new))
    np.testing.assert_allclose(encoded, [[0.0, 0.0, 0.0, 1.0], [3.0, 0.0, 1.0, 0.0]])


def test_the_same_rows_come_out_alike_alone_and_among_others() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 4.0], "c": ["p", "q", "p"]})
    encoder = FeatureEncoder.learn(table)
    alone, among = dense(encoder.encode(table[1:2])), dense(encoder.encode(table))
    np.testing.assert_array_equal(alone, among[1:2])


def test_a_treatment_checks_itself() -> None:
    with pytest.raises(SettingValueError, match="missing"):
        Treatment(missing="guess")
