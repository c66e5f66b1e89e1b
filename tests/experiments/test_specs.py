"""Specs, and the runs that they come to."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cogsl import datasets
from cogsl.errors import InputError, UnknownNameError
from cogsl.experiments.specs import (
    check_known,
    expand,
    narrow,
    overlap,
    parse_spec,
    read_spec,
    spec_names,
)
from cogsl.methods import METHODS
from cogsl.report.outputs import unfold
from cogsl.report.tables import make_tables

VIEWS: dict[str, Any] = {
    "views": {name: {} for name in ("V1_ori", "V2_ori", "V1_es", "V2_es", "final")}
}

ALL = [
    *("fig-addition", "fig-deletion", "fig-mi", "fig-scope", "fig-view-estimator"),
    *("table-classification", "table-feature-noise", "table-fusion"),
]


def content(**changes: Any) -> dict[str, Any]:
    return {
        "title": "T",
        "paper": "P",
        "kind": "table",
        "datasets": ["wine", "citeseer"],
        "metrics": ["macro_f1"],
        "series": [{"name": "A", "method": "gcn"}, {"name": "B", "method": "cogsl"}],
    } | changes


def test_there_is_a_spec_for_every_table_and_figure() -> None:
    assert spec_names() == ALL


@pytest.mark.parametrize("name", ALL)
def test_every_spec_comes_to_runs_that_could_be_done(name: str) -> None:
    spec = read_spec(name)
    tasks = expand(spec, lambda _: 2)
    points = sum(len(panel.points) for panel in spec.panels)
    assert len(tasks) == 2 * points * len(spec.series)
    for task in tasks:
        assert task.dataset in datasets.DATASETS
        task.new_method().validate()


@pytest.mark.parametrize("name", ALL)
def test_printed_numbers_are_those_of_series_points_and_metrics(name: str) -> None:
    spec = read_spec(name)
    for dataset, rows in spec.printed.items():
        assert dataset in spec.datasets
        (panel,) = (panel for panel in spec.panels if panel.dataset == dataset)
        for series, numbers in rows.items():
            assert series in {s.name for s in spec.series}
            assert len(numbers) == len(panel.points) * len(spec.metrics)


@pytest.mark.parametrize("name", ALL)
def test_every_spec_says_what_the_paper_claims_of_rows_that_it_has(name: str) -> None:
    spec = read_spec(name)
    assert spec.claim.endswith(".")
    shown = spec if spec.measure != "views" else unfold(spec, [VIEWS])[0]
    rows = {row for table in make_tables(shown, []) for row in table.said.rows}
    assert not spec.own or spec.own in rows
    assert {leader for leaders in spec.leaders.values() for leader in leaders} <= rows
    assert {row for pair in spec.above for row in pair} <= rows
    assert set(spec.leaders or spec.printed) == set(spec.datasets)


@pytest.mark.parametrize("name", ALL)
def test_the_paper_prints_numbers_of_all_rows_that_it_has_and_of_no_others(name: str) -> None:
    spec = read_spec(name)
    in_paper = {series.name for series in spec.series if series.in_paper}
    assert {row for rows in spec.printed.values() for row in rows} == in_paper or not spec.printed


@pytest.mark.parametrize("name", ALL)
def test_a_note_says_where_the_mi_term_sees_fewer_nodes_than_in_the_paper(name: str) -> None:
    spec = read_spec(name)
    for dataset in {"digits", "polblogs", "citeseer"} & set(spec.datasets):
        said = (datasets.DATASETS[dataset].title, "both data sets")
        assert "MI term samples 1,000 nodes" in spec.note
        assert any(words in spec.note for words in said)


def test_the_table_of_classification_has_all_methods() -> None:
    assert {s.method for s in read_spec("table-classification").series} == set(METHODS)


def test_methods_see_the_same_splits_and_attacks() -> None:
    spec = read_spec("fig-addition")
    seen = Counter(
        (t.dataset, t.point, t.seed, t.split_seed, t.attack and (t.attack.ratio, t.attack.seed))
        for t in expand(spec, lambda _: 3)
    )
    assert set(seen.values()) == {len(spec.series)}
    official = {t.split_seed for t in expand(spec, lambda _: 3) if t.dataset == "citeseer"}
    drawn = {t.split_seed for t in expand(spec, lambda _: 3) if t.dataset == "breast_cancer"}
    assert (official, drawn) == ({0}, {0, 1, 2})


def test_cogsl_is_attacked_in_its_views_and_the_others_in_the_graph() -> None:
    tasks = expand(read_spec("fig-deletion"), lambda _: 1)
    targets = {t.name: t.attack.target for t in tasks if t.attack is not None}
    assert targets["CoGSL_v1"] == (0,)
    assert targets["CoGSL_all"] == (0, 1)
    assert targets["IDGL"] == "graph"
    assert all(t.attack is None for t in tasks if t.point == 0.0)


def test_settings_of_a_point_win_over_those_of_the_series_and_the_preset() -> None:
    spec = parse_spec(
        "s",
        content(
            datasets=["citeseer"],
            series=[{"name": "A", "method": "cogsl", "settings": {"tau": 0.3, "lam": 0.3}}],
            points=[{"x": 1.0, "settings": {"tau": 0.4}}],
        ),
    )
    (task,) = expand(spec, lambda _: 1)
    settings = task.new_method().get_params()
    assert (settings["tau"], settings["lam"], settings["mi_steps"]) == (0.4, 0.3, 10)
    assert task.attack is None


def test_a_spec_is_narrowed_to_data_sets_and_methods() -> None:
    spec = narrow(parse_spec("s", content()), only_datasets=["wine"], only_methods=["gcn"])
    assert spec.datasets == ("wine",)
    assert [s.name for s in spec.series] == ["A"]
    assert spec.left_out == {"citeseer": "not asked for"}
    with pytest.raises(UnknownNameError, match="No data set in 's' is called 'whine'"):
        narrow(parse_spec("s", content()), only_datasets=["whine"])
    with pytest.raises(UnknownNameError, match="No method in 's' is called 'gat'"):
        narrow(parse_spec("s", content()), only_methods=["gat"])


def test_of_names_a_spec_keeps_those_that_it_has() -> None:
    spec = parse_spec("s", content())
    part = overlap(spec, only_datasets=["digits", "wine"], only_methods=["gat", "gcn"])
    assert part is not None
    assert (part.datasets, part.methods) == (("wine",), ("gcn",))
    assert overlap(spec) == spec
    assert overlap(spec, only_datasets=["digits"]) is None
    assert overlap(spec, only_datasets=["wine"], only_methods=["gat"]) is None


def test_a_name_that_no_spec_has_is_an_error() -> None:
    both = [parse_spec("s", content()), parse_spec("t", content(datasets=["digits"]))]
    check_known(both, only_datasets=["digits", "wine"], only_methods=["gcn"])
    with pytest.raises(UnknownNameError, match="any table or figure is called 'digit'; did you"):
        check_known(both, only_datasets=["digit"])
    with pytest.raises(UnknownNameError, match="No method in any table or figure"):
        check_known(both, only_methods=["gat"])


def test_what_a_spec_cannot_be_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'fig-deletion'"):
        read_spec("fig-delete")
    with pytest.raises(InputError, match="did you mean 'table'"):
        parse_spec("s", content(kind="tabel"))
    spec = parse_spec("s", content(attack="edge_delete", points=[{"x": 1.0, "ratio": 0.5}]))
    with pytest.raises(UnknownNameError, match="did you mean 'edge_deletion'"):
        expand(spec, lambda _: 1)
