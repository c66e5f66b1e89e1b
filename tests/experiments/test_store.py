"""Records on disk by their keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogsl.errors import InputError
from cogsl.experiments.store import Store


def test_what_was_put_is_got(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "down")
    assert store.get("a") is None
    store.put("a", {"macro_f1": 0.5})
    assert "a" in store
    assert Store(store.folder).get("a") == {"macro_f1": 0.5}


def test_missing_keys_come_once_and_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("b", {})
    assert store.missing(["c", "b", "a", "c"]) == ["c", "a"]


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.path("a").write_text("{")
    with pytest.raises(InputError, match=r"a\.json' is damaged"):
        store.get("a")


def test_half_written_files_are_no_records(tmp_path: Path) -> None:
    (tmp_path / ".a.json.123.tmp").write_text("{")
    assert Store(tmp_path).missing(["a"]) == ["a"]
