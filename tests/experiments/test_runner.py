"""The runner: one whole record a run, whatever happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cogsl import datasets
from cogsl.errors import InputError, SettingValueError, UnknownNameError, UnknownSettingError
from cogsl.evaluation import Record, evaluate
from cogsl.experiments import runner
from cogsl.experiments.runner import Plan, prepare, run
from cogsl.methods import METHODS
from cogsl.settings import settings_of
from cogsl.training.listener import Listener, SilentListener
from tests.fakes import install, toy_graph


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def plan_for(folder: Path, **changes: Any) -> Plan:
    options: dict[str, Any] = {"method": "centroids", "seeds": (0, 1, 2), "output": folder}
    return prepare("toy", **(options | changes))


def drawn_plan(folder: Path, **changes: Any) -> Plan:
    """Return a plan for the data set that is drawn by its settings."""
    options: dict[str, Any] = {"method": "centroids", "output": folder}
    return prepare("synthetic", **(options | changes))


def read(folder: Path) -> list[Record]:
    return [json.loads(path.read_text()) for path in sorted(folder.iterdir())]


class Interrupting:
    """Presses Ctrl-C when the run of one seed starts."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def on_run_start(self, method: str, seed: int, max_iterations: int) -> Listener:
        if seed == self.seed:
            raise KeyboardInterrupt
        return SilentListener()

    def on_run_end(self, record: Record) -> None:
        pass


def test_each_seed_leaves_one_record_with_figures_and_configuration(tmp_path: Path) -> None:
    outcome = run(plan_for(tmp_path, overrides={"noise": "0.3"}, split_seed=5), toy_graph())
    records = read(tmp_path)
    assert [record["seed"] for record in records] == [0, 1, 2]
    assert [path.name for path in outcome.paths] == sorted(p.name for p in tmp_path.iterdir())
    for record, written in zip(outcome.records, records, strict=True):
        for name in ("macro_f1", "micro_f1", "auc", "accuracy"):
            assert 0.0 <= written[name] == record[name] <= 1.0
        assert written["settings"]["noise"] == 0.3
        assert written["settings"]["iterations"] == 3
        assert (written["dataset"], written["method"]) == ("toy", "centroids")
        assert (written["preset"], written["split_seed"]) == ("default", 5)


def test_the_same_run_gives_the_same_figures_and_file(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, overrides={"noise": 0.5})
    first, second = run(plan, toy_graph()), run(plan, toy_graph())
    assert first.paths == second.paths
    assert [r["auc"] for r in first.records] == [r["auc"] for r in second.records]


def test_other_settings_graphs_and_splits_get_files_of_their_own(tmp_path: Path) -> None:
    graph = toy_graph()
    other = graph.with_split(graph.train, graph.test, graph.val)
    outcomes = [
        run(plan_for(tmp_path), graph),
        run(plan_for(tmp_path, overrides={"sharpness": 2}), graph),
        run(plan_for(tmp_path, split_seed=1), graph),
        run(plan_for(tmp_path), other),
    ]
    assert len({path for outcome in outcomes for path in outcome.paths}) == 12
    assert len(read(tmp_path)) == 12


def test_the_file_name_says_what_was_run(tmp_path: Path) -> None:
    outcome = run(plan_for(tmp_path, seeds=(7,), split_seed=3), toy_graph())
    stem, _, digest = outcome.paths[0].stem.rpartition("-")
    assert stem == "toy-centroids-default-split3-seed7"
    assert len(digest) == 8


def test_ctrl_c_keeps_the_finished_runs(tmp_path: Path) -> None:
    outcome = run(plan_for(tmp_path), toy_graph(), Interrupting(seed=2))
    assert outcome.interrupted
    assert [record["seed"] for record in outcome.records] == [0, 1]
    assert [record["seed"] for record in read(tmp_path)] == [0, 1]


def test_an_error_in_a_later_run_keeps_the_earlier_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_at_two(*arguments: Any, seed: int, **options: Any) -> Record:
        if seed == 2:
            raise RuntimeError("no luck")
        return evaluate(*arguments, seed=seed, **options)

    monkeypatch.setattr(runner, "evaluate", fail_at_two)
    with pytest.raises(RuntimeError, match="no luck"):
        run(plan_for(tmp_path), toy_graph())
    assert [record["seed"] for record in read(tmp_path)] == [0, 1]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"overrides": {"sharpness": -1}}, SettingValueError, "'sharpness' .* must be >= 0"),
        ({"overrides": {"sharpness": "inf"}}, SettingValueError, "sharpness"),
        ({"overrides": {"flavour": "spicey"}}, SettingValueError, "did you mean 'spicy'"),
        ({"method": "centroid"}, UnknownNameError, "did you mean 'centroids'"),
        ({"preset": "paper"}, UnknownNameError, "Use --preset default"),
        ({"seeds": ()}, InputError, "Seeds must be"),
        ({"seeds": (0, -1)}, InputError, "Seeds must be"),
        ({"split_seed": -1}, InputError, "Seeds must be"),
    ],
)
def test_mistakes_are_found_before_the_output_folder_is_made(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        plan_for(tmp_path / "runs", **changes)
    assert not (tmp_path / "runs").exists()


def test_an_unknown_data_set_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'toy'"):
        prepare("tooy", method="centroids", output=tmp_path)


def test_an_output_folder_that_cannot_be_made_is_found_first(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write in the output folder"):
        plan_for(tmp_path / "file" / "runs")


def test_the_graph_is_loaded_with_the_plans_split_seed_and_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def load(name: str, **options: Any) -> str:
        asked.append((name, options))
        return "the graph"

    plan = plan_for(tmp_path, split_seed=4, data_root=tmp_path)
    monkeypatch.setattr(datasets, "load", load)
    assert runner.load_graph(plan) == "the graph"  # type: ignore[comparison-overlap]
    assert asked == [("toy", {"root": tmp_path, "split_seed": 4, "settings": {}})]


TINY_DRAWN = {"nodes": "300", "classes": 3, "val_nodes": 30, "test_nodes": "all", "signal": 9}


def test_settings_are_divided_between_the_method_and_the_data_set(tmp_path: Path) -> None:
    plan = drawn_plan(tmp_path, overrides={**TINY_DRAWN, "iterations": "2"})
    assert plan.settings == {"iterations": 2}
    assert plan.dataset_settings["nodes"] == 300
    assert plan.dataset_settings["test_nodes"] is None
    assert plan.dataset_settings["mean_degree"] == 10.0  # the others' defaults are there, too
    graph = runner.load_graph(plan)
    assert (graph.n_nodes, graph.n_classes, len(graph.test)) == (300, 3, 210)


def test_the_record_has_every_setting_of_the_data_set(tmp_path: Path) -> None:
    plan = drawn_plan(tmp_path, overrides=TINY_DRAWN)
    run(plan, runner.load_graph(plan))
    (record,) = read(tmp_path)
    assert record["dataset_settings"] == plan.dataset_settings
    assert record["dataset_settings"]["wrong_edges"] == 0.0
    assert "nodes" not in record["settings"]
    assert record["accuracy"] > 0.9  # the classes are nine standard deviations apart


def test_a_data_set_without_settings_has_none_in_its_records(tmp_path: Path) -> None:
    run(plan_for(tmp_path, seeds=(0,)), toy_graph())
    assert read(tmp_path)[0]["dataset_settings"] == {}


def test_other_settings_of_the_data_set_get_files_of_their_own(tmp_path: Path) -> None:
    for wrong_edges in (0.0, 0.1, 0.1):
        plan = drawn_plan(tmp_path, overrides={**TINY_DRAWN, "wrong_edges": wrong_edges})
        run(plan, runner.load_graph(plan))
    assert len(read(tmp_path)) == 2


@pytest.mark.parametrize(
    ("overrides", "error", "message"),
    [
        ({"nods": 5}, UnknownSettingError, "'nods' for Centroids or Synth.*; did you mean 'nodes'"),
        ({"sharpnes": 5}, UnknownSettingError, "Centroids or Synth.*; did you mean 'sharpness'"),
        ({"classes": 1}, SettingValueError, "'classes' setting of Synthetic must be >= 2"),
        ({"mean_degree": 9999}, SettingValueError, "'mean_degree' setting of Synthetic"),
        ({"iterations": 0}, SettingValueError, "'iterations' setting of Centroids"),
    ],
)
def test_mistakes_in_the_data_sets_settings_are_found_before_any_work(
    tmp_path: Path, overrides: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        drawn_plan(tmp_path / "runs", overrides=overrides)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("dataset", sorted(filter(datasets.settings_class, datasets.DATASETS)))
def test_no_setting_is_both_a_methods_and_a_data_sets(method: str, dataset: str) -> None:
    kind = datasets.settings_class(dataset)
    assert kind is not None
    assert not settings_of(METHODS[method]).keys() & settings_of(kind).keys()
