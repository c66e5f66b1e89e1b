"""Records as JSON, and the folder they lie in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cogsl.errors import CogslError, InputError
from cogsl.experiments.records import check_folder, write_record


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


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
