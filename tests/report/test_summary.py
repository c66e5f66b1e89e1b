"""What tables say, in words."""

from __future__ import annotations

from typing import Any

from cogsl.experiments.specs import read_spec
from cogsl.report.summary import in_words, ranks_in_words
from cogsl.report.tables import make_tables
from tests.report.test_tables import GCN, MLP, OURS, records, spec

FOUR = [{"name": name, "method": "gcn"} for name in ("GCN", "CoGSL_v1", "A", "MLP")]


def words(rows: list[dict[str, Any]], **changes: Any) -> str:
    (table,) = make_tables(spec(**{"metrics": ["macro_f1"], "printed": {}} | changes), rows)
    return in_words(table)


def test_leader_paper_and_distance_make_one_line() -> None:
    printed = {"wine": {"GCN": [97.0], "CoGSL_v1": [96.0]}}
    assert words([*GCN, *OURS, *MLP], printed=printed, own="CoGSL_v1") == (
        "- Wine, macro-F1: CoGSL_v1 leads with 92.7, not told apart from GCN; in the paper GCN "
        "does, with 97.0: our runs allow it, as they tell none of its rows apart. CoGSL_v1 is 3.3 "
        "below the printed 96.0; furthest is GCN, 5.0 below the printed 97.0."
    )


def test_rows_of_the_same_runs_lead_together() -> None:
    same = [{**record, "name": "MLP"} for record in OURS]
    found = words([*GCN, *OURS, *same])
    assert "macro-F1: CoGSL_v1 and MLP lead with 92.7, not told apart from GCN.\n" in found
    assert found.endswith("\n- Wine: CoGSL_v1 and MLP are the same in 3 of 3 runs (macro-F1).")


def test_what_is_told_apart_is_said() -> None:
    assert words([*OURS, *MLP]).endswith("CoGSL_v1 leads with 92.7, told apart from MLP.")
    other = records("GCN", 0.60, 0.62, 0.642)
    assert words([*OURS, *MLP, *other]).endswith("with 92.7, told apart from all others.")


def test_the_shorter_of_two_lists_is_told() -> None:
    series = [{"name": n, "method": "gcn"} for n in ("A", "B", "C", "D")]
    one, two = records("B", 0.90, 0.92, 0.94), records("C", 0.901, 0.931, 0.941)
    rows = [*records("A", 0.91, 0.925, 0.945), *one, *two]
    assert words(rows, series=series).endswith("92.7, not told apart from any other.")
    far = records("D", 0.50, 0.52, 0.541)
    assert words([*rows, *far], series=series).startswith(
        "- Wine, macro-F1: A leads with 92.7, told apart only from D."
    )


def test_what_was_not_tested_is_said() -> None:
    assert words([*GCN, *OURS, *MLP[:1]]).endswith(
        "not told apart from GCN, and not tested against MLP."
    )
    assert words([*GCN, *OURS, *records("A", 0.901, 0.931, 0.941), *MLP[:1]], series=FOUR).endswith(
        "not told apart from GCN and A, and not tested against MLP."
    )
    found = words([*OURS, *MLP, *records("A", 0.6, 0.62, 0.642), *GCN[:1]], series=FOUR)
    assert found.endswith("told apart from A and MLP, and not tested against GCN.")
    best = max(OURS, key=lambda record: record["macro_f1"])
    assert words([*GCN, best]).endswith("in a single run, which tells it apart from no other.")


def test_rows_that_are_mostly_the_same_are_named_once_with_all_columns() -> None:
    close = [*({**row, "name": "CoGSL_v1"} for row in GCN[:2]), *OURS[2:]]
    (table,) = make_tables(spec(printed={}), [*GCN, *close, *MLP])
    assert in_words(table).splitlines()[2:] == [
        "- Wine: GCN and CoGSL_v1 are the same in 2 of 3 runs (macro-F1).",
        "- Wine: GCN, CoGSL_v1 and MLP are the same in 3 of 3 runs (AUC).",
    ]


def test_rows_that_are_the_same_in_fewer_than_half_of_the_runs_are_not_named() -> None:
    once = [{**GCN[0], "name": "CoGSL_v1"}, *OURS[1:]]
    assert "the same" not in words([*GCN, *once])


def sweep() -> list[dict[str, Any]]:
    """Return runs of one line: the second point is best, and information falls."""
    return [
        {"dataset": "digits", "name": "CoGSL", "axis": "eta", "point": x}
        | {"seed": k, "split_seed": k, "macro_f1": figure + 0.001 * k, "mi": 1.2 - x}
        for x, figure in ((0.0, 0.8), (0.05, 0.9), (1.0, 0.7))
        for k in range(3)
    ]


def test_of_one_line_the_points_are_compared_and_information_is_told_through() -> None:
    found = in_words(make_tables(read_spec("fig-mi"), sweep())[0])
    assert "- Digits, macro-F1: eta 0.05 leads with 90.1, told apart from all others; " in found
    assert "- Digits, MI: 1.20±0.00 (eta 0), 1.15±0.00 (eta 0.05), 0.20±0.00 (eta 1)." in found


def test_mean_ranks_are_told_over_data_sets_and_need_two() -> None:
    here = [*records("GCN", 0.9), *records("MLP", 0.8), *records("CoGSL_v1", 0.7)]
    there = [{**row, "dataset": "digits"} for row in (*records("GCN", 0.6), *records("MLP", 0.8))]
    asked = spec(datasets=["wine", "digits"], metrics=["macro_f1"], printed={})
    assert ranks_in_words(make_tables(asked, [*here, *there])) == (
        "- Mean rank by macro-F1 over 2 data sets: GCN 1.5, MLP 1.5; not run in all of them: "
        "CoGSL_v1."
    )
    assert ranks_in_words(make_tables(asked, here)) == ""


def test_a_column_that_lacks_most_rows_does_not_count_for_mean_ranks() -> None:
    rows = [
        {**row, "dataset": dataset, "axis": "noise", "point": x}
        for row in (*records("GCN", 0.9), *records("MLP", 0.8), *records("CoGSL_v1", 0.7))
        for dataset, x in (("wine", 0.0), ("wine", 0.5), ("digits", 0.0), ("digits", 0.5))
        if (dataset, x) != ("digits", 0.5) or row["name"] == "MLP"
    ]
    asked = spec(
        datasets=["wine", "digits"],
        metrics=["macro_f1"],
        printed={},
        axis="noise",
        attack="feature_noise",
        points=[{"x": 0.0}, {"x": 0.5, "ratio": 0.5}],
    )
    assert ranks_in_words(make_tables(asked, rows)) == (
        "- Mean rank by macro-F1 over 2 data sets (3 columns): GCN 1.0, MLP 2.0, CoGSL_v1 3.0."
    )
