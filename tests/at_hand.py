"""Data sets for tests: those that are not at hand skip the test, and say so."""

from __future__ import annotations

from typing import Any

import pytest

from cogsl.datasets import DATASETS
from cogsl.graph import Graph


def load_if_at_hand(name: str, **arguments: Any) -> Graph:
    """Return a data set's graph, or skip the test where the file is not at hand."""
    if not DATASETS[name].is_at_hand():
        pytest.skip(f"the file of '{name}' is not at hand; COGSL_DATA may name its folder")
    return DATASETS[name].load(**arguments)
