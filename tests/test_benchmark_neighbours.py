"""The benchmark of nearest neighbours measures recall as it says, and writes what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import neighbours
from cogsl.sparse.neighbours import joined


def test_share_found_by_hand_leaves_the_node_itself_out() -> None:
    found = joined(np.array([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 1, 3]], dtype=np.int32))
    exact = np.array([[0, 1, 3], [0, 1, 3]], dtype=np.int32)
    assert neighbours.share_found(found, np.array([0, 3]), exact) == 3 / 4


def test_a_node_alone_has_nothing_to_be_found() -> None:
    found = joined(np.array([[0], [1]], dtype=np.int32))
    exact = np.array([[1]], dtype=np.int32)
    assert neighbours.share_found(found, np.array([1]), exact) == 1.0


def test_every_problem_gets_a_row_and_the_record_holds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "neighbours.json"
    small = ["--dataset", "wine", "--nodes", "300", "600", "--neighbours", "5", "--sample", "400"]
    assert neighbours.main([*small, "--output", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [(row["name"], row["nodes"]) for row in rows][1:] == [("mixture", 300), ("mixture", 600)]
    assert [row["sampled"] for row in rows] == [rows[0]["nodes"], 300, 400]
    assert all(row["recall"] > 0.9 and row["seconds"] > 0 for row in rows)
    printed = capsys.readouterr().out
    assert "wine, dense" in printed
    assert printed.count("~") == 2  # the last row, and the caption


def test_an_unknown_data_set_ends_in_an_error_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert neighbours.main(["--dataset", "wien", "--nodes"]) == 2
    assert "did you mean 'wine'" in capsys.readouterr().err
