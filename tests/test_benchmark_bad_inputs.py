"""Every bad input ends with one line of ours, and the page that lists them is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.bad_inputs import CASES, ask, is_right

QUICK = [name for name in CASES if name != "100,000 columns"]
PAGE = Path(__file__).parents[1] / "docs" / "bad_inputs.md"


@pytest.mark.parametrize("name", QUICK)
def test_bad_input_is_refused_with_one_line_and_odd_input_is_fitted(
    name: str, tmp_path: Path
) -> None:
    case = CASES[name]
    answer = ask(case, tmp_path)
    assert is_right(case, answer), answer
    if not case.is_sound:
        assert not list((tmp_path / "out").glob("*"))
        assert len(answer.message) > 20


def test_the_page_lists_every_case() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| {name} |" in page for name in CASES)
