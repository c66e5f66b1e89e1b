from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cogsl.errors import LabelError
from cogsl.io.labels import encode_labels

_BOTH: list[Any] = ["b", None, "a", float("nan"), "b", "", "-1", -1]


@pytest.mark.parametrize(
    ("labels", "codes", "classes"),
    [
        (np.array([7, -1, 3, 7]), [1, -1, 0, 1], [3, 7]),
        (np.array([-2, -1, 3]), [0, -1, 1], [-2, 3]),
        (np.array([1.0, -1.0, np.nan, 0.0]), [1, -1, -1, 0], [0.0, 1.0]),
        (np.array([0, 255], dtype=np.uint8), [0, 1], [0, 255]),
        (np.array([True, False, True]), [1, 0, 1], [False, True]),
        (np.array(["b", "", "a", "-1"]), [1, -1, 0, -1], ["a", "b"]),
        (np.array(["b", -1, "a"]), [1, -1, 0], ["a", "b"]),  # NumPy makes words of all
        (np.array(_BOTH, dtype=object), [1, -1, 0, -1, 1, -1, -1, -1], ["a", "b"]),
        (np.array([5, None, 3], dtype=object), [1, -1, 0], [3, 5]),
        (np.array([True, None, False], dtype=object), [1, -1, 0], [False, True]),
        (np.array(pd.array([4, None, 2])), [1, -1, 0], [2, 4]),
        (np.array(pd.Categorical(["y", None, "x"])), [1, -1, 0], ["x", "y"]),
        (np.array([-1, -1]), [-1, -1], []),
    ],
)
def test_labels_of_any_kind_become_numbers(
    labels: np.ndarray[Any, Any], codes: list[int], classes: list[Any]
) -> None:
    encoded, found = encode_labels(labels)
    assert encoded.tolist() == codes
    assert encoded.dtype == np.int64
    assert found.tolist() == classes


def test_dates_are_classes_too() -> None:
    labels = np.array(["2021-05-01", "NaT", "2020-01-01"], dtype="datetime64[D]")
    encoded, classes = encode_labels(labels)
    assert encoded.tolist() == [1, -1, 0]
    assert classes.dtype == labels.dtype


@pytest.mark.parametrize("value", [0.5, np.inf])
def test_continuous_values_are_refused(value: float) -> None:
    with pytest.raises(LabelError, match=f"not continuous values. Got {value} instead"):
        encode_labels(np.array([0.0, value]))


def test_words_beside_numbers_are_refused() -> None:
    with pytest.raises(LabelError, match="must be of one kind"):
        encode_labels(np.array(["a", 1, "b"], dtype=object))
