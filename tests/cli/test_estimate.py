"""`cogsl estimate` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.cost import GraphSize
from cogsl.experiments import forecast
from cogsl.methods.base import NodeClassifier
from tests.fakes import install


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["estimate", *arguments])


def row(result: Result, name: str) -> str:
    (line,) = (line for line in result.stdout.splitlines() if line.strip().startswith(name))
    return line


def test_the_parts_and_the_whole_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    result = invoke("toy", "--method", "centroids", "--set", "iterations=4")
    assert result.exit_code == 0, result.output
    assert "centroids on toy" in result.stdout
    assert "0.5 s" in row(result, "Views")
    assert "2.0 s" in row(result, "One iteration")
    assert "9.0 s" in row(result, "Whole run, 4 iterations")
    assert "MiB" in row(result, "Whole run")


def test_a_synthetic_graph_is_estimated_without_being_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        pytest.fail("the graph was drawn")

    monkeypatch.setattr("cogsl.datasets.synthetic.generate", fail)
    result = invoke("synthetic", "--set", "nodes=1000000", "clusters=100")
    assert result.exit_code == 0, result.output
    assert "GiB" in row(result, "Whole run, 100 iterations")


def test_a_graph_of_one_s_own_needs_its_counts_alone() -> None:
    result = invoke("--nodes", "50000", "--edges", "200000", "--features", "500")
    sparse = invoke(
        *("--nodes", "50000", "--edges", "200000", "--features", "500", "--nonzeros", "100000")
    )
    assert "cogsl on your graph" in result.stdout
    assert row(result, "Whole run") != row(sparse, "Whole run")


def test_what_does_not_fit_is_said_after_the_table() -> None:
    counts = ("--nodes", "50000", "--edges", "200000", "--features", "64")
    result = invoke(*counts, "--memory-limit", "300MiB")
    assert result.exit_code == 2
    assert "Whole run" in result.stdout
    assert "300 MiB may be used. Train in mini-batches" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "The graph is missing: cogsl estimate DATASET, or --nodes and --edges"),
        (("--edges", "7"), "The graph is missing: cogsl estimate DATASET, or --nodes and --edges"),
        (("--nodes", "50000"), "needs three: --nodes, --edges and --features"),
        (("--nodes", "50000", "--edges", "9"), "needs three: --nodes, --edges and --features"),
        (("--nodes", "1", "--edges", "9", "--features", "9"), "two nodes at least"),
        (("--nodes", "none.csv", "--edges", "e.csv"), "There is no file none.csv"),
        (("wine", "--nodes", "50000"), "a data set, or the nodes and edges of a graph of yours"),
        (("whine",), "did you mean 'wine'?"),
        (("wine", "--set", "tua=1"), "did you mean 'tau'?"),
        (("wine", "--method", "cogls"), "did you mean 'cogsl'?"),
        (
            ("--nodes", "9", "--edges", "9", "--features", "9", "--preset", "paper"),
            "no 'paper' preset for 'your graph'",
        ),
        (("wine", "--preset", "papre"), "did you mean 'paper'?"),
    ],
)
def test_mistakes_get_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


def test_files_are_read_for_their_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, real = list[GraphSize](), forecast.forecast

    def watched(method: NodeClassifier, size: GraphSize) -> forecast.Forecast:
        sizes.append(size)
        return real(method, size)

    monkeypatch.setattr(forecast, "forecast", watched)
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    rows = [f"n{k},{k % 7}.5,{k % 3},{'ab'[k % 2]}" for k in range(50)]
    nodes.write_text("\n".join(["id,x,z,y", *rows]))
    edges.write_text("\n".join(["source,target", *(f"n{k},n{k + 1}" for k in range(49))]))
    result = invoke("--nodes", str(nodes), "--edges", str(edges), "--label-column", "y")
    assert result.exit_code == 0, result.output
    assert sizes == [GraphSize(nodes=50, entries=98, features=2, classes=2, train=50)]
    assert "cogsl on your graph" in result.stdout
