"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cogsl.files import write_text


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_text_arrives_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", "μ = 0.5\n")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "μ = 0.5\n"
    assert names(tmp_path) == ["a.json"]


def test_a_second_text_replaces_the_first(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", "a long first text")
    write_text(tmp_path / "a.json", "short")
    assert (tmp_path / "a.json").read_text() == "short"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException
) -> None:
    write_text(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    if failing == "replace":
        monkeypatch.undo()
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(type(error)):
        write_text(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert names(tmp_path) == ["a.json"]


def test_the_file_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, seen = tmp_path / "a.json", []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(target.exists()))
    write_text(target, "text")
    assert seen == [False, True]  # the file first, then the folder that holds its name
