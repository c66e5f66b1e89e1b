"""What a reproduction leaves, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cogsl.experiments.specs import narrow, read_spec
from cogsl.report.outputs import unfold, write_outputs
from cogsl.report.summary import in_words
from cogsl.report.tables import make_tables
from tests.report.test_figures import RECORDS, lines
from tests.report.test_tables import GCN, MLP, OURS, spec


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


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ({"GCN": [94.0], "CoGSL_v1": [96.0]}, "CoGSL_v1 does, with 96.0: we agree"),
        ({"GCN": [97.0], "CoGSL_v1": [96.0]}, "GCN does, with 97.0: our runs allow it"),
        ({"MLP": [99.0], "CoGSL_v1": [96.0]}, "MLP does, with 99.0: our runs do not show it"),
    ],
)
def test_agreement_with_the_paper_is_said(printed: dict[str, list[float]], verdict: str) -> None:
    asked = spec(metrics=["macro_f1"], printed={"wine": printed})
    (table,) = make_tables(asked, [*GCN, *OURS, *MLP])
    words = in_words(table)
    assert "CoGSL_v1 leads with 92.7, not told apart from GCN" in words
    assert f"; in the paper {verdict}." in words


def test_a_leader_of_the_paper_that_was_not_run_is_named_all_the_same() -> None:
    asked = spec(metrics=["macro_f1"], printed={"wine": {"MLP": [99.0], "GCN": [94.0]}})
    (table,) = make_tables(asked, [*GCN, *OURS])
    assert "; in the paper MLP does, with 99.0: it was not run here." in in_words(table)


def test_rows_of_the_same_runs_lead_together() -> None:
    same = [{**record, "name": "MLP"} for record in OURS]
    (table,) = make_tables(spec(metrics=["macro_f1"], printed={}), [*GCN, *OURS, *same])
    assert "macro-F1: CoGSL_v1 and MLP lead with 92.7, not told apart from GCN." in in_words(table)


def test_single_runs_tell_nothing_apart() -> None:
    asked = spec(metrics=["macro_f1"], printed={"wine": {"GCN": [94.0], "CoGSL_v1": [93.0]}})
    (table,) = make_tables(asked, [*GCN, max(OURS, key=lambda record: record["macro_f1"])])
    words = in_words(table)
    assert "in a single run, which tells it apart from no other" in words
    assert words.endswith("; in the paper GCN does, with 94.0: our runs are too few to tell.")


def sweep() -> list[dict[str, Any]]:
    """Return runs of one line: the second point is best, and information falls."""
    return [
        {"dataset": "digits", "name": "CoGSL", "axis": "eta", "point": x}
        | {"seed": k, "split_seed": k, "macro_f1": figure + 0.001 * k, "mi": 1.2 - x}
        for x, figure in ((0.0, 0.8), (0.05, 0.9), (1.0, 0.7))
        for k in range(3)
    ]


def test_of_one_line_the_points_are_compared_and_information_is_told_through() -> None:
    table = make_tables(read_spec("fig-mi"), sweep())[0]
    words = in_words(table)
    assert "- Digits, macro-F1: eta 0.05 leads with 90.1.\n" in words
    assert "- Digits, MI: 1.20±0.00 (eta 0), 1.15±0.00 (eta 0.05), 0.20±0.00 (eta 1)." in words


def test_the_margin_is_told_from_attack_to_attack(tmp_path: Path) -> None:
    points = [{"x": x, "ratio": x} for x in (0.0, 0.5, 0.9)]
    swept = spec(axis="noise", points=points, metrics=["macro_f1"], attack="feature_noise")
    rows = [
        {**row, "axis": "noise", "point": x, "macro_f1": row["macro_f1"] - loss}
        for x, losses in ((0.0, (0.0, 0.0)), (0.5, (0.3, 0.2)))
        for part, loss in zip((GCN, OURS), losses, strict=True)
        for row in part
    ]
    write_outputs(swept, rows, tmp_path)
    margins = "+0.7 (0), +10.7 (0.5)"
    text = (tmp_path / "t.md").read_text()
    assert f"\n- Wine: CoGSL_v1 over the best other method: {margins}.\n" in text


def test_the_margins_of_our_own_settings_stand_apart(tmp_path: Path) -> None:
    asked = narrow(read_spec("table-feature-noise"), only_datasets=["breast_cancer"])
    figures = {"CoGSL": 0.7, "CoGSL (our defaults)": 0.9, "GCN": 0.6, "GEN": 0.8}
    rows = [
        {"dataset": "breast_cancer", "name": name, "axis": "noise ratio", "point": x}
        | {"seed": k, "split_seed": k, "macro_f1": figure + 0.01 * k}
        for name, figure in figures.items()
        for x in (0.0, 0.1)
        for k in range(3)
    ]
    write_outputs(asked, rows, tmp_path)
    text = (tmp_path / "table-feature-noise.md").read_text()
    assert "- Cancer: CoGSL over the best other method: -10.0 (0), -10.0 (0.1).\n" in text
    ours = "CoGSL (our defaults) over the best other method: +10.0 (0), +10.0 (0.1)"
    assert f"- Cancer: {ours}.\n" in text


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
    figures = {"macro_f1": 0.9, "micro_f1": 0.9, "auc": 0.9}
    write_outputs(fusion, [{**row, **figures, "name": "Average"}], tmp_path)
    write_outputs(read_spec("fig-view-estimator"), [{**row, "views": {"final": figures}}], tmp_path)
    text = (tmp_path / "summary.md").read_text()
    assert "## How views are fused ([table-fusion](table-fusion.md))" in text
    assert "Digits, macro-F1: only Average was run, 90.0." in text
    assert "final leads" in text
    assert "## Tables" not in text
