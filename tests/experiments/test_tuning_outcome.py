"""What tuning came to: importances, files, and how often test labels were opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
import pytest

from cogsl.experiments import tuning_outcome as outcome
from cogsl.experiments.presets import read_settings
from cogsl.experiments.studies import open_study
from cogsl.experiments.trials import tune
from cogsl.experiments.tuning import Trial, Tuning, best_of, prepare, trials_of
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.settings import coerce_settings
from tests.experiments.tuned import many_nodes, plan, url
from tests.fakes import Centroids


@pytest.fixture(autouse=True)
def _centroids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "centroids", Centroids)


@contextmanager
def studied(
    folder: Path, n_trials: int, tuning: Tuning | None = None
) -> Iterator[tuple[Tuning, Graph, optuna.Study, Trial]]:
    """Yield a tuned method, the graph, the study and its best trial."""
    tuning, graph = tuning or plan(folder), many_nodes()
    with open_study(url(folder), "s", tuning.identity(graph), seed=0) as study:
        tune(tuning, graph, study, n_trials=n_trials)
        best = best_of(trials_of(tuning, study))
        assert best is not None
        yield tuning, graph, study, best


# What mattered ------------------------------------------------------------------------------------


def test_what_decides_the_figures_matters_and_what_decides_nothing_does_not(tmp_path: Path) -> None:
    with studied(tmp_path, 20) as (tuning, _, study, _):
        found = outcome.importances(tuning, study)
        assert found == outcome.importances(tuning, study)
    assert set(found) == {"sharpness", "noise", "flavour"}
    assert next(iter(found)) == "noise"
    assert found["noise"] > 5 * found["flavour"]
    assert sum(found.values()) == pytest.approx(1.0)


def test_few_trials_say_nothing_about_what_mattered(tmp_path: Path) -> None:
    with studied(tmp_path, outcome.LEAST_TRIALS - 1) as (tuning, _, study, _):
        assert outcome.importances(tuning, study) == {}


def test_trials_that_are_worth_the_same_say_nothing_either(tmp_path: Path) -> None:
    path = tmp_path / "same.toml"
    path.write_text('[parameters]\nflavour = ["plain", "spicy"]\n')
    tuning = prepare("centroids", space_file=path)
    with studied(tmp_path, outcome.LEAST_TRIALS, tuning) as (_, _, study, _):
        assert outcome.importances(tuning, study) == {}


# Files --------------------------------------------------------------------------------------------


def test_the_best_settings_can_be_read_as_a_config(tmp_path: Path) -> None:
    fixed = {"batch": "none", "weights": "0.25,0.75", "iterations": 2}
    tuning = plan(tmp_path, fixed=fixed, in_trials={"iterations": 1})
    trial = Trial(3, {"sharpness": 0.5, "noise": 0.3, "flavour": "spicy"}, 0.9, 0.9, 0.1, 1.0)
    outcome.write_best(tmp_path / "best.toml", tuning, trial, 7)
    read = read_settings(tmp_path / "best.toml", "centroids")
    assert read == {
        "iterations": 2,
        "sharpness": 0.5,
        "noise": 0.3,
        "weights": [0.25, 0.75],
        "flavour": "spicy",
    }
    again = Centroids(**coerce_settings(Centroids, read))
    assert again.get_params() == tuning.new_method(trial.values).get_params()
    assert "best of 7 trials" in (tmp_path / "best.toml").read_text()


def test_a_setting_that_is_none_is_written_as_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = prepare("cogsl", fixed={"mi_batch": "all"})
    trial = Trial(0, tuning.space.defaults, 0.9, 0.9, 0.1, 1.0)
    outcome.write_best(tmp_path / "best.toml", tuning, trial, 1)
    assert read_settings(tmp_path / "best.toml", "cogsl") == {"mi_batch": "none"}


def test_the_record_has_every_trial(tmp_path: Path) -> None:
    with studied(tmp_path, 3) as (tuning, graph, study, best):
        outcome.write_tuning(tmp_path / "tuning.json", tuning, graph, study, None)
    record = json.loads((tmp_path / "tuning.json").read_text())
    assert [trial["place"] for trial in record["trials"]] == [0, 1, 2]
    assert record["best"] == best.place
    assert record["validation_nodes"] == len(graph.val)
    assert record["times_test_labels_were_opened"] == 0
    assert record["test"] is None


# Test labels --------------------------------------------------------------------------------------


def test_the_test_labels_are_opened_once_and_never_by_a_trial(tmp_path: Path) -> None:
    with studied(tmp_path, 3) as (tuning, graph, study, best):
        assert outcome.openings(study) == []
        assert outcome.known_comparison(tuning, graph, study, best, 2) is None
        opening = outcome.compare(tuning, graph, study, best, 2)
        assert outcome.known_comparison(tuning, graph, study, best, 2) == opening
    with studied(tmp_path, 3) as (tuning, graph, study, best):
        assert outcome.known_comparison(tuning, graph, study, best, 2) == opening
        assert len(outcome.openings(study)) == 1


def test_before_and_after_have_the_same_seeds_and_their_own_settings(tmp_path: Path) -> None:
    tuning = plan(tmp_path, fixed={"iterations": 5}, in_trials={"iterations": 1})
    trial = Trial(1, {"sharpness": 4.0, "noise": 2.0, "flavour": "plain"}, 0.9, 0.9, 0.1, 1.0)
    told = list[tuple[str, int, int]]()

    def on_start(name: str, seed: int, max_iterations: int) -> Any:
        told.append((name, seed, max_iterations))

    with studied(tmp_path, 1, tuning) as (_, graph, study, _):
        opening = outcome.compare(tuning, graph, study, trial, 2, on_start)
    assert told == [("before", 0, 5), ("before", 1, 5), ("after", 0, 5), ("after", 1, 5)]
    assert [run["accuracy"] for run in opening["before"]] == [1.0, 1.0]
    expected = Centroids(sharpness=4.0, noise=2.0)
    for run in opening["after"]:
        predicted = expected.fit(graph, seed=run["seed"]).predict()
        assert run["accuracy"] == (predicted == graph.labels)[graph.test].mean()
        assert run["accuracy"] < 1.0


def test_another_best_trial_opens_them_again_and_that_is_counted(tmp_path: Path) -> None:
    with studied(tmp_path, 3) as (tuning, graph, study, best):
        outcome.compare(tuning, graph, study, best, 1)
        other = Trial(9, best.values | {"noise": 0.7}, 1.0, 1.0, 0.1, 1.0)
        assert outcome.known_comparison(tuning, graph, study, other, 1) is None
        assert outcome.known_comparison(tuning, graph, study, best, 2) is None
        outcome.compare(tuning, graph, study, other, 1)
        assert len(outcome.openings(study)) == 2
        assert outcome.known_comparison(tuning, graph, study, best, 1) is not None


def test_an_opening_that_was_ended_counts_and_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with studied(tmp_path, 2) as (tuning, graph, study, best):
        with monkeypatch.context() as patch:
            patch.setattr(outcome, "evaluate", interrupted)
            with pytest.raises(KeyboardInterrupt):
                outcome.compare(tuning, graph, study, best, 1)
        assert outcome.known_comparison(tuning, graph, study, best, 1) is None
        outcome.compare(tuning, graph, study, best, 1)
        assert len(outcome.openings(study)) == 2


def test_the_defaults_are_not_run_twice_if_nothing_was_better(tmp_path: Path) -> None:
    told = list[str]()

    def on_start(name: str, seed: int, max_iterations: int) -> Any:
        told.append(name)

    with studied(tmp_path, 1) as (tuning, graph, study, best):
        opening = outcome.compare(tuning, graph, study, best, 1, on_start)
    assert told == ["before"]
    assert opening["after"] == opening["before"]
