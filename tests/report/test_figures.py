"""Figures from records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogsl.experiments.specs import Spec, parse_spec, read_spec
from cogsl.report.figures import draw, save, spread
from cogsl.report.outputs import unfold

POINTS = [{"x": 0.0}, {"x": 0.5, "ratio": 0.5}]


def lines() -> Spec:
    content: dict[str, Any] = {
        "title": "T",
        "paper": "P",
        "kind": "figure",
        "datasets": ["wine"],
        "metrics": ["accuracy"],
        "attack": "edge_addition",
        "axis": "share",
        "points": POINTS,
        "series": [{"name": "A", "method": "gcn"}, {"name": "B", "method": "mlp"}],
    }
    return parse_spec("f", content)


def record(name: str, x: float, accuracy: float, seed: int = 0) -> dict[str, Any]:
    return {
        **{"dataset": "wine", "axis": "share", "name": name, "point": x},
        **{"seed": seed, "split_seed": 0, "accuracy": accuracy},
    }


RECORDS = [
    *(record("A", x, y, s) for s in (0, 1) for x, y in ((0.0, 0.9 + s / 50), (0.5, 0.8))),
    *(record("B", x, 0.5) for x in (0.0, 0.5)),
]


def test_lines_hold_the_means_and_have_names() -> None:
    (ax,) = draw(lines(), RECORDS).axes
    curves = [np.asarray(line.get_ydata()).tolist() for line in ax.get_lines()]
    assert curves == [pytest.approx([91.0, 80.0]), pytest.approx([50.0, 50.0])]
    assert {text.get_text() for text in ax.texts} == {"A", "B"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share", "accuracy (%)")


def test_bands_are_intervals_of_the_mean() -> None:
    """Means of two runs, 90 and 92, drawn anew: 90, 91 or 92, a quarter of them at each end."""
    (ax,) = draw(lines(), RECORDS).axes
    heights = [band.get_paths()[0].get_extents().intervaly for band in ax.collections]
    assert heights[0].tolist() == pytest.approx([80.0, 92.0])  # at the second point all are 80
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    left = corners[corners[:, 0] == 0.0, 1]
    assert (left.min(), left.max()) == pytest.approx((90.0, 92.0))
    assert heights[1].tolist() == pytest.approx([50.0, 50.0])  # single runs have none


def test_what_was_not_run_has_no_line() -> None:
    (ax,) = draw(lines(), RECORDS[:4]).axes
    assert len(ax.get_lines()) == 1
    (empty,) = draw(lines(), []).axes
    assert not empty.get_lines()


def test_a_second_metric_of_one_line_has_an_axis_of_its_own() -> None:
    runs = [
        {**record("CoGSL", x, 0.0), "dataset": "digits", "axis": "eta"}
        | {"macro_f1": 0.9 - x, "mi": 1.0 - x}
        for x in (0.0, 0.05, 0.5)
    ]
    left, _, right, _ = draw(read_spec("fig-mi"), runs).axes
    places = [np.asarray(ax.get_lines()[0].get_xdata()).tolist() for ax in (left, right)]
    assert places == [[0, 3, 5], [0, 3, 5]]  # where they stand among the seven points
    curves = [np.asarray(ax.get_lines()[0].get_ydata()).tolist() for ax in (left, right)]
    assert curves == [pytest.approx([90.0, 85.0, 40.0]), pytest.approx([1.0, 0.95, 0.5])]
    assert (left.get_ylabel(), right.get_ylabel()) == ("macro-F1 (%)", "MI (nats)")


def test_small_changes_of_a_second_metric_look_small() -> None:
    runs = [
        {**record("CoGSL", x, 0.0), "dataset": "digits", "axis": "eta"}
        | {"macro_f1": 0.9, "mi": 2.0 - x / 1000}
        for x in (0.0, 0.05, 0.5)
    ]
    _, _, right, _ = draw(read_spec("fig-mi"), runs).axes
    assert right.get_ylim() == pytest.approx((1.9, 2.1), abs=0.001)


def test_names_do_not_overlap() -> None:
    close = [record(name, x, 0.5) for name in ("A", "B") for x in (0.0, 0.5)]
    (ax,) = draw(lines(), close).axes
    heights = sorted(float(text.get_position()[1]) for text in ax.texts)
    low, high = ax.get_ylim()
    assert heights[1] - heights[0] >= 0.06 * (high - low)


def test_names_stay_where_there_is_room_and_move_up_and_down_alike_where_there_is_none() -> None:
    assert spread([0.0, 5.0], least=1.0) == [0.0, 5.0]
    assert spread([2.0, 2.0, 9.0], least=1.0) == pytest.approx([1.5, 2.5, 9.0])
    assert spread([2.0, 2.0, 2.6], least=1.0) == pytest.approx([1.2, 2.2, 3.2])


def test_views_are_dots() -> None:
    names = ("V1_ori", "V2_ori", "V1_es", "V2_es", "final")
    judged = {name: {"macro_f1": 0.8 + k / 50} for k, name in enumerate(names)}
    row = {"dataset": "digits", "seed": 0, "split_seed": 0, "axis": "", "point": None}
    spec, rows = unfold(read_spec("fig-view-estimator"), [row | {"views": judged}])
    digits, citeseer = draw(spec, rows).axes
    heights = [np.asarray(line.get_ydata()).item() for line in digits.get_lines()[::3]]
    assert heights == pytest.approx([80.0, 82.0, 84.0, 86.0, 88.0])
    assert not citeseer.get_lines()


def test_a_figure_is_written_twice_and_alike_each_time(tmp_path: Path) -> None:
    figure = draw(lines(), RECORDS)
    paths = save(figure, tmp_path, "f")
    assert [path.name for path in paths] == ["f.png", "f.svg"]
    first = [path.read_bytes() for path in paths]
    save(draw(lines(), RECORDS), tmp_path, "f")
    assert first == [path.read_bytes() for path in paths]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f.png", "f.svg"]
