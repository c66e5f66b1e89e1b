"""The benchmark of tuning opens the test labels of a split once, and compares like with like."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import tuning
from cogsl import datasets
from cogsl.evaluation import evaluate
from cogsl.methods import CoGSL

TINY = next(iter(datasets.DATASETS))
SHORT = (("iterations", "2"), ("mi_hidden", "4"))


def case(folder: Path, n_trials: int = 2) -> tuning.Case:
    return tuning.Case(TINY, 1, n_trials, 1, folder, SHORT, (("iterations", "1"),))


def test_a_study_is_gone_on_with_and_its_test_labels_are_opened_once(tmp_path: Path) -> None:
    first, again = tuning.run_case(case(tmp_path)), tuning.run_case(case(tmp_path))
    assert again == first
    assert first["times_test_labels_were_opened"] == 1
    assert len(first["trials"]) == 2
    assert {len(trial) for trial in first["trials"]} == {len(first["columns"])}
    own = CoGSL(iterations=2, mi_hidden=4)
    expected = evaluate(own, datasets.load(TINY, split_seed=1), seed=0)
    assert first["before"][0]["macro_f1"] == pytest.approx(expected["macro_f1"], abs=1e-5)


def record(before: float, after: float, best: int) -> dict[str, Any]:
    def run(figure: float) -> dict[str, float]:
        return dict.fromkeys(tuning.METRICS, figure)

    return {
        "before": [run(before), run(before + 0.02)],
        "after": [run(after), run(after + 0.02)],
        "trials": [[0.8, 0.5, 1.0], [0.9, 0.4, 1.0]],
        "best": best,
        "times_test_labels_were_opened": 1,
    }


def shown(records: list[dict[str, Any]]) -> str:
    screen = StringIO()
    Console(file=screen, width=150).print(tuning.format_table("d", records))
    return screen.getvalue()


def test_the_table_compares_split_by_split() -> None:
    text = shown([record(0.70, 0.71, 1), record(0.80, 0.83, 0)])
    (line,) = (line for line in text.splitlines() if "macro_f1" in line)
    assert line.replace("│", " ").split()[1:4] == ["76.00", "78.00", "+2.00"]
    (line,) = (line for line in text.splitlines() if "validation" in line)
    assert line.replace("│", " ").split()[2:4] == ["80.00", "85.00"]
    assert "In 1 of 2" in text


def test_a_single_split_is_compared_seed_by_seed() -> None:
    (line,) = (line for line in shown([record(0.7, 0.6, 1)]).splitlines() if "auc" in line)
    assert line.replace("│", " ").split()[1:4] == ["71.00", "61.00", "-10.00"]
