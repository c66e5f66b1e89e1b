"""`cogsl reproduce` from the outside."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.cli.reproducing import format_count
from cogsl.experiments.specs import Spec, expand, parse_spec
from cogsl.experiments.store import write_compact

QUICK: dict[str, Any] = {
    "title": "Quick",
    "paper": "none",
    "kind": "table",
    "datasets": ["wine", "citeseer"],
    "metrics": ["macro_f1"],
    "series": [
        {"name": "MLP", "method": "mlp", "settings": {"epochs": 20}},
        {"name": "GCN", "method": "gcn", "settings": {"epochs": 20}},
    ],
}


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["reproduce", *arguments])


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read(name: str) -> Spec:
        return parse_spec(name, QUICK)

    monkeypatch.setattr("cogsl.experiments.specs.read_spec", read)
    monkeypatch.setattr("cogsl.experiments.specs.spec_names", lambda: ["quick"])
    monkeypatch.setenv("COGSL_DATA", str(tmp_path))  # nothing is there
    monkeypatch.setattr("cogsl.datasets.files.cache_folder", lambda: tmp_path)


@pytest.mark.usefixtures("_quick")
def test_tables_come_out_and_a_second_call_runs_nothing(tmp_path: Path) -> None:
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    first = invoke("quick", "--seeds", "2", *folders)
    assert first.exit_code == 0, first.output
    assert "Left out citeseer: its file is not at hand" in first.stderr
    assert "4 runs, of which 4 are missing: about 1 minute of one processor." in first.stderr
    assert "4 runs were done, 0 were there already" in first.stderr
    lines = [line for line in first.stderr.splitlines() if "on wine, seed" in line]
    counts = [re.search(r"; (\d of 4)(, (about|less).* left)?$", line) for line in lines]
    assert [found and found[1] for found in counts] == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    assert [bool(found and found[2]) for found in counts] == [True, True, True, False]
    assert "MLP" in (tmp_path / "out" / "quick.md").read_text()
    table = (tmp_path / "out" / "quick.csv").read_bytes()
    again = invoke("quick", "--seeds", "2", *folders)
    assert "4 runs, and all are there." in again.stderr
    assert "0 runs were done, 4 were there already" in again.stderr
    assert (tmp_path / "out" / "quick.csv").read_bytes() == table
    records = [json.loads(p.read_text()) for p in (tmp_path / "store").glob("*.json")]
    assert {(r["method"], r["seed"]) for r in records} == {
        (method, seed) for method in ("mlp", "gcn") for seed in (0, 1)
    }


@pytest.mark.usefixtures("_quick")
def test_a_spec_is_narrowed(tmp_path: Path) -> None:
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    result = invoke("quick", "--seeds", "1", "--methods", "mlp", "--datasets", "wine", *folders)
    assert "1 runs were done" in result.stderr
    assert "GCN" not in (tmp_path / "out" / "quick.md").read_text()


@pytest.mark.usefixtures("_quick")
def test_long_runs_are_left_out_unless_they_are_done(tmp_path: Path) -> None:
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    one = ("quick", "--seeds", "1")
    none = invoke(*one, "--longest", "0", *folders)
    assert none.exit_code == 0, none.output
    assert re.search(r"longer than asked for: GCN on wine, about .* a run \(1\)\.", none.stderr)
    assert "0 runs were done" in none.stderr
    assert "2 runs were done" in invoke(*one, "--longest", "1", *folders).stderr
    done = invoke(*one, "--longest", "0", *folders)
    assert "Left out, as" not in done.stderr
    assert "0 runs were done, 2 were there already" in done.stderr


@pytest.mark.usefixtures("_quick")
def test_records_of_a_file_are_shown_without_a_run(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    invoke("quick", "--seeds", "1", "--output", str(tmp_path / "out"), "--store", str(one))
    keys = {path.stem: json.loads(path.read_text()) for path in one.glob("*.json")}
    write_compact(tmp_path / "all.jsonl", dict(list(keys.items())[:1]))
    options = ("--records", str(tmp_path / "all.jsonl"), "--no-run", "--seeds", "1")
    result = invoke("quick", *options, "--output", str(tmp_path / "out"), "--store", str(two))
    assert result.exit_code == 0, result.output
    assert "0 runs were done, 1 were there already" in result.stderr


@pytest.mark.usefixtures("_quick")
def test_a_grid_goes_on_elsewhere_from_a_file_of_records(tmp_path: Path) -> None:
    records, one = tmp_path / "records" / "all.jsonl", ("--methods", "mlp", "--datasets", "wine")
    here = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "one"))
    first = invoke("quick", "--seeds", "1", *one, "--records", str(records), *here)
    assert "1 records are in" in first.stderr, first.output
    there = ("--output", str(tmp_path / "other"), "--store", str(tmp_path / "two"))
    again = invoke("quick", "--seeds", "2", *one, "--records", str(records), *there)
    assert "1 runs were done, 1 were there already" in again.stderr
    assert "2 records are in" in again.stderr
    shown = invoke("quick", *one, "--no-run", "--records", str(records), *here)
    assert "0 runs were done, 2 were there already" in shown.stderr
    lines = records.read_text().splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == len(lines) == 2


@pytest.mark.usefixtures("_quick")
def test_records_are_shown_where_their_data_is_not_at_hand(tmp_path: Path) -> None:
    tasks = expand(parse_spec("quick", QUICK), lambda _: 1)
    mlp = next(task for task in tasks if (task.dataset, task.method) == ("citeseer", "mlp"))
    record = {"dataset": "citeseer", "dataset_settings": {}, "seed": 0, "split_seed": 0}
    record |= {"data_hash": "abc", "macro_f1": 0.625}
    write_compact(tmp_path / "all.jsonl", {mlp.key("abc"): record})
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    options = ("--datasets", "citeseer", *folders, "--records", str(tmp_path / "all.jsonl"))
    shown = invoke("quick", "--no-run", *options)
    assert shown.exit_code == 0, shown.output
    assert "| MLP | **62.5** |" in (tmp_path / "out" / "quick.md").read_text()
    run = invoke("quick", *options)
    assert run.exit_code == 2
    assert "No data set of 'quick' is at hand" in run.stderr


def test_records_that_are_shown_must_be_there(tmp_path: Path) -> None:
    missing = invoke(
        "table-fusion",
        "--no-run",
        "--records",
        str(tmp_path / "no.jsonl"),
        "--store",
        str(tmp_path),
    )
    assert missing.exit_code == 2
    assert "Cannot read the records" in missing.stderr


def test_a_figure_that_cannot_be_drawn_is_refused_before_any_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "cogsl.experiments.specs.read_spec",
        lambda name: parse_spec(name, QUICK | {"kind": "figure"}),
    )
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    result = invoke("quick", "--seeds", "1", "--datasets", "wine", *folders)
    assert result.exit_code == 2
    assert "compact-gsl[figures]" in result.stderr
    assert not list((tmp_path / "store").glob("*.json"))


@pytest.fixture
def _three(monkeypatch: pytest.MonkeyPatch, _quick: None) -> None:
    """Two tables and a figure that cannot be drawn."""
    other = {"datasets": ["breast_cancer"], "series": QUICK["series"][:1]}
    specs = {"broken": QUICK | {"kind": "figure"}, "other": QUICK | other, "quick": QUICK}
    monkeypatch.setattr(
        "cogsl.experiments.specs.read_spec", lambda name: parse_spec(name, specs[name])
    )
    monkeypatch.setattr("cogsl.experiments.specs.spec_names", lambda: list(specs))
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("_three")
def test_all_are_made_and_one_that_fails_stops_no_other(tmp_path: Path) -> None:
    records, out = str(tmp_path / "all.jsonl"), tmp_path / "out"
    run = ("--seeds", "1", "--records", records, "--store", str(tmp_path / "store"))
    result = invoke("all", *run, "--output", str(out))
    assert result.exit_code == 2
    assert "compact-gsl[figures]" in result.stderr
    assert "1 of 3 could not be made: broken." in result.stderr
    made = {path.name for path in out.glob("*.md")}
    assert made == {"other.md", "quick.md", "summary.md"}
    tables = {name: (out / name).read_bytes() for name in made}
    assert len(Path(records).read_text().splitlines()) == 3
    show = ("--no-run", "--records", records, "--store", str(tmp_path / "empty"), "--seeds", "1")
    shown = invoke("all", *show, "--output", str(tmp_path / "again"))
    assert "other, 2 of 3:" in shown.stderr
    assert {name: (tmp_path / "again" / name).read_bytes() for name in made} == tables


@pytest.mark.usefixtures("_three")
def test_of_all_those_are_left_out_that_have_nothing_of_what_is_asked_for(tmp_path: Path) -> None:
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    asked = ("--datasets", "breast_cancer", "--datasets", "citeseer", "--seeds", "1")
    result = invoke("all", *asked, *folders)
    assert result.exit_code == 0, result.output
    assert "Left out quick: none of its data sets is at hand." in result.stderr
    assert {path.stem for path in (tmp_path / "out").glob("*.md")} == {"other", "summary"}
    gcn = invoke("all", "--methods", "gcn", "--datasets", "breast_cancer", *folders)
    assert gcn.stderr.count("it has no such data set and method") == 3
    assert gcn.exit_code == 0
    typo = invoke("all", "--datasets", "breast_cancr", *folders)
    assert typo.exit_code == 2
    assert "did you mean 'breast_cancer'?" in typo.stderr


@pytest.mark.usefixtures("_quick")
def test_without_a_run_each_data_set_says_how_many_of_its_runs_are_there(tmp_path: Path) -> None:
    folders = ("--output", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    invoke("quick", "--seeds", "2", "--methods", "mlp", *folders)
    usual = invoke("quick", "--no-run", *folders)
    assert "wine: 2 of 20 runs are there." in usual.stderr
    assert (
        "wine: 2 of 6 runs are there."
        in invoke("quick", "--no-run", "--seeds", "3", *folders).stderr
    )


def test_where_the_data_is_not_at_hand_fewer_runs_may_be_wanted() -> None:
    assert format_count("wikics", 3, 140, exact=True) == "wikics: 3 of 140 runs are there."
    assert format_count("wikics", 3, 140, exact=False) == "wikics: 3 of at most 140 runs are there."


@pytest.mark.usefixtures("_quick")
def test_all_are_listed_with_their_time() -> None:
    result = invoke("--list")
    assert result.exit_code == 0, result.output
    assert "quick" in result.stdout
    assert "citeseer" in result.stdout
    assert " min" in result.stdout
    assert "cogsl reproduce all" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "Say which table or figure"),
        (("table-fusio",), "did you mean 'table-fusion'?"),
        (("table-fusion", "--executor", "rai"), "did you mean 'ray'?"),
        (("table-fusion", "--datasets", "wine"), "No data set in 'table-fusion'"),
        (("table-fusion", "--methods", "gcn"), "No method in 'table-fusion'"),
    ],
)
def test_mistakes_get_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""
