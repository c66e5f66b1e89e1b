"""The cases of ``benchmarks.comparison`` are what they are called, and its table says what was."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import comparison
from benchmarks.grid import write_records
from cogsl.graph import Graph
from tests.comparing import two_groups, use_fakes


def graph_of(case: str) -> Graph:
    return comparison.CASES[case].graph(2000)


@pytest.mark.parametrize(
    ("case", "homophily"),
    [("perfect", 1.0), ("random", 0.1), ("noisy", 0.8 * 0.7), ("sparse", 0.8 * 0.7)],
)
def test_a_drawn_graph_has_the_homophily_that_its_case_says(case: str, homophily: float) -> None:
    assert graph_of(case).homophily == pytest.approx(homophily, abs=0.01)


def test_without_a_graph_the_edges_are_those_of_similar_features() -> None:
    graph = graph_of("features")
    near = Graph.from_features(graph.features, neighbours=20)
    assert np.array_equal(graph.adjacency.indices, near.adjacency.indices)
    assert np.array_equal(graph.adjacency.indptr, near.adjacency.indptr)
    assert np.array_equal(graph.labels, graph_of("perfect").labels)


def test_answers_are_known_of_drawn_graphs_alone() -> None:
    known = {name: case.known for name, case in comparison.CASES.items()}
    assert known == {
        "perfect": "no",
        "random": "no",
        "noisy": "yes",
        "sparse": "yes",
        "features": "",
        "citeseer": "",
        "blogcatalog": "",
    }


def test_a_case_is_run_printed_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    case = comparison.Case("two groups", "yes", lambda n: two_groups(n).graph, splits=5)
    monkeypatch.setitem(comparison.CASES, "groups", case)
    summary = tmp_path / "records.json"
    whole = comparison.run_case("groups", 300, tmp_path / "runs")
    record = comparison.record_of("groups", whole)
    write_records(summary, [record])
    assert json.loads(summary.read_text()) == [record]
    assert (record["known"], record["answer"]) == ("yes", "yes")
    assert list(record["methods"]) == ["mlp", "knn_gcn", "gcn", "cogsl"]
    console = Console(width=150, record=True, file=StringIO())
    console.print(comparison.format_table([record]))
    assert "two groups" in console.export_text()


def test_an_unknown_case_is_refused() -> None:
    app = typer.Typer()
    app.command()(comparison.main)
    result = CliRunner().invoke(app, ["--case", "citeseeer"])
    assert result.exit_code == 2
    assert "did you mean 'citeseer'?" in result.stderr
