"""The table of searches, and that presets are what the recorded searches chose."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from benchmarks import search, search_table

RECORDS = Path(__file__).parents[1] / "docs" / "results" / "search-methods.json"
SPARED = {"patience"}
"""What a preset may have beside the choice: it ends runs early and chooses no state."""


def trials(candidate: str, *figures: float) -> list[dict[str, Any]]:
    return [
        {"candidate": candidate, "split_seed": k // 2, "half": k % 2, "accuracy": figure}
        for k, figure in enumerate(figures)
    ]


def test_a_cell_names_the_choice_beside_the_defaults_and_the_budget() -> None:
    rows = [*trials("default", 0.8, 0.9), *trials("faster", 0.9, 0.94)]
    assert search_table.in_words(rows) == "faster (92.0 to 85.0; 2 candidates, 4 runs)"
    assert search_table.in_words(rows[:2]) == "default (85.0; 1 candidates, 2 runs)"


def test_the_table_has_a_row_a_method_and_an_empty_cell_where_nothing_was_searched() -> None:
    rows = trials("default", 0.8, 0.9)
    text = search_table.to_markdown({("gcn", "wine"): rows, ("mlp", "digits"): rows})
    cell = "default (85.0; 1 candidates, 2 runs)"
    assert text.splitlines() == [
        "| | Wine | Digits |",
        "|---|---|---|",
        f"| GCN | {cell} |  |",
        f"| MLP |  | {cell} |",
    ]


def test_every_preset_of_a_recorded_search_is_what_it_chose() -> None:
    found = search_table.searches(json.loads(RECORDS.read_text(encoding="utf-8")))
    assert len(found) > 50
    for (method, dataset), rows in found.items():
        path = search.PRESETS / method / "paper" / f"{dataset}.toml"
        preset = tomllib.loads(path.read_text(encoding="utf-8"))
        chosen = search.read_candidates(method)[search.best_of(rows)]
        assert {k: v for k, v in preset.items() if k not in SPARED - set(chosen)} == chosen, path
