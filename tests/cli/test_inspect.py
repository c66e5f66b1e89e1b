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


def test_files_are_read_as_fit_reads_them(tmp_path: Path) -> None:
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    nodes.write_text("id;x\n" + "\n".join(f"n{k};{k % 3}" for k in range(9)))
    edges.write_text("cost;from;to\n" + "\n".join(f"2;n{k};n{k + 1}" for k in range(8)))
    roles = ["from=source", "to=target", "cost=weight"]
    options = [word for role in roles for word in ("--edge-column", role)]
    kinds = ["--column", "x=categorical", "--delimiter", ";"]
    result = CliRunner().invoke(app, ["inspect", str(nodes), str(edges), *options, *kinds])
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "Edges 8" in text
    assert "Features 3" in text
    files = ["--nodes", str(nodes), "--edges", str(edges)]
    result = CliRunner().invoke(app, ["estimate", *files, *options, *kinds])
    assert result.exit_code == 0, result.output
