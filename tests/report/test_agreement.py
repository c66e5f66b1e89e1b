"""What our runs make of the paper's leaders and numbers, by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cogsl.report.agreement import agreement_in_words, distance_in_words
from cogsl.report.tables import Cell, Column, Said, ranked

FIRST, CLOSE, FAR = (90.0, 91.0, 92.0), (89.0, 91.5, 91.5), (70.0, 71.1, 72.2)


def column(
    figures: Mapping[str, tuple[float, ...]], printed: Mapping[str, float] | None = None
) -> Column:
    """Return ranked cells of these figures, run k at place k."""
    said = printed or {}
    cells = [Cell({(k, k): f for k, f in enumerate(runs)}) for runs in figures.values()]
    found = zip(figures, ranked(cells), strict=True)
    return {n: Cell(c.values, c.rank, c.p_value, said.get(n)) for n, c in found}


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ({"A": 95.0, "C": 90.0}, "A does, with 95.0: we agree"),
        ({"A": 95.0, "B": 90.0, "C": 90.0}, "A does, with 95.0: our runs allow it"),
        ({"A": 90.0, "B": 95.0, "C": 90.0}, "B does, with 95.0: our runs allow it"),
        ({"A": 90.0, "C": 95.0}, "C does, with 95.0: our runs do not show it"),
        ({"A": 95.0, "B": 95.0, "C": 90.0}, "A and B do, with 95.0: we agree"),
        ({"D": 95.0, "A": 90.0}, "D does, with 95.0: it was not run here"),
        ({"A": 95.0}, "A does, with 95.0: nothing else was run here"),
    ],
)
def test_we_agree_only_where_the_paper_s_leaders_are_told_apart(
    printed: dict[str, float], words: str
) -> None:
    found = column({"A": FIRST, "B": CLOSE, "C": FAR, "D": ()}, printed)
    assert agreement_in_words(found, Said()) == f"in the paper {words}"


def test_all_that_share_the_largest_printed_number_lead_in_the_paper() -> None:
    found = column({"C": FAR, "A": FIRST, "E": FAR}, {"C": 95.0, "A": 95.0, "E": 94.0})
    assert agreement_in_words(found, Said()) == "in the paper C and A do, with 95.0: we agree"


def test_where_all_are_tied_it_is_said() -> None:
    found = column({"A": FIRST, "B": CLOSE}, {"A": 95.0, "B": 94.0})
    words = agreement_in_words(found, Said())
    assert words.endswith(
        "A does, with 95.0: our runs allow it, as they tell none of its rows apart"
    )


def test_single_runs_are_too_few_to_agree() -> None:
    found = column({"A": (90.0,), "B": (80.0,)}, {"A": 95.0, "B": 94.0})
    assert agreement_in_words(found, Said()).endswith(": our runs are too few to tell")
    found = column({"A": (90.0,), "B": (80.0,)}, {"A": 94.0, "B": 95.0})
    assert agreement_in_words(found, Said()).endswith(": our runs are too few to tell")


def test_rows_that_the_paper_has_not_do_not_speak_against_it() -> None:
    better = (95.0, 96.0, 97.0)
    found = column({"Ours": better, "A": FIRST, "C": FAR}, {"A": 95.0, "C": 90.0})
    words = agreement_in_words(found, Said())
    assert words == "in the paper A does, with 95.0: of its rows A does here, and we agree"


def test_the_verdict_goes_by_the_same_test_as_the_table() -> None:
    """Against B alone A is told apart (p = 0.03), but not with two more rows in the column."""
    near = (88.0, 90.0, 90.5)
    said = {"A": 94.0, "B": 95.0}
    alone = column({"A": FIRST, "B": near}, said)
    assert agreement_in_words(alone, Said()).endswith(": our runs do not show it")
    among = column({"A": FIRST, "B": near, "MLP": CLOSE, "KNN": CLOSE}, said)
    assert among["B"].tied
    assert ": our runs allow it" in agreement_in_words(among, Said())


def test_a_claim_without_numbers_names_the_leaders() -> None:
    found = column({"A": FIRST, "B": CLOSE, "C": FAR, "Ours": FAR})
    rows = ("A", "B", "C")
    words = agreement_in_words(found, Said(rows, leaders=("A", "B")))
    assert words == "in the paper one of A and B does: we agree"
    words = agreement_in_words(found, Said(rows, leaders=("C",)))
    assert words == "in the paper C does: our runs do not show it"
    assert agreement_in_words(found, Said(rows)) == ""


def test_the_distance_to_the_printed_numbers_is_told() -> None:
    found = column({"A": FIRST, "C": FAR}, {"A": 95.4, "C": 60.1})
    words = "A is 4.4 below the printed 95.4; furthest is C, 11.0 above the printed 60.1"
    assert distance_in_words(found, "A") == words
    words = "C is 11.0 above the printed 60.1, further than any other row"
    assert distance_in_words(found, "C") == words
    assert distance_in_words(found, "not run") == words
    assert distance_in_words(column({"A": FIRST}), "A") == ""
    assert distance_in_words(column({"A": FIRST}, {"A": 91.04}), "A") == "A is at the printed 91.0"
