"""From files to a folder of results, to predictions of new nodes, to a file of the graph."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.experiments.learned_edges import SCORES

QUICK = ["--threads", "1", "--set", "iterations=5", "mi_hidden=8"]


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def write_people(folder: Path) -> None:
    """Thirty people in two clubs, of whom some have not told theirs; and who knows whom."""
    rng = np.random.default_rng(0)
    club = np.arange(30) % 2
    names = [f"person {k}" for k in range(30)]
    told = np.where(np.arange(30) < 16, np.array(["chess", "go"])[club], "")
    pd.DataFrame({"name": names, "age": rng.normal(size=30) + 3 * club, "club": told}).to_csv(
        folder / "people.csv", index=False
    )
    pairs = [(names[i], names[(i + 2) % 30]) for i in range(30)]
    pd.DataFrame(pairs, columns=["one", "other"]).to_csv(folder / "knows.csv", index=False)
    pd.DataFrame({"name": ["Ann", "person 3"], "age": [3.0, 0.0]}).to_csv(
        folder / "new.csv", index=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files, and the result of a fit in ``out``."""
    path = tmp_path_factory.mktemp("fit")
    write_people(path)
    done = fit(path, "--output", path / "out", "--test-share", "0.2")
    assert done.exit_code == 0, done.output
    return path


def fit(folder: Path, *more: object) -> Result:
    nodes, edges = folder / "people.csv", folder / "knows.csv"
    files = ("--nodes", nodes, "--edges", edges, "--id-column", "name", "--label-column", "club")
    return call("fit", *files, *more, *QUICK)


def test_fit_leaves_predictions_edges_graph_and_record(folder: Path) -> None:
    out = folder / "out"
    table = pd.read_csv(out / "predictions.csv", keep_default_na=False)
    assert table["node"].tolist() == [f"person {k}" for k in range(30)]
    assert set(table["prediction"]) <= {"chess", "go"}
    assert np.allclose(table["p(chess)"] + table["p(go)"], 1.0)
    assert table["label"].tolist().count("") == 14
    assert table["part"].value_counts().to_dict() == {"": 14, "train": 10, "val": 3, "test": 3}
    edges = pd.read_csv(out / "edges.csv")
    assert (edges["change"] != "dropped").sum() == 30
    assert set(edges["source"]) | set(edges["target"]) <= set(table["node"])
    page = (out / "report.html").read_text()
    assert "person 3" not in page.split("<script type")[0]  # names are data, never markup
    assert "10 labelled nodes" in page
    record = json.loads((out / "record.json").read_text())
    assert record["source"] == "people"
    assert record["settings"]["mi_hidden"] == 8
    assert 0 <= record["accuracy"] <= 1
    assert len(record["history"]) == 5


def test_the_summary_says_what_was_learned(folder: Path, tmp_path: Path) -> None:
    done = fit(folder, "--output", tmp_path)
    assert done.exit_code == 0
    assert "13 to learn from, 3 to choose by, 0 to judge by" in done.output
    assert "nodes to judge by " not in done.output
    assert "Kept edges" in done.output


def test_the_report_shows_the_edges_that_were_chosen(folder: Path, tmp_path: Path) -> None:
    for by in ("both", "agreement"):
        out = tmp_path / by
        assert fit(folder, "--output", out, "--by", by).exit_code == 0
        changes = pd.read_csv(out / "edges.csv")["change"].value_counts()
        page = (out / "report.html").read_text()
        assert f'"weighed_by":"{SCORES[by]}"' in page
        assert f"; {changes.get('added', 0)} are new" in page


def test_the_learned_graph_can_be_compared_with_the_given_one(folder: Path) -> None:
    done = call("diff", folder / "out" / "graph.npz", folder / "out" / "learned_graph.npz")
    assert done.exit_code == 0
    assert "Homophily" in done.output


def test_a_model_is_not_overwritten_unless_asked(folder: Path, tmp_path: Path) -> None:
    assert fit(folder, "--output", tmp_path).exit_code == 0
    again = fit(folder, "--output", tmp_path)
    assert again.exit_code == 2
    assert "holds a model already" in again.output
    assert fit(folder, "--output", tmp_path, "--overwrite").exit_code == 0


def test_a_table_without_edges_is_fitted(folder: Path, tmp_path: Path) -> None:
    done = call(
        *("fit", "--nodes", folder / "people.csv", "--id-column", "name"),
        *("--label-column", "club", "--output", tmp_path, *QUICK),
    )
    assert done.exit_code == 0, done.output


def test_a_data_set_is_fitted_with_its_own_split(tmp_path: Path) -> None:
    done = call("fit", "wine", "--output", tmp_path, *QUICK)
    assert done.exit_code == 0, done.output
    assert "10 to learn from, 20 to choose by, 148 to judge by" in done.output


def test_new_nodes_are_predicted_and_known_ones_looked_up(folder: Path, tmp_path: Path) -> None:
    written = tmp_path / "predictions.csv"
    new = ("--model", folder / "out", "--nodes", folder / "new.csv")
    done = call("predict", *new, "--output", written, "--threads", 1)
    assert done.exit_code == 0, done.output
    assert "1 new nodes predicted, 1 known ones looked up" in done.output
    found, fitted = pd.read_csv(written), pd.read_csv(folder / "out" / "predictions.csv")
    assert found["node"].tolist() == ["Ann", "person 3"]
    assert found["p(go)"][1] == fitted["p(go)"][3]
    shown = call("predict", *new, "--threads", 1)
    assert "Ann" in shown.output


def test_all_known_nodes_get_exactly_the_predictions_of_the_fit(
    folder: Path, tmp_path: Path
) -> None:
    written = tmp_path / "predictions.csv"
    call(
        *("predict", "--model", folder / "out", "--nodes", folder / "people.csv"),
        *("--output", written),
    )
    found, fitted = pd.read_csv(written), pd.read_csv(folder / "out" / "predictions.csv")
    assert found.equals(fitted[found.columns])


@pytest.mark.parametrize("file", ["g.csv", "g.graphml", "g.npz", "g.parquet"])
def test_the_learned_graph_is_exported(folder: Path, tmp_path: Path, file: str) -> None:
    done = call("export", folder / "out", tmp_path / file, "--n-edges", 7, "--by", "agreement")
    assert done.exit_code == 0, done.output
    assert "7 edges in" in done.output
    assert (tmp_path / file).stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label-column", "clbu"], "did you mean 'club'"),
        (["--set", "iteration=5"], "did you mean 'iterations'"),
        (["--n-edges", "3", "--least", "0.1"], "Give one of --n-edges"),
        (["--by", "size"], "cannot be chosen by 'size'"),
        (["--val-share", "1.5"], "leave some for training"),
        (["--memory-limit", "1KiB"], "of memory"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    folder: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    done = fit(folder, "--output", tmp_path / "out", *words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([""] * 30, "holds no label"),
        (["chess"] + [""] * 29, "two classes at least"),
        (["chess", "go"] + [""] * 28, "seen but once"),
    ],
)
def test_too_few_labels_are_refused(
    folder: Path, tmp_path: Path, labels: list[str], message: str
) -> None:
    people = pd.read_csv(folder / "people.csv").assign(club=labels)
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "knows.csv").write_bytes((folder / "knows.csv").read_bytes())
    done = fit(tmp_path, "--output", tmp_path / "out")
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
