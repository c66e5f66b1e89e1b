"""Data sets by name. To add one: one file, one line in ``DATASETS``, one mirrored test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cogsl.datasets.amazon_photo import AmazonPhoto
from cogsl.datasets.base import SPLITS, Dataset, Statistics
from cogsl.datasets.blogcatalog import BlogCatalog
from cogsl.datasets.breast_cancer import BreastCancer
from cogsl.datasets.citeseer import Citeseer
from cogsl.datasets.cora import Cora
from cogsl.datasets.digits import Digits
from cogsl.datasets.ms_academic import MSAcademic
from cogsl.datasets.polblogs import Polblogs
from cogsl.datasets.pubmed import Pubmed
from cogsl.datasets.synthetic import Synthetic
from cogsl.datasets.wikics import WikiCS
from cogsl.datasets.wine import Wine
from cogsl.errors import UnknownNameError, did_you_mean
from cogsl.settings import settings_of

if TYPE_CHECKING:
    from cogsl.graph import Graph

__all__ = ["DATASETS", "SPLITS", "Dataset", "Statistics", "load", "settings_class"]

DATASETS: dict[str, Dataset] = {
    "wine": Wine(),
    "breast_cancer": BreastCancer(),
    "digits": Digits(),
    "polblogs": Polblogs(),
    "citeseer": Citeseer(),
    "wikics": WikiCS(),
    "ms_academic": MSAcademic(),
    "cora": Cora(),
    "pubmed": Pubmed(),
    "amazon_photo": AmazonPhoto(),
    "blogcatalog": BlogCatalog(),
    "synthetic": Synthetic(),
}


def load(
    name: str,
    *,
    root: str | Path | None = None,
    split_seed: int = 0,
    split: str = "default",
    settings: Mapping[str, object] | None = None,
) -> Graph:
    """Return a data set's graph with a split.

    The file is looked for in ``root``, then in the folder that ``COGSL_DATA`` names, then in the
    user's cache folder, and is downloaded to the last if it is in none of them.

    Args:
        name: one of ``DATASETS``.
        root: folder to look in first.
        split_seed: seed of the split; another number than the seed of a run.
        split: "official", "stratified" (by seed), or "default".
        settings: what differs from the defaults of a data set that has settings.
    """
    if name not in DATASETS:
        raise UnknownNameError(f"Unknown data set '{name}'{did_you_mean(name, DATASETS)}")
    return DATASETS[name].configured(settings or {}).load(root, split, split_seed)


def settings_class(name: str) -> type[Dataset] | None:
    """Return the class of a data set that has settings; None if it has none, or is unknown."""
    dataset = DATASETS.get(name)
    return type(dataset) if isinstance(dataset, Dataset) and settings_of(dataset) else None
