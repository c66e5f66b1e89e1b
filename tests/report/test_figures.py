"""Figures from records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Text

from cogsl.experiments.specs import Spec, parse_spec, read_spec
from cogsl.report.figure_names import spread
from cogsl.report.figure_scales import alike, below, window
from cogsl.report.figure_style import COLOURS, contrast, look, readable
from cogsl.report.figures import draw, save
from cogsl.report.outputs import unfold

POINTS = [{"x": 0.0}, {"x": 0.5, "ratio": 0.5}]


def lines(names: str = "AB") -> Spec:
    content: dict[str, Any] = {
        "title": "T",
        "paper": "P",
        "kind": "figure",
        "datasets": ["wine"],
        "metrics": ["accuracy"],
        "attack": "edge_addition",
        "axis": "share",
        "points": POINTS,
        "series": [{"name": name, "method": "gcn"} for name in names],
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


MANY = "ABCDEFGH"
MANY_RECORDS = [
    record(name, x, 0.5 + k / 20 + s / 100, s)
    for k, name in enumerate(MANY)
    for x in (0.0, 0.5)
    for s in (0, 1)
]


def curves_of(ax: Axes) -> list[list[float]]:
    """The heights of the lines that are in the panel, not beside it."""
    inside = [line for line in ax.get_lines() if line.get_transform() == ax.transData]
    return [np.asarray(line.get_ydata()).tolist() for line in inside]


def test_lines_hold_the_means_and_have_names() -> None:
    (ax,) = draw(lines(), RECORDS).axes
    assert curves_of(ax) == [pytest.approx([91.0, 80.0]), pytest.approx([50.0, 50.0])]
    assert {text.get_text() for text in ax.texts} == {"A", "B"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share", "accuracy (%)")


OF_TWO = 12.7062047 / 2
"""Half the interval of two runs that are 1 apart: t_{1, 0.975} s / sqrt(2), s = 1 / sqrt(2)."""


def test_bands_are_intervals_of_the_mean() -> None:
    (ax,) = draw(lines(), RECORDS).axes
    heights = [band.get_paths()[0].get_extents().intervaly for band in ax.collections]
    ends = (91.0 - 2 * OF_TWO, 91.0 + 2 * OF_TWO)  # of 90 and 92
    assert heights[0].tolist() == pytest.approx([min(80.0, ends[0]), ends[1]])
    corners = np.asarray(ax.collections[0].get_paths()[0].vertices)
    left = corners[corners[:, 0] == 0.0, 1]
    assert (left.min(), left.max()) == pytest.approx(ends)
    assert heights[1].tolist() == pytest.approx([50.0, 50.0])  # single runs have none


def test_what_was_not_run_has_no_line() -> None:
    (ax,) = draw(lines(), RECORDS[:4]).axes
    assert len(curves_of(ax)) == 1
    (empty,) = draw(lines(), []).axes
    assert not empty.get_lines()


def test_bands_of_many_lines_have_a_panel_each() -> None:
    whole, *apart = draw(lines(MANY), MANY_RECORDS).axes
    assert not whole.collections
    assert curves_of(whole) == [pytest.approx([50.5 + 5 * k] * 2) for k in range(8)]
    assert [ax.get_title(loc="left") for ax in apart] == list(MANY)
    for k, ax in enumerate(apart):
        (band,) = ax.collections
        ends = band.get_paths()[0].get_extents().intervaly.tolist()
        assert ends == pytest.approx([50.5 - OF_TWO + 5 * k, 50.5 + OF_TWO + 5 * k])
        assert ax.get_ylim() == whole.get_ylim()
        assert curves_of(ax)[-1] == pytest.approx([50.5 + 5 * k] * 2)  # in front of the others


def test_three_lines_are_many() -> None:
    """Three bands on one another have seven shades, too many to say whose they are."""
    assert len(draw(lines("ABC"), MANY_RECORDS).axes) == 4
    assert len(draw(lines("AB"), MANY_RECORDS).axes) == 1


def test_a_method_that_was_not_run_has_no_panel_of_its_own() -> None:
    whole, *apart = draw(lines(MANY), MANY_RECORDS[4:]).axes
    assert [ax.get_title(loc="left") for ax in apart] == list(MANY[1:])
    assert [text.get_text() for text in whole.texts] == list(MANY[1:])
    (empty,) = draw(lines(MANY), []).axes
    assert not empty.get_lines()


def information(*, mi: dict[str, float], macro_f1: float = 0.9) -> list[dict[str, Any]]:
    """Two runs at three points; the mutual information falls by so much for each unit of eta."""
    return [
        {**record("CoGSL", x, 0.0, seed), "dataset": dataset, "axis": "eta"}
        | {"macro_f1": macro_f1 - x / 10, "mi": 2.0 - slope * x + seed / 100}
        for dataset, slope in mi.items()
        for x in (0.0, 0.05, 0.5)
        for seed in (0, 1)
    ]


def test_a_second_metric_of_one_line_has_a_panel_and_a_band_of_its_own() -> None:
    runs = information(mi={"digits": 1.0})
    upper, _, lower, _ = draw(read_spec("fig-mi"), runs).axes
    places = [np.asarray(ax.get_lines()[0].get_xdata()).tolist() for ax in (upper, lower)]
    assert places == [[0, 3, 5], [0, 3, 5]]  # where they stand among the seven points
    heights = [pytest.approx([90.0, 89.5, 85.0]), pytest.approx([2.005, 1.955, 1.505])]
    assert [*curves_of(upper), *curves_of(lower)] == heights
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("macro-F1 (%)", "MI (nats)")
    (band,) = lower.collections
    ends = [1.505 - 0.01 * OF_TWO, 2.005 + 0.01 * OF_TWO]
    assert band.get_paths()[0].get_extents().intervaly.tolist() == pytest.approx(ends)


def test_small_changes_of_a_second_metric_look_small() -> None:
    _, _, lower, _ = draw(read_spec("fig-mi"), information(mi={"digits": 0.001})).axes
    low, high = lower.get_ylim()
    assert high - low == pytest.approx(0.2, abs=0.001)


def test_panels_of_one_line_have_one_scale_if_none_is_ten_times_another() -> None:
    near = information(mi={"digits": 2.0, "citeseer": 0.1})  # windows of about 1.1 and 0.2
    spans = [np.diff(ax.get_ylim()).item() for ax in draw(read_spec("fig-mi"), near).axes]
    assert spans[2] == pytest.approx(spans[3])
    far = information(mi={"digits": 20.0, "citeseer": 0.1})
    spans = [np.diff(ax.get_ylim()).item() for ax in draw(read_spec("fig-mi"), far).axes]
    assert spans[2] > 10 * spans[3]
    assert alike([(0.0, 1.0), (5.0, 9.0)]) == [(-1.5, 2.5), (5.0, 9.0)]
    assert alike([(0.0, 1.0), (5.0, 15.5)]) == [(0.0, 1.0), (5.0, 15.5)]


def test_panels_of_one_data_set_say_what_varies() -> None:
    spec = read_spec("fig-scope")
    titles = [ax.get_title(loc="left") for ax in draw(spec, []).axes]
    assert titles[:2] == ["Digits: hops of the adjacency", "Digits: entries a row of the diffusion"]
    assert draw(lines(), []).axes[0].get_title(loc="left") == "Wine"


def test_wide_intervals_do_not_decide_what_an_axis_shows() -> None:
    low, high = window([10.0, 12.0], [(9.5, 10.5), (11.5, 12.5)], room=0.1)
    assert (low, high) == pytest.approx((9.35, 12.65))  # all, and a twentieth at each side
    low, high = window([10.0, 12.0], [(-90.0, 110.0), (11.0, 13.0)], room=0.1)
    assert (low, high) == pytest.approx((11 - 3.3, 11 + 3.3))  # three ranges of the means
    low, high = window([50.0, 50.0], [(0.0, 100.0)] * 2, room=0.1)
    assert (low, high) == pytest.approx((50 - 2.75, 50 + 2.75))  # a tenth of the level
    low, high = window([0.0], [(0.0, 0.0)], room=0.1)
    assert low < 0.0 < high


def test_shares_are_not_shown_beyond_all() -> None:
    assert below((90.0, 106.0), 101.0) == (85.0, 101.0)
    assert below((50.0, 60.0), 101.0) == (50.0, 60.0)
    runs = [record("A", x, y, s) for x in (0.0, 0.5) for s, y in enumerate((0.9, 1.0, 1.0))]
    (ax,) = draw(lines("A"), runs).axes
    assert ax.get_ylim()[1] <= 101.0


def test_no_two_series_look_alike_even_in_grey() -> None:
    looks = [look(k) for k in range(len(COLOURS))]
    assert len({shown.marker for shown in looks}) == len(looks)
    assert len({shown.dashes for shown in looks}) == len(looks)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#FFFFFF") == pytest.approx(1.0)
    assert contrast("#000000") == pytest.approx(21.0)
    assert contrast("#777777") == pytest.approx(4.48, abs=0.005)
    assert contrast("#767676") == pytest.approx(4.54, abs=0.005)


def test_text_is_dark_enough_to_be_read() -> None:
    assert readable("#0072B2") == "#0072B2"
    for figure in (draw(lines(MANY), MANY_RECORDS), draw(lines(), RECORDS)):
        texts = [text for text in figure.findobj(Text) if text.get_text()]
        assert len(texts) > 4
        assert min(contrast(to_hex(text.get_color())) for text in texts) >= 4.5


def test_a_name_has_its_line_s_marker_and_a_leader_from_its_end() -> None:
    (ax,) = draw(lines(), RECORDS).axes
    every = ax.get_lines()
    inside = [line for line in every if line.get_transform() == ax.transData]
    keys = [line for line in every if line.get_transform() != ax.transData]
    assert [text.get_text() for text in ax.texts] == ["B", "A"]  # from below
    for text, key, line, leader in zip(ax.texts, keys, inside[::-1], ax.patches, strict=True):
        assert (key.get_marker(), key.get_color()) == (line.get_marker(), line.get_color())
        assert np.asarray(key.get_ydata()).tolist() == [text.get_position()[1]] * 2
        start, *_, end = np.asarray(leader.get_path().vertices)
        assert start == pytest.approx(np.asarray(line.get_xydata())[-1])
        assert end[1] == pytest.approx(text.get_position()[1])
        assert end[0] > ax.get_xlim()[1]


def test_a_line_that_ends_early_has_no_leader_through_the_panel() -> None:
    (ax,) = draw(lines(), [r for r in RECORDS if r["name"] == "A" or r["point"] == 0.0]).axes
    assert [text.get_text() for text in ax.texts] == ["B", "A"]
    (leader,) = ax.patches
    assert np.asarray(leader.get_path().vertices)[0] == pytest.approx([0.5, 80.0])


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


def test_names_stay_beside_their_panel() -> None:
    assert spread([0.0, 0.0, 9.0], least=1.0, within=(0.0, 9.0)) == pytest.approx([0.0, 1.0, 9.0])
    assert spread([9.0, 9.0], least=1.0, within=(0.0, 9.0)) == pytest.approx([8.0, 9.0])
    assert spread([1.0, 1.0], least=4.0, within=(0.0, 2.0)) == pytest.approx([-1.0, 3.0])  # no room


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
