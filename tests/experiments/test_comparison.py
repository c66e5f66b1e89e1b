"""Comparisons on a tiny graph, with methods whose worth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogsl.errors import (
    CogslError,
    DivergedError,
    EmptySplitError,
    InputError,
    LabelError,
    MemoryLimitError,
    MissingClassError,
    SettingValueError,
    TooFewClassesError,
    UnknownNameError,
)
from cogsl.evaluation import Record
from cogsl.evaluation.statistics import paired_difference
from cogsl.experiments.comparison import CORE, Comparison, Plan, make_plan, open_store
from cogsl.experiments.comparison_summary import Summary, summarise
from cogsl.experiments.resplits import Sizes, draw, sizes_of
from cogsl.graph import Graph
from cogsl.io import NamedGraph
from cogsl.methods import METHODS
from cogsl.settings import setting
from cogsl.training.listener import Listener, SilentListener
from tests.comparing import Learner, Plain, two_groups, use_fakes


@pytest.fixture(autouse=True)
def _fast_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)


def comparison(named: NamedGraph | None = None, **changes: Any) -> Comparison:
    return Comparison.of(named or two_groups(), make_plan(**({"n_splits": 5} | changes)), "groups")


def summary_of(records: Sequence[Record], of: Comparison, least: float = 0.01) -> Summary:
    return summarise(of, records, least)


class Counting:
    """Counts the runs, and ends them at one of them."""

    def __init__(self, end_at: int | None = None) -> None:
        self.n_started, self.end_at = 0, end_at

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        if self.n_started == self.end_at:
            raise KeyboardInterrupt
        self.n_started += 1
        return SilentListener()

    def on_run_end(self, record: Record) -> None:
        assert record["method"] in METHODS


# Splits -------------------------------------------------------------------------------------------


def test_labelled_nodes_of_a_graph_without_a_split_are_shared_out() -> None:
    graph = two_groups(400, unlabelled=100).graph
    sizes = sizes_of(graph, val_share=None, test_share=None)
    assert sizes == Sizes(train=180, val=60, test=60, labels=300)
    assert sizes_of(graph, val_share=0.1, test_share=0.4) == Sizes(
        train=150, val=30, test=120, labels=300
    )


def test_a_split_keeps_its_training_and_validation_sizes_and_balance() -> None:
    graph = two_groups().graph.with_split(np.arange(20), np.arange(20, 70), np.arange(70, 400))
    sizes = sizes_of(graph, val_share=None, test_share=None)
    assert sizes == Sizes(train=20, val=50, test=80, labels=400, balanced=True)
    drawn = draw(graph, sizes, 0)
    assert np.bincount(drawn.labels[drawn.train]).tolist() == [10, 10]
    uneven = graph.with_split([0, 1, 3], np.arange(20, 70))
    assert sizes_of(uneven, val_share=None, test_share=None).balanced is False
    assert sizes_of(graph, val_share=0.5, test_share=None).train == 120


def test_a_large_given_split_leaves_what_there_is_for_the_test() -> None:
    graph = two_groups().graph.with_split(np.arange(300), np.arange(300, 370))
    assert sizes_of(graph, val_share=None, test_share=None).test == 30


def test_splits_differ_by_seed_are_stratified_and_hold_labelled_nodes_only() -> None:
    graph = two_groups(400, unlabelled=100).graph
    sizes = sizes_of(graph, val_share=None, test_share=None)
    one, other, again = (draw(graph, sizes, seed) for seed in (0, 1, 0))
    assert not np.array_equal(one.test, other.test)
    assert np.array_equal(one.test, again.test)
    for part, size in ((one.train, 180), (one.val, 60), (one.test, 60)):
        assert np.bincount(graph.labels[part]).tolist() == [size // 2, size // 2]


# Runs ---------------------------------------------------------------------------------------------


def test_all_methods_have_the_same_splits_and_seeds(tmp_path: Path) -> None:
    of = comparison()
    records = of.run(open_store(tmp_path))
    assert [(r["method"], r["seed"]) for r in records] == [
        (name, seed) for seed in range(5) for name in CORE
    ]
    hashes = [{r["graph_hash"] for r in records if r["split_seed"] == s} for s in range(5)]
    assert all(len(found) == 1 for found in hashes)
    assert len(set.union(*hashes)) == 5
    assert {(r["dataset"], r["preset"]) for r in records} == {("groups", "default")}


def test_what_was_run_is_not_run_again_and_more_splits_go_on(tmp_path: Path) -> None:
    store, first, second, third = open_store(tmp_path), Counting(), Counting(), Counting()
    records = comparison().run(store, first)
    again = comparison().run(store, second)
    assert [r["accuracy"] for r in again] == [r["accuracy"] for r in records]
    more = comparison(n_splits=6)
    assert more.missing(store) == [(name, 5) for name in CORE]
    assert more.run(store, third)[: len(records)] == again
    assert (first.n_started, second.n_started, third.n_started) == (20, 0, 4)


def test_a_killed_comparison_loses_nothing(tmp_path: Path) -> None:
    store, rest = open_store(tmp_path), Counting()
    with pytest.raises(KeyboardInterrupt):
        comparison().run(store, Counting(end_at=7))
    assert len(list(store.folder.iterdir())) == 7
    assert len(comparison().missing(store)) == 13
    comparison().run(store, rest)
    assert rest.n_started == 13


def test_other_graphs_sizes_and_settings_are_other_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, named = open_store(tmp_path), two_groups()
    comparison(named).run(store)
    edges = replace(named, graph=named.graph.with_edges(named.graph.adjacency * 2.0))
    for other in (comparison(edges), comparison(test_share=0.3), comparison(seed=10)):
        assert len(other.missing(store)) == 20
    use_fakes(monkeypatch, type("Other", (Learner,), {"__module__": __name__}))
    assert comparison(named).missing(store) == []
    monkeypatch.setitem(METHODS, "cogsl", Plain)
    assert len(comparison(named).missing(store)) == 5


def test_an_error_names_method_and_split_and_leaves_the_earlier_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Diverging(Learner):
        def _fit(self, graph: Graph, seeds: Any, listener: Listener) -> None:
            if seeds.seed == 2:
                raise DivergedError("No finite figure.")
            super()._fit(graph, seeds, listener)

    use_fakes(monkeypatch, Diverging)
    with pytest.raises(DivergedError, match=r"cogsl, split 2: No finite figure\."):
        comparison().run(open_store(tmp_path))
    assert len(list((tmp_path / "records").iterdir())) == 11


# What comes out -----------------------------------------------------------------------------------


def test_a_learner_that_is_better_gets_a_yes_with_its_figures(tmp_path: Path) -> None:
    of = comparison(n_splits=8)
    records = of.run(open_store(tmp_path))
    seen = summary_of(records, of)
    assert seen.verdict.answer == "yes"
    accuracy = {m: [r["accuracy"] for r in records if r["method"] == m] for m in CORE}
    by_name = {row.method: row for row in seen.rows}
    lead = paired_difference(accuracy["cogsl"], accuracy["gcn"], test_to_train=80 / 320)
    assert by_name["gcn"].lead == lead
    assert by_name["cogsl"].lead is None
    assert by_name["gcn"].p_holm >= by_name["gcn"].p  # type: ignore[operator]
    assert by_name["cogsl"].accuracy == pytest.approx(np.mean(accuracy["cogsl"]))
    assert seen.evidence.largest_class == 0.5
    assert seen.evidence.learners == ("cogsl",)


def test_a_learner_that_is_worse_gets_a_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(kw_only=True, eq=False)
    class Worse(Learner):
        noise: float = setting(5.0, "how much the seed decides", low=0.0)

    use_fakes(monkeypatch, Worse)
    of = comparison(two_groups(2000))
    assert summary_of(of.run(open_store(tmp_path)), of).verdict.answer == "no"


def test_the_summary_is_written_and_holds_the_verdict(tmp_path: Path) -> None:
    of = comparison()
    seen = summary_of(of.run(open_store(tmp_path)), of, least=0.02)
    written = json.loads(seen.write(tmp_path).read_text())
    assert written["answer"] == seen.verdict.answer
    assert written["words"]["verdict"] == seen.words.verdict
    assert written["least"] == 0.02
    assert written["sizes"] == {
        "train": 240,
        "val": 80,
        "test": 80,
        "labels": 400,
        "balanced": False,
    }
    assert [row["method"] for row in written["rows"]] == list(CORE)
    assert len(written["accuracy"]["gcn"]) == 5


def test_the_summary_names_the_commits_of_the_runs_not_its_own(tmp_path: Path) -> None:
    of = comparison()
    records = of.run(open_store(tmp_path))
    for k, record in enumerate(records):
        record["commit"] = "old" if k < 7 else "new"
    assert summary_of(records, of).as_json()["commits"] == ["new", "old"]


def test_a_further_method_is_a_learner_or_a_rival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "idgl", Learner)
    monkeypatch.setitem(METHODS, "gat", Plain)
    of = Comparison.of(two_groups(), make_plan(["idgl", "gat", "gcn"], n_splits=5), "groups")
    assert of.plan.methods == (*CORE, "idgl", "gat")
    seen = of.evidence(of.run(open_store(tmp_path)), 0.01)
    assert seen.learners == ("cogsl", "idgl")
    assert seen.rivals == ("mlp", "knn_gcn", "gcn", "gat")


def test_the_four_methods_are_what_they_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert [METHODS[name].learns_graph for name in CORE] == [False, False, False, True]
    assert [METHODS[name].reads_edges for name in CORE] == [False, False, True, True]


# What is refused ----------------------------------------------------------------------------------


def labelled(labels: Sequence[int]) -> NamedGraph:
    graph = Graph.from_edges(np.array([[0], [1]]), n_nodes=len(labels), labels=np.array(labels))
    return NamedGraph.numbered(graph)


@pytest.mark.parametrize(
    ("labels", "kind", "part"),
    [
        ([-1] * 50, TooFewClassesError, "Got no labels instead"),
        ([0] * 50, TooFewClassesError, "Got '0' instead"),
        ([0] * 50 + [1], LabelError, "Class '1' has 1"),
        ([0, 1] * 20, EmptySplitError, "10 test nodes or more.* it would have 8"),
        (list(range(40)) * 2, MissingClassError, "a node of each of the 40 classes"),
    ],
)
def test_labels_that_cannot_be_split_are_refused(
    labels: list[int], kind: type[CogslError], part: str
) -> None:
    with pytest.raises(kind, match=part):
        comparison(labelled(labels), val_share=0.4)


@pytest.mark.parametrize(
    ("val", "test", "kind", "part"),
    [
        (0.0, None, SettingValueError, "share of validation nodes .* Got 0.0"),
        (None, 1.5, SettingValueError, "share of test nodes .* Got 1.5"),
        (0.6, 0.5, EmptySplitError, "leave too few for training"),
    ],
)
def test_shares_that_cannot_be_are_refused(
    val: float | None, test: float | None, kind: type[CogslError], part: str
) -> None:
    with pytest.raises(kind, match=part):
        comparison(val_share=val, test_share=test)


def test_plans_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match=r"5 splits or more.*Got 4"):
        make_plan(n_splits=4)
    with pytest.raises(UnknownNameError, match="did you mean 'idgl'"):
        make_plan(["idlg"])
    assert make_plan().seeds == range(10)
    assert Plan(n_splits=3, seed=4).seeds == range(4, 7)


def test_a_method_that_would_not_fit_is_refused_by_its_name() -> None:
    with pytest.raises(MemoryLimitError, match=r"^mlp: The run would need"):
        comparison().forecasts(limit=1)
    assert comparison().forecasts()["cogsl"].estimate.seconds == 7.0  # the fake's own
