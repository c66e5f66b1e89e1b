from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from cogsl.graph import Graph
from tests import at_hand


@pytest.fixture
def load_if_at_hand() -> Callable[..., Graph]:
    """Return ``load``, which skips the test where the file is not at hand."""
    return at_hand.load_if_at_hand


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder, the only one that is looked in."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.delenv("COGSL_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(folder))
    return folder
