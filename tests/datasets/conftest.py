from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from cogsl.datasets import DATASETS
from cogsl.graph import Graph


@pytest.fixture
def load_if_at_hand() -> Callable[..., Graph]:
    """Return ``load``, which skips the test where the file is not at hand."""

    def load(name: str, **arguments: Any) -> Graph:
        if not DATASETS[name].is_at_hand():
            pytest.skip(f"the file of '{name}' is not at hand; COGSL_DATA may name its folder")
        return DATASETS[name].load(**arguments)

    return load


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder, the only one that is looked in."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.delenv("COGSL_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(folder))
    return folder
