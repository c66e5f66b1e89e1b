"""`cogsl attack` from the outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cogsl import datasets
from cogsl.attacks import EdgeAddition
from cogsl.cli import app
from cogsl.io import read_graph


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["attack", *arguments])


def test_an_attacked_data_set_is_written_with_its_split(tmp_path: Path) -> None:
    path = tmp_path / "attacked.npz"
    options = ("--kind", "edge_addition", "--ratio", "0.25", "--seed", "3", "--output", str(path))
    result = invoke("wine", *options)
    assert result.exit_code == 0, result.output
    clean, written = datasets.load("wine"), read_graph(path).graph
    expected = EdgeAddition(ratio=0.25).apply(clean, seed=3)
    np.testing.assert_array_equal(written.adjacency.toarray(), expected.adjacency.toarray())
    np.testing.assert_array_equal(written.features, clean.features)
    np.testing.assert_array_equal(written.train, clean.train)
    assert f"{expected.n_edges:,} edges, {clean.n_edges:,} before" in result.stdout


def test_a_file_is_attacked_too(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    invoke("wine", "--kind", "edge_deletion", "--ratio", "0.1", "--output", str(one))
    result = invoke(str(one), "--kind", "feature_noise", "--ratio", "0.5", "--output", str(two))
    assert result.exit_code == 0, result.output
    first, second = (read_graph(path).graph for path in (one, two))
    np.testing.assert_array_equal(first.adjacency.toarray(), second.adjacency.toarray())
    assert not np.array_equal(np.asarray(first.features), np.asarray(second.features))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("whine", "--kind", "edge_deletion"), "did you mean 'wine'?"),
        (("wine", "--kind", "edge_delete"), "did you mean 'edge_deletion'?"),
        (("wine", "--kind", "edge_deletion", "--ratio", "0.99"), "Lower 'ratio' to"),
        (("none.npz", "--kind", "edge_deletion"), "no file none.npz"),
    ],
)
def test_mistakes_get_one_line_and_no_file(
    tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    path = tmp_path / "a.npz"
    result = invoke(*arguments, "--output", str(path))
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not path.exists()


def test_the_output_is_npz() -> None:
    result = invoke("wine", "--kind", "edge_deletion", "--output", "a.csv")
    assert result.exit_code == 2
    assert "must be an npz file" in result.stderr
