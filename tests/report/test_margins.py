"""Margins under attack, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cogsl.experiments.specs import narrow, read_spec
from cogsl.report.margins import margins_in_words, orders_in_words
from cogsl.report.outputs import write_outputs
from cogsl.report.tables import make_tables
from tests.report.test_tables import GCN, MLP, OURS, spec


def under_noise(*parts: tuple[list[dict[str, Any]], float]) -> list[dict[str, Any]]:
    """Return runs without noise, and with, at a loss."""
    return [
        {**row, "axis": "noise", "point": x, "macro_f1": row["macro_f1"] - x * loss}
        for x in (0.0, 0.5)
        for part, loss in parts
        for row in part
    ]


def margins(rows: list[dict[str, Any]]) -> str:
    points = [{"x": x, "ratio": x} for x in (0.0, 0.5, 0.9)]
    swept = spec(axis="noise", points=points, metrics=["macro_f1"], attack="feature_noise")
    (table,) = make_tables(swept, rows)
    return margins_in_words(table, "CoGSL_v1", ["GCN", "MLP"])


def test_the_margin_has_the_interval_of_the_paired_difference() -> None:
    """Differences 1, 0.5 and 0.5: the mean is 2/3, s / sqrt(3) is 1/6, and t_2 is 4.303."""
    half = 4.3027 / 6
    ends = [f"[{m - half:+.1f}, {m + half:+.1f}]" for m in (2 / 3, 10 + 2 / 3)]
    told = f"+0.7 {ends[0]} (0, GCN), +10.7 {ends[1]} (0.5, GCN)"
    words = margins(under_noise((GCN, 0.6), (OURS, 0.4)))
    assert words == f"- Wine: CoGSL_v1 less the best other method: {told}."


def test_without_two_runs_in_common_there_is_no_interval() -> None:
    other = [{**row, "seed": row["seed"] + 2, "split_seed": row["split_seed"] + 2} for row in GCN]
    words = margins(under_noise((other, 0.6), (OURS, 0.4)))
    assert words.endswith(": +0.7 (0, GCN), +10.7 (0.5, GCN).")


def test_one_column_is_no_row_of_margins() -> None:
    assert margins([row for row in under_noise((GCN, 0.6), (OURS, 0.4)) if not row["point"]]) == ""


def test_every_row_of_cogsl_has_margins_of_its_own_and_the_paper_s_comes_first(
    tmp_path: Path,
) -> None:
    asked = narrow(read_spec("fig-deletion"), only_datasets=["breast_cancer"])
    figures = {"CoGSL_v1": 0.7, "CoGSL_all": 0.6, "CoGSL (our defaults)": 0.9, "GCN": 0.8}
    rows = [
        {"dataset": "breast_cancer", "name": name, "axis": asked.panels[0].axis, "point": x}
        | {"seed": k, "split_seed": k, "accuracy": figure + 0.01 * k}
        for name, figure in figures.items()
        for x in (0.0, 0.1)
        for k in range(3)
    ]
    write_outputs(asked, rows, tmp_path)
    lines = (tmp_path / "fig-deletion.md").read_text().splitlines()
    told = [line for line in lines if "less the best other method" in line]
    names = ["CoGSL_all", "CoGSL_v1", "CoGSL (our defaults)"]
    assert [line.split(" less ")[0] for line in told] == [f"- Cancer: {name}" for name in names]
    assert "-20.0 [-20.0, -20.0] (0, GCN)" in told[0]
    assert "+10.0 [+10.0, +10.0] (0, GCN)" in told[2]


def test_without_an_attack_there_are_no_margins(tmp_path: Path) -> None:
    write_outputs(spec(), [*GCN, *OURS], tmp_path)
    assert "best other method" not in (tmp_path / "t.md").read_text()


def test_pairs_of_which_the_paper_says_that_one_is_above_are_judged_by_the_interval() -> None:
    above = [["CoGSL_v1", "MLP"], ["MLP", "GCN"], ["CoGSL_v1", "GCN"]]
    (table,) = make_tables(spec(metrics=["macro_f1"], above=above), [*GCN, *OURS, *MLP])
    agree, against, open_ = orders_in_words(table)
    assert agree.startswith("- Wine: CoGSL_v1 less MLP, above 0 in the paper: +40.6 [")
    assert agree.endswith("(macro-F1: we agree).")
    assert against.endswith("(macro-F1: our runs do not show it).")
    assert open_.endswith(": +0.7 [-0.1, +1.4] (macro-F1: our runs allow it).")


def test_an_order_that_the_printed_numbers_do_not_have_is_not_told() -> None:
    printed = {"wine": {"CoGSL_v1": [95.0, 99.0], "MLP": [90.0, 99.0]}}
    (table,) = make_tables(spec(above=[["CoGSL_v1", "MLP"]], printed=printed), [*OURS, *MLP])
    (only,) = orders_in_words(table)
    assert "macro-F1" in only
    assert "AUC" not in only


def test_of_single_runs_no_order_is_judged() -> None:
    asked = spec(metrics=["macro_f1"], above=[["CoGSL_v1", "GCN"], ["CoGSL_v1", "MLP"]])
    (table,) = make_tables(asked, [*GCN[:1], *OURS[:1]])
    (only,) = orders_in_words(table)
    assert only.endswith(": +1.0 (macro-F1: too few runs to tell).")
