"""The ranking of methods, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import ranking
from benchmarks.claims import SMALL


def runs(method: str, *figures: float, preset: str = "default") -> list[dict[str, Any]]:
    return [
        {"method": method, "preset": preset, "seed": k, "split_seed": k, "macro_f1": figure}
        for k, figure in enumerate(figures)
    ]


TINY = SMALL[0]
OURS = runs("cogsl", 0.90, 0.91, 0.92, 0.93)
FAR_BELOW = runs("mlp", 0.50, 0.52, 0.51, 0.53)
FAR_ABOVE = runs("lds", 0.97, 0.98, 0.992, 0.999)
NEAR = runs("gcn", 0.91, 0.90, 0.93, 0.925)


def test_methods_are_ranked_by_their_mean() -> None:
    found = ranking.standings([*FAR_BELOW, *OURS, *FAR_ABOVE, *NEAR])
    assert [s.name for s in found] == ["lds", "gcn", "cogsl", "mlp"]
    assert ranking.rank_of_ours(found) == 3


def test_the_test_tells_better_worse_and_neither() -> None:
    found = {s.name: s for s in ranking.standings([*FAR_BELOW, *OURS, *FAR_ABOVE, *NEAR])}
    assert found["mlp"].verdict == "CoGSL better"
    assert found["lds"].verdict == "CoGSL worse"
    assert found["gcn"].verdict == "not told apart"
    assert found["cogsl"].verdict == ""
    assert found["mlp"].lead.startswith("+40.00")


def test_searched_settings_stand_for_a_baseline_and_defaults_for_cogsl() -> None:
    searched = runs("gcn", 0.8, 0.8, preset="paper")
    papers = runs("cogsl", 0.1, 0.1, preset="paper")
    found = ranking.standings([*NEAR, *searched, *papers, *OURS])
    assert [s.name for s in found] == ["cogsl", "gcn (paper)"]
    by_paper = ranking.standings([*NEAR, *searched, *papers, *OURS], ours="paper")
    assert [s.name for s in by_paper] == ["gcn (paper)", "cogsl (paper)"]


def test_a_method_with_fewer_runs_is_ranked_by_those_it_shares_with_cogsl() -> None:
    """By all its runs it has 92.5 to CoGSL's 91.5, but on the same two splits 92.5 to 93."""
    ours = runs("cogsl", 0.93, 0.93, 0.90, 0.90)
    (first, second) = ranking.standings([*runs("idgl", 0.925, 0.925), *ours])
    assert (first.name, second.name) == ("cogsl", "idgl")
    assert second.mean == pytest.approx(92.5)
    assert second.level == pytest.approx(91.0)


def test_a_single_run_is_ranked_but_not_tested() -> None:
    (first, second) = ranking.standings([*runs("idgl", 0.99), *OURS])
    assert (first.name, first.p_value, first.verdict) == ("idgl", None, "")
    assert second.name == "cogsl"


def test_failures_are_no_methods() -> None:
    failed = {"method": "prognn", "preset": "default", "failure": "no memory"}
    assert [s.name for s in ranking.standings([failed, *OURS])] == ["cogsl"]


def test_where_cogsl_is_not_first_is_said() -> None:
    words = ranking.in_words("wine", ranking.standings([*FAR_BELOW, *OURS, *FAR_ABOVE, *NEAR]))
    assert "number 3 of 4" in words
    assert "above it lds, gcn" in words
    assert "better than mlp" in words
    assert "worse than lds" in words


def test_the_table_has_every_method_and_says_what_is_too_weak() -> None:
    rows = [row | {"micro_f1": 0.5, "auc": 0.5, "dataset": TINY} for row in [*NEAR, *OURS]]
    text = ranking.to_markdown({TINY: rows}).splitlines()
    (gcn,) = (line for line in text if line.startswith("| GCN |"))
    assert gcn.startswith("| GCN | 91.6±1.4/50.0/50.0 (94.1) **macro_f1 1.0, micro_f1")
    assert gcn.endswith("[4] |")
    assert "| GAT | - |" in text


def test_a_page_keeps_what_stands_outside_its_marks() -> None:
    page = "a\n<!-- methods -->\nold\n<!-- end of methods -->\nb\n"
    new = ranking.in_page(page, "methods", "new")
    assert new == "a\n<!-- methods -->\nnew\n<!-- end of methods -->\nb\n"
    assert ranking.in_page(new, "methods", "new") == new
    with pytest.raises(SystemExit, match="must have the marks"):
        ranking.in_page("a", "methods", "new")
