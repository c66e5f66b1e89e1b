"""Tables from records, by hand."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pytest

from cogsl.errors import InputError
from cogsl.experiments.specs import Spec, parse_spec
from cogsl.report.table_formats import number, to_csv, to_latex, to_markdown
from cogsl.report.tables import Cell, make_tables, ranked


def spec(**changes: Any) -> Spec:
    content: dict[str, Any] = {
        "title": "T",
        "paper": "P",
        "kind": "table",
        "datasets": ["wine"],
        "metrics": ["macro_f1", "auc"],
        "series": [
            {"name": "GCN", "method": "gcn"},
            {"name": "CoGSL_v1", "method": "cogsl"},
            {"name": "MLP", "method": "mlp"},
        ],
        "printed": {"wine": {"GCN": [94.1, 99.6]}},
    }
    return parse_spec("t", content | changes)


def records(name: str, *figures: float, auc: float = 0.5, **more: Any) -> list[dict[str, Any]]:
    return [
        {"dataset": "wine", "name": name, "axis": "", "point": None, "macro_f1": figure}
        | {"seed": k, "split_seed": k, "auc": auc}
        | more
        for k, figure in enumerate(figures)
    ]


GCN = records("GCN", 0.90, 0.92, 0.94)
OURS = records("CoGSL_v1", 0.91, 0.925, 0.945)
MLP = records("MLP", 0.50, 0.52, 0.541)


def test_a_cell_is_mean_and_deviation_in_percent() -> None:
    (table,) = make_tables(spec(), GCN)
    assert number(table.rows[0][0]) == "92.0±2.0"
    assert number(table.rows[1][0]) == "-"
    assert table.rows[0][0].printed == 94.1
    assert number(Cell({(0, 0): 95.04})) == "95.0"


@pytest.mark.parametrize(
    ("metric", "shown"), [("micro_f1", "93.0"), ("accuracy", "93.0"), ("mi", "0.93")]
)
def test_shares_are_in_percent_and_information_is_not(metric: str, shown: str) -> None:
    (table,) = make_tables(spec(metrics=[metric]), records("GCN", 0.9, **{metric: 0.93}))
    assert number(table.rows[0][0]) == shown


def test_best_is_bold_runner_up_underlined_and_ties_have_a_star() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"], printed={}), [*GCN, *OURS, *MLP])
    text = to_markdown(table)
    assert "| GCN | <u>92.0±2.0</u>\\* |" in text
    assert "| CoGSL_v1 | **92.7±1.8** |" in text
    assert "| MLP | 52.0±2.1 |" in text


def test_the_paper_s_number_stands_in_brackets() -> None:
    (table,) = make_tables(spec(), GCN)
    assert "**92.0±2.0** (94.1)" in to_markdown(table)


def test_a_difference_that_is_the_same_in_every_run_is_no_tie() -> None:
    one = Cell({(k, k): 90.0 + k for k in range(4)})
    other = Cell({(k, k): 89.0 + k for k in range(4)})
    assert [(c.rank, c.tied) for c in ranked([other, one])] == [(2, False), (1, False)]


def test_a_single_run_is_ranked_and_not_tested() -> None:
    cells = ranked([Cell({(0, 0): 1.0}), Cell({(0, 0): 2.0}), Cell()])
    assert [(c.rank, c.tied) for c in cells] == [(2, False), (1, False), (0, False)]
    assert [c.untested for c in cells] == [True, False, False]


def test_what_was_not_tested_has_a_dagger_and_what_was_told_apart_has_none() -> None:
    other = [{**row, "seed": row["seed"] + 2, "split_seed": row["split_seed"] + 2} for row in GCN]
    (table,) = make_tables(spec(metrics=["macro_f1"], printed={}), [*other, *OURS, *MLP])
    assert "| GCN | <u>92.0±2.0</u>† |" in to_markdown(table)  # one run in common
    assert "| MLP | 52.0±2.1 |" in to_markdown(table)
    assert "GCN & \\underline{92.0$\\pm$2.0}$^\\dagger$ \\\\" in to_latex(table)


def test_a_number_of_runs_is_shown_where_it_is_not_the_usual_one_of_its_column() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"]), [*GCN, *OURS, *MLP[:2]])
    text = to_markdown(table)
    assert table.usual_runs == (3,)
    assert "| MLP | 51.0±1.4 [2] |" in text
    assert text.count("[") == 1
    assert "MLP & 51.0$\\pm$1.4 [2] " in to_latex(table)


def test_of_two_equally_usual_numbers_of_runs_the_larger_is_not_shown() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"], printed={}), [*GCN, *OURS[:1]])
    assert table.usual_runs == (3,)
    assert "92.0±2.0 [" not in to_markdown(table)
    assert "<u>91.0</u>† [1]" in to_markdown(table)


def test_a_column_in_which_nothing_was_run_has_no_usual_number() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"]), [])
    assert table.usual_runs == (0,)
    assert "| GCN | - (94.1) |" in to_markdown(table)


def test_equal_means_share_a_rank_and_the_first_are_not_tested() -> None:
    runs, fewer = {(k, k): 90.0 + k for k in range(4)}, {(k, k): 89.0 + k**2 for k in range(3)}
    cells = ranked([Cell(fewer), Cell(runs), Cell(dict(runs)), Cell(), Cell(dict(fewer))])
    assert [c.rank for c in cells] == [2, 1, 1, 0, 2]
    assert [c.tied for c in cells] == [True, False, False, False, True]


def test_a_record_without_the_figure_is_an_error() -> None:
    broken = [{name: value for name, value in GCN[0].items() if name != "macro_f1"}]
    with pytest.raises(InputError, match="record of GCN on wine, seed 0, has no 'macro_f1'"):
        make_tables(spec(metrics=["macro_f1"]), broken)


def test_points_are_columns() -> None:
    points = [{"x": 0.1, "ratio": 0.1}, {"x": 0.5, "ratio": 0.5}]
    swept = spec(axis="noise", points=points, metrics=["macro_f1"], attack="feature_noise")
    rows = records("GCN", 0.9, axis="noise", point=0.5)
    (table,) = make_tables(swept, rows)
    assert table.heads == ("0.1", "0.5")
    assert table.heading == "Wine: macro-F1 by noise"
    assert [number(cell) for cell in table.rows[0]] == ["-", "90.0"]


def test_latex_marks_and_escapes() -> None:
    (table,) = make_tables(spec(), [*GCN, *OURS])
    text = to_latex(table)
    assert "CoGSL\\_v1 & \\textbf{92.7$\\pm$1.8}" in text
    assert "GCN & \\underline{92.0$\\pm$2.0}$^*$ (94.1) &" in text
    assert text.count("\\\\") == 4


def test_csv_has_a_row_a_cell_and_comes_back() -> None:
    tables = make_tables(spec(), [*GCN, *OURS])
    rows = list(csv.DictReader(io.StringIO(to_csv(tables))))
    first = next(r for r in rows if r["row"] == "GCN" and r["column"] == "macro-F1")
    assert float(first["mean"]) == pytest.approx(92.0)
    assert (first["runs"], first["rank"], first["paper"]) == ("3", "2", "94.1")
    assert not [r for r in rows if r["row"] == "MLP"]


def test_the_csv_says_what_the_test_said() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"], printed={}), [*GCN, *OURS, *MLP[:1]])
    rows = {r["row"]: r for r in csv.DictReader(io.StringIO(to_csv([table])))}
    assert {name: row["tied"] for name, row in rows.items()} == {
        "GCN": "yes",
        "CoGSL_v1": "",
        "MLP": "not tested",
    }
    # Differences 1, 0.5 and 0.5: t = 4, and T_2(-t) = (1 - t / sqrt(2 + t^2)) / 2.
    assert float(rows["GCN"]["p_value"]) == pytest.approx(1 - 4 / math.sqrt(18), abs=1e-3)
    assert (rows["CoGSL_v1"]["p_value"], rows["MLP"]["p_value"]) == ("", "")


def test_the_csv_has_student_s_interval_of_three_runs() -> None:
    (table,) = make_tables(spec(metrics=["macro_f1"]), GCN)
    row = next(csv.DictReader(io.StringIO(to_csv([table]))))
    half = 4.3027 * 2.0 / math.sqrt(3)  # the quantile of two degrees of freedom
    ends = (float(row["low"]), float(row["high"]))
    assert ends == pytest.approx((92.0 - half, 92.0 + half), abs=1e-3)


def test_mi_is_no_share() -> None:
    rows = [{**GCN[0], "mi": 1.5}]
    (table,) = make_tables(spec(metrics=["mi"], printed={}), rows)
    assert number(table.rows[0][0]) == "1.50"
