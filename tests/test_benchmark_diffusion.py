"""The benchmark of the diffusion holds pushed rows against true ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from scipy.sparse import csr_array
from typer.testing import CliRunner

from benchmarks import diffusion
from benchmarks.claims import SMALL
from cogsl.views.diffusion import exact_personalised_pagerank, scaled_degrees

TINY = SMALL[0]
PATH = csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))


def test_the_command_writes_every_way_and_errors_within_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "diffusion.json"
    app = typer.Typer()
    app.command()(diffusion.main)
    options = ["--dataset", TINY, "--teleport", "0.2", "--effort", "3", "--effort", "300"]
    result = CliRunner().invoke(app, [*options, "--top", "8", "--output", str(path)])
    assert result.exit_code == 0, result.output
    coarse, fine, series, inverse = json.loads(path.read_text())["rows"]
    assert [row["way"] for row in (coarse, series, inverse)] == ["push", "series", "inverse"]
    assert coarse["epsilon"] == pytest.approx(1 / 24)
    for row in (coarse, fine):
        assert 0 <= row["quality"]["largest_share_of_bound"] <= 1
    assert fine["quality"]["recall"] > coarse["quality"]["recall"]


def test_true_rows_are_judged_perfect_and_a_missing_entry_is_noticed() -> None:
    exact = exact_personalised_pagerank(PATH, teleport=0.2)
    rows = np.arange(6)
    quality = {}
    for kept in (3, 2):
        found = exact_personalised_pagerank(PATH, teleport=0.2, top=kept)
        judge = diffusion.Judge(found, scaled_degrees(PATH), top=3, epsilon=1e-3)
        judge.visit(rows, exact.toarray())
        quality[kept] = judge.quality()
    assert quality[3].recall == quality[3].mass == 1
    assert quality[3].largest_error == 0
    assert quality[2].recall == pytest.approx(2 / 3)
    assert quality[2].mass < 1


def test_an_unknown_data_set_ends_in_an_error_line() -> None:
    app = typer.Typer()
    app.command()(diffusion.main)
    result = CliRunner().invoke(app, ["--dataset", "citeser"])
    assert result.exit_code == 2
    assert "did you mean 'citeseer'" in result.output
