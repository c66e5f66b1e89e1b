"""The real methods on a real data set, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogsl.cli import app


# PyTorch Geometric calls it when it is first imported.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "iterations=3"],
        ["--preset", "paper", "--set", "iterations=3"],
        ["--method", "gcn", "--set", "epochs=3"],
    ],
    ids=["default", "paper", "gcn"],
)
def test_wine_runs_from_the_name_to_the_record(tmp_path: Path, arguments: list[str]) -> None:
    command = ["run", "wine", "--seeds", "2", "--output", str(tmp_path), *arguments]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    records = [json.loads(path.read_text()) for path in sorted(tmp_path.iterdir())]
    assert [record["seed"] for record in records] == [0, 1]
    assert {record["n_iter"] for record in records} == {3}
    assert len({record["graph_hash"] for record in records}) == 1
    for record in records:
        assert 0.0 <= record["best_iter"] < 3
        assert record["accuracy"] > 0.4  # the largest class has 40 % of the nodes


def test_the_same_command_gives_the_same_figures(tmp_path: Path) -> None:
    def figures(folder: str) -> list[float]:
        output = tmp_path / folder
        command = ["run", "wine", "--set", "iterations=3", "--output", str(output)]
        assert CliRunner().invoke(app, command).exit_code == 0
        (path,) = output.iterdir()
        record = json.loads(path.read_text())
        return [record[name] for name in ("macro_f1", "auc", "val_auc")]

    assert figures("a") == figures("b")
