"""`cogsl compare` from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.cli.source import Source
from cogsl.methods import METHODS
from tests.comparing import Learner, Plain, two_groups, use_fakes

Invoke = Callable[..., Result]
FILES = ("--nodes", "nodes.csv", "--edges", "edges.csv", "--label-column", "kind")


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run the command beside the files of a graph of two groups, with fast methods."""
    use_fakes(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["compare", *arguments])

    return invoke


def write_files(folder: Path) -> None:
    graph = two_groups(200).graph
    rows = zip(np.asarray(graph.features)[:, 0].tolist(), graph.labels.tolist(), strict=True)
    lines = [f"n{k},{x:.3f},{'ab'[y]}" for k, (x, y) in enumerate(rows)]
    (folder / "nodes.csv").write_text("\n".join(["id,x,kind", *lines]))
    (folder / "edges.csv").write_text(
        "\n".join(["source,target", *(f"n{k},n{k + 1}" for k in range(199))])
    )


def assert_one_red_line(result: Result, *parts: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    for part in parts:
        assert part in result.stderr


def test_files_get_a_table_three_sentences_and_a_folder(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke(*FILES, "--splits", "6", "--output", "out")
    assert result.exit_code == 0, result.output
    assert "nodes: 6 splits of 200 labelled nodes, 120/40/40" in result.stdout
    assert "corrected for test nodes" in " ".join(result.stdout.split())
    verdict, reason, advice = result.stdout.splitlines()[-3:]
    assert verdict.startswith("Yes, structure learning helps here: Learner minus Plain is +")
    assert reason.startswith("It is above each of")
    assert advice.startswith("Use 'cogsl'")
    written = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert (written["answer"], written["graph"]) == ("yes", "nodes")
    assert len(list((tmp_path / "out" / "records").iterdir())) == 24
    lines = result.stderr.splitlines()
    assert lines[0].startswith("24 runs, about ")
    assert lines[1].startswith("mlp, seed 0: ")
    assert len(lines) == 26


def test_a_second_call_runs_nothing_and_says_the_same(invoke: Invoke) -> None:
    first, second = (invoke(*FILES, "--splits", "5") for _ in range(2))
    assert second.stdout == first.stdout
    assert second.stderr.startswith("0 runs, ")
    assert len(second.stderr.splitlines()) == 2


def test_ctrl_c_keeps_what_is_finished(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Learner):
        def _fit(self, graph: object, seeds: object, listener: object) -> None:
            raise KeyboardInterrupt

    use_fakes(monkeypatch, Interrupted)
    result = invoke(*FILES, "--splits", "5")
    assert result.exit_code == 130
    assert "Interrupted: 3 of 20 runs are kept; call it again to go on." in result.stderr
    assert result.stdout == ""
    use_fakes(monkeypatch)
    assert invoke(*FILES, "--splits", "5").stderr.startswith("17 runs, ")


def test_a_data_set_keeps_the_sizes_of_its_split(invoke: Invoke) -> None:
    result = invoke("breast_cancer", "--splits", "5")
    assert result.exit_code == 0, result.output
    assert "breast_cancer: 5 splits of 569 labelled nodes, 10/20/114" in result.stdout


def test_options_reach_the_comparison(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "gat", Plain)
    words = ("--seed", "3", "--least", "0.05", "--val-share", "0.1", "--test-share", "0.3")
    result = invoke(*FILES, "--splits", "5", "--method", "gat", *words)
    assert result.exit_code == 0, result.output
    written = json.loads((tmp_path / "compare" / "comparison.json").read_text())
    assert written["least"] == 0.05
    assert written["plan"]["seed"] == 3
    assert written["plan"]["methods"][-1] == "gat"
    assert [written["sizes"][part] for part in ("train", "val", "test")] == [120, 20, 60]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--method", "gcm", "wine"], ["Unknown method 'gcm'", "did you mean 'gcn'?"]),
        (["wine", "--splits", "3"], ["5 splits or more", "Got 3"]),
        (["wine", "--least", "1"], ["0.01 for one point", "Got 1.0"]),
        (["wine", "--memory-limit", "much"], ["8GiB", "'much'"]),
    ],
)
def test_a_mistake_is_one_red_line_before_anything_is_read(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, arguments: list[str], parts: list[str]
) -> None:
    monkeypatch.setattr(Source, "read", lambda _: pytest.fail("data were read"))
    assert_one_red_line(invoke(*arguments), *parts)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["Give a data set by its name, or files"]),
        (["whine"], ["Unknown data set 'whine'", "did you mean 'wine'?"]),
        (FILES[:4], ["Got no labels instead", "--label-column"]),
        ([*FILES, "--test-share", "0.01"], ["10 test nodes or more", "would have 2"]),
        ([*FILES, "--memory-limit", "1MiB"], ["mlp: The run would need", "1 MiB may be used"]),
    ],
)
def test_a_graph_that_cannot_be_compared_on_is_one_red_line_and_no_run(
    invoke: Invoke, tmp_path: Path, arguments: list[str], parts: list[str]
) -> None:
    assert_one_red_line(invoke(*arguments), *parts)
    assert not list((tmp_path / "compare" / "records").glob("*.json"))


def test_a_class_of_one_label_is_refused_by_its_name(invoke: Invoke, tmp_path: Path) -> None:
    with (tmp_path / "nodes.csv").open("a") as file:
        file.write("\nlast,0.5,rare")
    assert_one_red_line(invoke(*FILES), "Class 'rare' has 1", "label more")
