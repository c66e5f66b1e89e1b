"""Records are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cogsl.errors import CogslError, InputError
from cogsl.experiments.records import check_folder, write_record, write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_text_arrives_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "μ = 0.5\n")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "μ = 0.5\n"
    assert names(tmp_path) == ["a.json"]


def test_a_second_text_replaces_the_first(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "a long first text")
    write_whole(tmp_path / "a.json", "short")
    assert (tmp_path / "a.json").read_text() == "short"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException
) -> None:
    write_whole(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    if failing == "replace":
        monkeypatch.undo()
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(type(error)):
        write_whole(tmp_path / "a.json", "new")
    assert (tmp_path / "a.json").read_text() == "old"
    assert names(tmp_path) == ["a.json"]


def test_the_file_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, seen = tmp_path / "a.json", []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(target.exists()))
    write_whole(target, "text")
    assert seen == [False, True]  # the file first, then the folder that holds its name


def test_a_record_is_plain_json(tmp_path: Path) -> None:
    record = {"macro_f1": 0.5, "settings": {"mu": (0.5, 0.1), "mi_batch": None}}
    write_record(tmp_path / "a.json", record)
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "macro_f1": 0.5,
        "settings": {"mu": [0.5, 0.1], "mi_batch": None},
    }


def test_a_record_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(CogslError, match="No such file or directory"):
        write_record(tmp_path / "missing" / "a.json", {})


def test_checking_a_folder_makes_it_and_leaves_it_empty(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert names(tmp_path / "a" / "b") == []


def test_a_file_cannot_be_the_output_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(InputError, match="Cannot write in the output folder"):
        check_folder(tmp_path / "a")
    with pytest.raises(InputError, match="Cannot write in the output folder"):
        check_folder(tmp_path / "a" / "b")
