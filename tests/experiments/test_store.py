"""Records on disk by their keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogsl.errors import InputError
from cogsl.experiments.store import Store, read_compact, write_compact


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


def test_records_come_back_from_one_file_without_what_the_key_stands_for(tmp_path: Path) -> None:
    records = {"b": {"auc": 1.0, "settings": {"tau": 0.5}}, "a": {"auc": 0.5, "versions": {}}}
    write_compact(tmp_path / "all.jsonl", records)
    assert read_compact(tmp_path / "all.jsonl") == {"a": {"auc": 0.5}, "b": {"auc": 1.0}}
    assert (tmp_path / "all.jsonl").read_text().splitlines()[0] == '{"key": "a", "auc": 0.5}'


def test_a_store_takes_in_what_it_has_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.put("a", {"auc": 0.9})
    write_compact(tmp_path / "all.jsonl", {"a": {"auc": 0.5}, "b": {"auc": 1.0}})
    assert store.take_in(tmp_path / "all.jsonl") == 2
    assert (store.get("a"), store.get("b")) == ({"auc": 0.9}, {"auc": 1.0})


@pytest.mark.parametrize("content", ["{", "[1]", '{"auc": 1}'])
def test_a_file_of_something_else_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "all.jsonl").write_text(content)
    with pytest.raises(InputError, match="no file of records"):
        read_compact(tmp_path / "all.jsonl")
    with pytest.raises(InputError, match="Cannot read"):
        read_compact(tmp_path / "none.jsonl")
