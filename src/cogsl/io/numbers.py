"""Columns of numbers as features: gaps filled, and scaled."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cogsl.errors import FeatureValueError
from cogsl.io.tables import MISSING, listed
from cogsl.settings import setting, validate_settings
from cogsl.sparse.columns import Block, is_mostly_zero

logger = logging.getLogger("cogsl")

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """What is done to columns that hold numbers.

    ``scaling="auto"`` is "standard", or "none" where at least four numbers in five are 0: such
    tables are counts, which stay sparse.
    """

    missing: str = setting(
        "median", "what fills a gap between numbers", choices=("median", "mean", "zero", "error")
    )
    scaling: str = setting(
        "auto", "how columns of numbers are scaled", choices=("auto", "standard", "unit", "none")
    )

    def __post_init__(self) -> None:
        validate_settings(self)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Columns of numbers x, each (x - centre) / scale; gaps are filled before."""

    names: tuple[str, ...]
    fill: FloatArray
    centre: FloatArray
    scale: FloatArray

    @classmethod
    def learn(cls, table: Any, names: Sequence[str], treatment: Treatment) -> Numbers:
        """Find what fills and scales the columns."""
        values = _numbers(table, names)
        gaps = np.isnan(values)
        _check_gaps(names, gaps, treatment)
        fill = _filling(values, treatment.missing)
        values = np.where(gaps, fill, values)
        scaling = treatment.scaling
        if scaling == "auto":
            are_counts = is_mostly_zero(int(np.count_nonzero(values)), values.size)
            scaling = "none" if are_counts else "standard"
        return cls(tuple(names), fill, *_scaling(values, scaling))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; each is one feature."""
        return self.names

    def encode(self, table: Any) -> Block:
        """Return the scaled numbers, n x d."""
        values = _numbers(table, self.names)
        values = np.where(np.isnan(values), self.fill, values)
        return ((values - self.centre) / self.scale).astype(np.float32)


def _numbers(table: Any, names: Sequence[str]) -> FloatArray:
    """Return columns as n x d numbers, NaN where one is missing."""
    import pandas as pd  # heavy

    some = table[list(names)]
    if len(plain_columns(some)) < len(names):
        some = pd.concat([parse_numbers(table[name])[0] for name in names], axis=1)
    values = some.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(np.isinf(values).any(axis=0))
    if len(wrong):
        rows = np.flatnonzero(np.isinf(values[:, wrong[0]]))
        raise FeatureValueError(
            f"Column '{names[wrong[0]]}' holds infinite numbers, in rows {row_names(rows)}. "
            "Mend them, or leave the column out."
        )
    return np.asarray(values)


def plain_columns(table: Any) -> set[str]:
    """Return the columns that hold numbers and nothing else, found without a look at them."""
    return {name for name, its in table.dtypes.items() if its.kind in "biuf"}


def parse_numbers(column: Any) -> tuple[Any, npt.NDArray[np.bool_]]:
    """Return a column as numbers, and where there are words instead."""
    import pandas as pd  # heavy

    if pd.api.types.is_bool_dtype(column):
        return column.astype(float), np.zeros(len(column), dtype=bool)
    if pd.api.types.is_numeric_dtype(column):
        return column, np.zeros(len(column), dtype=bool)
    given = column.where(~column.isin(MISSING))
    numbers = pd.to_numeric(given, errors="coerce")
    return numbers, (given.notna() & numbers.isna()).to_numpy(dtype=bool)


def _check_gaps(names: Sequence[str], gaps: npt.NDArray[np.bool_], treatment: Treatment) -> None:
    """Tell of missing numbers, or refuse them."""
    incomplete = np.flatnonzero(gaps.any(axis=0))
    if not len(incomplete):
        return
    shown = listed(names[int(k)] for k in incomplete)
    if treatment.missing == "error":
        raise FeatureValueError(
            f"Numbers are missing in column {shown}. Fill them in, or say what stands for them: "
            "missing = median, mean or zero."
        )
    count, by = int(gaps.sum()), treatment.missing
    logger.info("Filled %d missing numbers with the column's %s, in %s.", count, by, shown)


def _filling(values: FloatArray, missing: str) -> FloatArray:
    """Return what stands for a missing number, by column; 0 for a column that has none."""
    fill = np.zeros(values.shape[1])
    if missing in ("median", "mean"):
        known = ~np.isnan(values).all(axis=0)
        middle = np.nanmedian if missing == "median" else np.nanmean
        fill[known] = middle(values[:, known], axis=0)
    return fill


def _scaling(values: FloatArray, scaling: str) -> tuple[FloatArray, FloatArray]:
    """Return centre and scale of each column; a constant one keeps a scale of 1."""
    centre, scale = np.zeros(values.shape[1]), np.ones(values.shape[1])
    if scaling == "standard":
        centre, scale = values.mean(axis=0), values.std(axis=0)
    elif scaling == "unit":
        centre, scale = values.min(axis=0), np.ptp(values, axis=0)
    return centre, np.where(scale > 0, scale, 1.0)


def row_names(rows: npt.NDArray[np.int64]) -> str:
    """Name rows as people count them, from 1."""
    shown = ", ".join(str(row + 1) for row in rows[:5].tolist())
    return f"{shown}, ... ({len(rows)} in all)" if len(rows) > 5 else shown
