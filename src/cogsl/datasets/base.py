"""The interface of every data set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy.typing as npt

from cogsl.datasets.splits import IntArray, Parts, balanced_split, stratified_split
from cogsl.errors import (
    SettingValueError,
    UnknownNameError,
    UnknownSettingError,
    did_you_mean,
)
from cogsl.settings import coerce_settings, settings_of, validate_settings

if TYPE_CHECKING:
    from cogsl.cost import GraphSize
    from cogsl.graph import Graph

Split: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]

SPLITS = ("default", "official", "stratified")


@dataclass(frozen=True)
class Statistics:
    """What is known of a data set before it is read; ``edges`` counts each edge once.

    ``train``, ``val`` and ``test`` are the sizes of the default split. Of a data set with settings
    they are those of the defaults.
    """

    nodes: int
    edges: int
    features: int
    classes: int
    homophily: float
    train: int
    val: int
    test: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset(ABC):
    """A data set by name: what is known of it, and how to read it.

    ``title`` is what papers call it. In a ``balanced`` split by seed each class has the same
    number of training nodes; else each class has its share. Most have no settings; one that has
    is a dataclass with fields made by ``setting``, whose names no method uses.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    statistics: ClassVar[Statistics]
    has_official_split: ClassVar[bool] = False
    default_split: ClassVar[str] = "stratified"
    balanced: ClassVar[bool] = False

    @property
    def draws_splits(self) -> bool:
        """Whether a split seed decides its usual split."""
        return self.default_split != "official"

    @abstractmethod
    def is_at_hand(self, root: str | Path | None = None) -> bool:
        """Tell whether it can be loaded without a download."""

    @abstractmethod
    def _read(self, root: str | Path | None, split_seed: int) -> tuple[Graph, Split | None]:
        """Return the graph without a split, and the official split if there is one."""

    def configured(self, settings: Mapping[str, object]) -> Self:
        """Return the data set with these settings, given as words or values, and the defaults."""
        if not settings:
            return self
        if not settings_of(self):
            raise UnknownSettingError(
                f"The data set '{self.name}' has no settings. Got '{next(iter(settings))}'."
            )
        kind = type(self)
        other = kind(**coerce_settings(kind, settings))
        other.validate()
        return other

    def validate(self) -> None:
        """Raise ``SettingValueError`` if a setting has a value that it cannot have."""
        validate_settings(self)

    def get_params(self) -> dict[str, Any]:
        """Return every setting by name."""
        return {name: getattr(self, name) for name in settings_of(self)}

    def size(self) -> GraphSize | None:
        """Return what the cost of a run depends on, or None if it is known only when it is read."""
        return None

    def load(
        self, root: str | Path | None = None, split: str = "default", split_seed: int = 0
    ) -> Graph:
        """Return the graph with a split.

        Args:
            root: folder to look in first.
            split: "official", "stratified" (by seed), or "default": the one of the two that the
                data set's statistics speak of.
            split_seed: decides a split by seed, and which one where several are official.
        """
        wanted = self._wanted_split(split)
        if split_seed < 0:
            raise SettingValueError(f"The split seed must be >= 0. Got {split_seed} instead.")
        graph, official = self._read(root, split_seed)
        if wanted == "official":
            assert official is not None
            return graph.with_split(*official)
        return graph.with_split(*self._draw_split(graph.labels, split_seed))

    def _wanted_split(self, split: str) -> str:
        if split not in SPLITS:
            raise UnknownNameError(f"Unknown split '{split}'{did_you_mean(split, SPLITS)}")
        if split == "official" and not self.has_official_split:
            raise SettingValueError(
                f"The data set '{self.name}' has no official split; use split='stratified' and a "
                "split seed."
            )
        return self.default_split if split == "default" else split

    def _draw_split(self, labels: IntArray, split_seed: int) -> Parts:
        """Draw a split of the default split's sizes."""
        from cogsl.seeding import Seeds

        sizes = self.statistics
        generator = Seeds(split_seed).numpy("split")
        if self.balanced:
            per_class = sizes.train // sizes.classes
            return balanced_split(
                labels, per_class=per_class, n_val=sizes.val, n_test=sizes.test, generator=generator
            )
        return stratified_split(
            labels, n_train=sizes.train, n_val=sizes.val, n_test=sizes.test, generator=generator
        )
