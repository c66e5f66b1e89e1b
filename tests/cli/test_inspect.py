"""`cogsl inspect` from the outside."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from cogsl.cli import app


def test_files_are_described(tmp_path: Path) -> None:
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    rows = [f"n{k},{k % 7}.5,1,{'ab'[k % 2]},[bold]{k % 2}" for k in range(40)]
    nodes.write_text("\n".join(["id,x,same,y,copy", *rows]))
    edges.write_text("\n".join(["source,target", *(f"n{k},n{k + 2}" for k in range(38))]))
    options = [str(nodes), str(edges), "--label-column", "y"]
    result = CliRunner().invoke(app, ["inspect", *options])
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "Nodes 40" in text
    assert "Edges 38" in text
    assert "a: 20, b: 20" in text
    assert "the same for all nodes: 'same'" in text
    assert "tell the label by themselves: 'copy=[bold]0', 'copy=[bold]1'" in text


def test_a_mistake_gets_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["inspect", str(tmp_path / "none.csv")])
    assert result.exit_code == 2
    assert "There is no file" in result.stderr
