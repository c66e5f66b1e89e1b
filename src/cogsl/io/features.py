"""The columns of a node table as features: numbers, categories, text and vectors.

What is learned from a table (what fills a gap, how a column is scaled, which categories and words
there are) is kept, so that nodes of another table come out in the same way.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from cogsl.errors import FeatureValueError, SettingValueError, UnknownNameError, did_you_mean
from cogsl.graph import Features
from cogsl.io.numbers import Numbers, Treatment, parse_numbers, plain_columns, row_names
from cogsl.io.tables import identifiers, listed
from cogsl.sparse.columns import Block, side_by_side

logger = logging.getLogger("cogsl")

KINDS = ("numeric", "categorical", "text", "vector", "ignore")

_MOST_CATEGORIES = 50  # words that come more often are taken for names or text
_TEXT_WORDS = 3.0  # words a value has in the mean, from which a column is text
_MOST_WORDS = 5_000  # of a text column: those that the most nodes have
_FEW_ODD = 0.05  # share of words among numbers up to which they are taken for mistakes

FloatArray = npt.NDArray[np.float64]


class Part(Protocol):
    """Some columns of a table, and how they become features."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name a feature."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""

    def encode(self, table: Any) -> Block:
        """Return the features of a table's rows, n x d."""


@dataclass(frozen=True)
class Categories:
    """A column of categories: one feature each, 1 or 0. A category not seen before is all 0."""

    column: str
    categories: tuple[str, ...]

    @classmethod
    def learn(cls, table: Any, column: str) -> Categories:
        """Take the categories of a table; a missing value is one of its own."""
        return cls(column, tuple(sorted(set(_words(table[column])))))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column that is read."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """One name a category."""
        return tuple(f"{self.column}={category}" for category in self.categories)

    def encode(self, table: Any) -> csr_array:
        """Return one 1 in each row, n x d."""
        place = {category: k for k, category in enumerate(self.categories)}
        found = np.array([place.get(word, -1) for word in _words(table[self.column])])
        rows = np.flatnonzero(found >= 0)
        ones = np.ones(len(rows), dtype=np.float32)
        return csr_array((ones, (rows, found[rows])), shape=(len(found), len(place)))


_GAP = "(missing)"


def _words(column: Any) -> list[str]:
    """Return the values as text, a word of its own where one is missing."""
    return [_GAP if word is None else word for word in identifiers(column)]


@dataclass(frozen=True)
class Text:
    """A column of text: how often it has each word, rows of unit length."""

    column: str
    words: tuple[str, ...]

    @classmethod
    def learn(cls, table: Any, column: str) -> Text:
        """Take the words that at least two rows have."""
        from sklearn.feature_extraction.text import CountVectorizer  # heavy

        counter = CountVectorizer(min_df=2, max_features=_MOST_WORDS, dtype=np.float32)
        try:
            counter.fit(_texts(table[column]))
        except ValueError as error:  # no word is left
            raise FeatureValueError(
                f"Column '{column}' has no word that two nodes share. Leave it out, or say that it "
                "is categorical."
            ) from error
        return cls(column, tuple(counter.get_feature_names_out()))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column that is read."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """One name a word."""
        return tuple(f"{self.column}:{word}" for word in self.words)

    def encode(self, table: Any) -> csr_array:
        """Return the counts, each row of length 1, n x d."""
        from sklearn.feature_extraction.text import CountVectorizer  # heavy
        from sklearn.preprocessing import normalize

        counter = CountVectorizer(vocabulary=list(self.words), dtype=np.float32)
        return csr_array(normalize(counter.transform(_texts(table[self.column]))))


def _texts(column: Any) -> list[str]:
    return ["" if word is None else word for word in identifiers(column)]


@dataclass(frozen=True)
class Vectors:
    """A column of lists of numbers, all of one length, taken as they are."""

    column: str
    length: int

    @classmethod
    def learn(cls, table: Any, column: str) -> Vectors:
        """Take the length of the first."""
        return cls(column, len(table[column].iloc[0]))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column that is read."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """One name a place."""
        return tuple(f"{self.column}[{k}]" for k in range(self.length))

    def encode(self, table: Any) -> npt.NDArray[np.float32]:
        """Return the numbers, n x d."""
        values = table[self.column]
        fits = np.array([_is_vector(value) and len(value) == self.length for value in values])
        if not fits.all():
            raise FeatureValueError(
                f"Column '{self.column}' must hold lists of {self.length} numbers. Got others in "
                f"rows {row_names(np.flatnonzero(~fits))}."
            )
        try:
            return np.array(list(values), dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise FeatureValueError(
                f"Column '{self.column}' holds lists that are not all of numbers. Mend them, or "
                "leave it out."
            ) from error


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


@dataclass(frozen=True, eq=False)
class FeatureEncoder:
    """How the columns of a table become features."""

    parts: tuple[Part, ...]

    @classmethod
    def learn(
        cls, table: Any, kinds: Mapping[str, str] | None = None, treatment: Treatment | None = None
    ) -> FeatureEncoder:
        """Find out about every column of a table.

        Parameters
        ----------
        table : a pandas data frame of the columns that may become features.
        kinds : what some columns are (``KINDS``); that of the others is found out.
        treatment : of numbers.
        """
        given = dict(kinds or {})
        _check_kinds(given, table)
        found = dict.fromkeys(plain_columns(table), "numeric") | given
        found = {name: found.get(name) or kind_of(table[name], name) for name in table.columns}
        parts: list[Part] = []
        numeric = [name for name, kind in found.items() if kind == "numeric"]
        if numeric:
            _check_numeric(table, sorted(set(numeric) - plain_columns(table)))
            parts.append(Numbers.learn(table, numeric, treatment or Treatment()))
        for kind, part in _OTHERS.items():
            parts += [part.learn(table, name) for name, its in found.items() if its == kind]
        return cls(tuple(parts))

    @property
    def names(self) -> tuple[str, ...]:
        """One name a feature."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a table must have."""
        return tuple(column for part in self.parts for column in part.columns)

    def encode(self, table: Any) -> Features:
        """Return the features of a table's rows, n x d: dense, or sparse where most are 0."""
        missing = [column for column in self.columns if column not in table.columns]
        if missing:
            raise UnknownNameError(
                f"The table of nodes must have the column {listed(missing)}"
                f"{did_you_mean(missing[0], map(str, table.columns))}"
            )
        return side_by_side([part.encode(table) for part in self.parts])


_OTHERS: dict[str, Any] = {"categorical": Categories, "text": Text, "vector": Vectors}


def kind_of(column: Any, name: str) -> str:
    """Find out what a column is; one that cannot be used as it is is left out, with a log line."""
    import pandas as pd  # heavy

    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return "numeric"
    known = column.dropna()
    if not len(known):
        logger.info("Left out column '%s': it is empty.", name)
        return "ignore"
    if _is_vector(known.iloc[0]):
        return "vector"
    if pd.api.types.is_datetime64_any_dtype(column):
        logger.info("Left out column '%s': dates. Turn them into numbers to use them.", name)
        return "ignore"
    _, odd = parse_numbers(column)
    if odd.mean() <= _FEW_ODD:
        return "numeric"
    words = [word for word in identifiers(known) if word is not None]
    if len(set(words)) <= min(_MOST_CATEGORIES, max(2, len(words) // 2)):
        return "categorical"
    if np.mean([len(word.split()) for word in words]) >= _TEXT_WORDS:
        return "text"
    logger.info(
        "Left out column '%s': %d different values in %d rows. Say that it is categorical or text "
        "to use it.",
        name,
        len(set(words)),
        len(words),
    )
    return "ignore"


def _check_kinds(kinds: Mapping[str, str], table: Any) -> None:
    for name, kind in kinds.items():
        if name not in table.columns:
            raise UnknownNameError(
                f"There is no column '{name}'{did_you_mean(name, map(str, table.columns))}"
            )
        if kind not in KINDS:
            raise SettingValueError(
                f"The kind of column '{name}' must be one of {', '.join(KINDS)}. Got '{kind}'"
                f"{did_you_mean(kind, KINDS)}"
            )


def _check_numeric(table: Any, names: Sequence[str]) -> None:
    """Raise an error for words in a column of numbers."""
    for name in names:
        _, odd = parse_numbers(table[name])
        if odd.any():
            words = listed(table[name][odd])
            raise FeatureValueError(
                f"Column '{name}' must hold numbers. Got {words} instead, in rows "
                f"{row_names(np.flatnonzero(odd))}. Mend them, or say that the column is "
                "categorical."
            )
