"""`cogsl datasets` from the outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogsl.cli import app
from cogsl.datasets import DATASETS


@pytest.fixture
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COGSL_DATA", raising=False)
    monkeypatch.setattr("cogsl.datasets.files.cache_folder", lambda: tmp_path / "cache")


def rows(*arguments: str) -> dict[str, list[str]]:
    result = CliRunner().invoke(app, ["datasets", *arguments])
    assert result.exit_code == 0, result.output
    lines = [
        re.split(r"\s+(?=[^ ]*[0-9]|yes|no)", line.strip()) for line in lines_of(result.stdout)
    ]
    return {line[0].split()[0]: line[1:] for line in lines}


def lines_of(text: str) -> list[str]:
    """Return the lines of the table's body: between the rule and the caption."""
    return text.partition("─\n")[2].splitlines()[:-1]


@pytest.mark.usefixtures("_empty_cache")
def test_every_data_set_has_a_row() -> None:
    assert rows().keys() == DATASETS.keys()


@pytest.mark.usefixtures("_empty_cache")
def test_a_row_says_what_is_known_of_a_data_set() -> None:
    found = rows()
    wine = "178 2,186 13 3 0.89 10/20/148* yes"
    citeseer = "3,327 4,552 3,703 6 0.74 120/500/1000 no"
    drawn = "10,000 50,000 64 10 0.80 200/500/1000* yes"
    assert found["wine"] == wine.split()
    assert found["synthetic"] == drawn.split()
    assert found["citeseer"] == citeseer.split()


@pytest.mark.usefixtures("_empty_cache")
def test_titles_are_the_papers_names() -> None:
    text = CliRunner().invoke(app, ["datasets"]).stdout
    assert "ms_academic   MS Academic  18,333" in text


@pytest.mark.usefixtures("_empty_cache")
def test_the_table_fits_in_80_columns() -> None:
    text = CliRunner().invoke(app, ["datasets"]).stdout
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


@pytest.mark.usefixtures("_empty_cache")
def test_files_in_the_data_root_are_at_hand(tmp_path: Path) -> None:
    (tmp_path / "citeseer.npz").write_bytes(b"")
    found = rows("--data-root", str(tmp_path))
    assert found["citeseer"][-1] == "yes"
    assert found["polblogs"][-1] == "no"


def test_a_data_root_that_is_no_folder_is_one_red_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["datasets", "--data-root", str(tmp_path / "missing")])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: The data root must be a folder.")
    assert result.stderr.count("\n") == 1
