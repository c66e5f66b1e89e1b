"""What a reproduction leaves, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogsl.experiments.reproduction import at_hand
from cogsl.experiments.specs import narrow, read_spec
from cogsl.report.outputs import unfold, write_outputs
from tests.report.test_figures import RECORDS, lines
from tests.report.test_tables import GCN, OURS, spec


def test_a_table_leaves_three_files_and_a_figure_five(tmp_path: Path) -> None:
    paths = write_outputs(spec(), [*GCN, *OURS], tmp_path)
    assert [path.name for path in paths] == ["t.md", "t.csv", "t.tex", "summary.md"]
    paths = write_outputs(lines(), RECORDS, tmp_path)
    names = ["f.md", "f.csv", "f.tex", "f.png", "f.svg", "summary.md"]
    assert [path.name for path in paths] == names
    assert "![T](f.png)" in (tmp_path / "f.md").read_text()


def test_the_page_says_how_many_runs_there_were(tmp_path: Path) -> None:
    write_outputs(spec(), [*GCN, *OURS[:1]], tmp_path)
    assert "4 runs, 1 to 3 for each figure" in (tmp_path / "t.md").read_text()
    write_outputs(spec(), [], tmp_path)
    assert "Nothing was run" in (tmp_path / "t.md").read_text()


def test_runs_are_counted_and_not_the_views_that_are_judged_in_them(tmp_path: Path) -> None:
    asked = narrow(read_spec("fig-view-estimator"), only_datasets=["digits"])
    figures = {"macro_f1": 0.9, "micro_f1": 0.9, "auc": 0.9}
    rows = [
        {"dataset": "digits", "name": "CoGSL", "axis": "", "point": None}
        | {"seed": k, "split_seed": k, "views": dict.fromkeys(("V1_ori", "V1_es"), figures)}
        for k in range(3)
    ]
    write_outputs(asked, rows, tmp_path)
    assert "3 runs, 3 for each figure" in (tmp_path / "fig-view-estimator.md").read_text()


def test_the_page_names_the_data_sets_that_are_not_here_and_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COGSL_DATA", str(tmp_path))
    monkeypatch.setattr("cogsl.datasets.files.cache_folder", lambda: tmp_path)
    asked = spec(datasets=["wine", "digits", "wikics", "citeseer"])
    part = narrow(asked, only_datasets=["wine", "digits", "wikics"])
    here, _ = at_hand(part)
    assert here is not None
    write_outputs(here, GCN, tmp_path)
    reasons = "Citeseer (not asked for), Wiki-CS (no file at hand), Digits (no runs)"
    assert f"\n\nNot here: {reasons}.\n" in (tmp_path / "t.md").read_text()
    write_outputs(spec(), GCN, tmp_path)
    assert "Not here" not in (tmp_path / "t.md").read_text()


def test_the_paper_s_claim_stands_above_what_was_found_and_in_the_summary(tmp_path: Path) -> None:
    asked = narrow(read_spec("table-fusion"), only_datasets=["digits"])
    write_outputs(asked, [], tmp_path)
    for name in ("table-fusion.md", "summary.md"):
        text = (tmp_path / name).read_text()
        assert "The paper: Adaptive fusion is the best of the three" in text
        assert text.index("The paper: ") < text.index("- Digits: nothing was run.")


def test_latex_explains_its_marks_in_comments(tmp_path: Path) -> None:
    write_outputs(spec(), GCN, tmp_path)
    first = (tmp_path / "t.tex").read_text().partition("\\begin")[0]
    assert "dagger" in first
    assert all(line.startswith("%") for line in first.splitlines() if line)


def test_a_spec_may_say_what_a_reader_has_to_know(tmp_path: Path) -> None:
    write_outputs(spec(note="Views are filled."), [*GCN, *OURS], tmp_path)
    assert "for each figure.\n\nViews are filled.\n\n" in (tmp_path / "t.md").read_text()


def test_views_become_rows() -> None:
    row = {"dataset": "digits", "seed": 0, "split_seed": 0, "axis": "", "point": None}
    judged = {"V1_ori": {"macro_f1": 0.5}, "final": {"macro_f1": 0.75}}
    unfolded, rows = unfold(read_spec("fig-view-estimator"), [row | {"views": judged}])
    assert [s.name for s in unfolded.series] == ["V1_ori", "final"]
    assert [(r["name"], r["macro_f1"]) for r in rows] == [("V1_ori", 0.5), ("final", 0.75)]


def test_the_summary_gathers_what_every_page_found(tmp_path: Path) -> None:
    fusion = read_spec("table-fusion")
    row = {"dataset": "digits", "seed": 0, "split_seed": 0, "axis": "", "point": None}
    row["name"] = "CoGSL"
    figures = {"macro_f1": 0.9, "micro_f1": 0.9, "auc": 0.9}
    write_outputs(fusion, [{**row, **figures, "name": "Average"}], tmp_path)
    write_outputs(read_spec("fig-view-estimator"), [{**row, "views": {"final": figures}}], tmp_path)
    text = (tmp_path / "summary.md").read_text()
    assert "## How views are fused ([table-fusion](table-fusion.md))" in text
    assert "Digits, macro-F1: only Average was run, 90.0." in text
    assert "final leads" in text
    assert "## Tables" not in text
