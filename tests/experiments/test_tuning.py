"""Tuning: on validation nodes alone, the same however often it was stopped."""

from __future__ import annotations

import dataclasses
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import cogsl
from cogsl.errors import DivergedError, EmptySplitError, InputError, SettingValueError
from cogsl.experiments.studies import IDENTITY, finished, open_study, places, under_way
from cogsl.experiments.trials import tune, validation_figures, worth_of
from cogsl.experiments.tuning import Trial, Tuning, best_of, prepare, trials_of
from cogsl.experiments.workers import this_worker
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.seeding import Seeds
from cogsl.training.listener import Listener
from tests.experiments.tuned import Observer, lasting, many_nodes, plan, study_of, url
from tests.fakes import Centroids

N_TRIALS = 12  # more than are drawn by chance


@pytest.fixture(autouse=True)
def _centroids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "centroids", Centroids)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, "centroids", Centroids)
        return study_of(folder, plan(folder), many_nodes(), N_TRIALS)


# What a trial is ----------------------------------------------------------------------------------


def test_the_first_trial_has_the_methods_own_settings(undisturbed: list[Trial]) -> None:
    assert undisturbed[0].values == {"sharpness": 1.0, "noise": 0.0, "flavour": "plain"}
    assert [trial.place for trial in undisturbed] == list(range(N_TRIALS))


def test_the_best_trial_is_no_worse_than_the_first(undisturbed: list[Trial]) -> None:
    best = best_of(undisturbed)
    assert best is not None
    assert best.worth is not None
    assert all(best.worth >= (trial.worth or 0.0) for trial in undisturbed)


def test_other_trials_have_other_settings(undisturbed: list[Trial]) -> None:
    assert len({str(trial.values) for trial in undisturbed}) > N_TRIALS // 2


def test_another_seed_draws_other_trials(tmp_path: Path, undisturbed: list[Trial]) -> None:
    other = study_of(tmp_path, plan(tmp_path, seed=1), many_nodes(), 3)
    assert [t.values for t in other[1:]] != [t.values for t in undisturbed[1:3]]


def test_figures_are_those_of_the_validation_nodes(undisturbed: list[Trial]) -> None:
    graph, trial = many_nodes(), undisturbed[5]
    method = Centroids(**trial.values).fit(graph, seed=0)
    assert (trial.accuracy, trial.loss) == validation_figures(method, graph)
    right = method.predict()[graph.val] == graph.labels[graph.val]
    assert trial.accuracy == right.mean()


def test_a_trial_of_several_runs_has_their_mean(tmp_path: Path) -> None:
    graph, tuning = many_nodes(), plan(tmp_path, seeds_per_trial=3, fixed={"noise": 1.0})
    (trial,) = study_of(tmp_path, tuning, graph, 1)
    singles = [Centroids(noise=1.0).fit(graph, seed=seed) for seed in (0, 1, 2)]
    accuracies = [validation_figures(method, graph)[0] for method in singles]
    assert len(set(accuracies)) > 1
    assert trial.accuracy == pytest.approx(np.mean(accuracies))


def test_settings_that_were_drawn_before_are_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fitted = tmp_path / "space.toml", list[str]()
    path.write_text('[parameters]\nflavour = ["plain", "spicy"]\n')

    class Counted(Centroids):
        def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
            fitted.append(self.flavour)
            super()._fit(graph, seeds, listener)

    monkeypatch.setitem(METHODS, "centroids", Counted)
    trials = study_of(tmp_path, prepare("centroids", space_file=path), many_nodes(), 6)
    assert len(trials) == 6
    assert sorted(fitted) == ["plain", "spicy"]
    assert len({(t.accuracy, t.loss) for t in trials if t.values["flavour"] == "spicy"}) == 1


@pytest.mark.parametrize("n_nodes", [1, 20, 1000])
def test_the_loss_decides_between_equal_accuracies_and_nowhere_else(n_nodes: int) -> None:
    right = n_nodes // 2 + 1
    worst, better = right / n_nodes, (right - 1) / n_nodes
    assert worth_of(worst, 1e9, n_nodes) > worth_of(better, 0.0, n_nodes)
    assert worth_of(worst, 0.1, n_nodes) > worth_of(worst, 0.2, n_nodes)


def test_probabilities_that_are_no_numbers_are_a_divergence() -> None:
    graph = many_nodes()
    method = Centroids().fit(graph, seed=0)
    method.probabilities_[graph.val[0]] = math.nan
    with pytest.raises(DivergedError, match="not finite"):
        validation_figures(method, graph)


# Test labels --------------------------------------------------------------------------------------


def test_shuffled_test_labels_change_no_bit_of_a_study(
    tmp_path: Path, undisturbed: list[Trial]
) -> None:
    graph = many_nodes()
    labels = graph.labels.copy()
    labels[graph.test] = Seeds(1).numpy("shuffle").permutation(labels[graph.test])
    shuffled = dataclasses.replace(graph, labels=labels)
    assert (shuffled.labels != graph.labels).any()
    tuning = plan(tmp_path)
    assert tuning.identity(shuffled) == tuning.identity(graph)
    assert lasting(study_of(tmp_path, tuning, shuffled, N_TRIALS)) == lasting(undisturbed)


def test_no_trial_is_given_a_test_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Graph]()

    class Watched(Centroids):
        def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
            seen.append(graph)
            super()._fit(graph, seeds, listener)

    monkeypatch.setitem(METHODS, "centroids", Watched)
    graph = many_nodes()
    study_of(tmp_path, plan(tmp_path), graph, 3)
    assert len(seen) == 3
    for given in seen:
        assert set(given.labels[graph.test]) == {-1}
        assert len(given.test) == 0
        assert (given.labels[graph.val] == graph.labels[graph.val]).all()


# Stopped and gone on with -------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "n_trials"), [(0, 2), (N_TRIALS - 2, N_TRIALS)])
def test_a_killed_study_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, place: int, n_trials: int, undisturbed: list[Trial]
) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.experiments.tuned import sleep_in\n"
        f"sleep_in(Path(sys.argv[1]), {place}, {n_trials})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) == place:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    tuning, graph = plan(tmp_path), many_nodes()
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        assert list(finished(study)) == list(range(place))
        assert under_way(study) == 1
    trials = study_of(tmp_path, tuning, graph, n_trials)
    assert lasting(trials) == lasting(undisturbed[:n_trials])
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        states = [trial.state.name for trial in study.get_trials()]
    assert states == ["COMPLETE"] * place + ["FAIL"] + ["COMPLETE"] * (n_trials - place)


def test_ctrl_c_ends_the_trial_and_the_next_call_does_it(
    tmp_path: Path, undisturbed: list[Trial]
) -> None:
    class Impatient(Observer):
        def on_trial_start(self, place: int, max_iterations: int) -> Listener:
            if place == 4:
                raise KeyboardInterrupt
            return super().on_trial_start(place, max_iterations)

    tuning, graph = plan(tmp_path), many_nodes()
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        assert not tune(tuning, graph, study, n_trials=6, observer=Impatient())
        assert len(finished(study)) == 4
        assert under_way(study) == 0
    assert lasting(study_of(tmp_path, tuning, graph, 6)) == lasting(undisturbed[:6])


def test_a_larger_budget_adds_trials_and_the_same_one_none(
    tmp_path: Path, undisturbed: list[Trial]
) -> None:
    tuning, graph = plan(tmp_path), many_nodes()
    for n_trials, n_new in ((3, 3), (3, 0), (2, 0), (5, 2)):
        watcher = Observer()
        trials = study_of(tmp_path, tuning, graph, n_trials, observer=watcher)
        assert len(watcher.started) == n_new
    assert lasting(trials) == lasting(undisturbed[:5])


def test_two_processes_share_the_trials_of_a_study(tmp_path: Path) -> None:
    """While the first one does its first trial, another one comes and does all that are left."""
    tuning, graph = plan(tmp_path), many_nodes()
    other = Observer()

    class Slow(Observer):
        def on_trial_start(self, place: int, max_iterations: int) -> Listener:
            study_of(tmp_path, tuning, graph, 6, observer=other)
            return super().on_trial_start(place, max_iterations)

    slow = Slow()
    trials = study_of(tmp_path, tuning, graph, 6, observer=slow)
    assert slow.started == [0]
    assert other.started == [1, 2, 3, 4, 5]
    assert [trial.place for trial in trials] == list(range(6))


def test_a_trial_of_another_machine_is_left_to_it(tmp_path: Path) -> None:
    tuning, graph = plan(tmp_path), many_nodes()
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        elsewhere = this_worker() | {"host": "elsewhere"}
        study.enqueue_trial({}, user_attrs={"worker": elsewhere})
        with pytest.warns(UserWarning, match="Heartbeat"):
            study.ask()
    trials = study_of(tmp_path, tuning, graph, 3)
    assert [trial.place for trial in trials] == [1, 2]


def test_a_place_that_is_taken_twice_counts_once(tmp_path: Path) -> None:
    tuning, graph = plan(tmp_path), many_nodes()
    study_of(tmp_path, tuning, graph, 2)
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        study.enqueue_trial({}, user_attrs={"retry of": 1})
        assert places(study.get_trials()) == [0, 1, 1]
    watcher = Observer()
    trials = study_of(tmp_path, tuning, graph, 3, observer=watcher)
    assert watcher.started == [2]
    assert [trial.place for trial in trials] == [0, 1, 2]


# Budgets ------------------------------------------------------------------------------------------


class Timed(Observer):
    """A clock on which each trial takes a minute."""

    now = 0.0

    def on_trial_end(self, trial: Trial, best: Trial | None) -> None:
        self.now += 60.0
        super().on_trial_end(trial, best)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("minutes", "n_done"), [(0.0, 1), (1.0, 1), (2.5, 3)])
def test_no_trial_starts_after_the_minutes_are_over(
    tmp_path: Path, minutes: float, n_done: int
) -> None:
    clock, tuning = Timed(), plan(tmp_path)
    options: dict[str, Any] = {"seconds": 60 * minutes, "observer": clock, "clock": clock}
    assert len(study_of(tmp_path, tuning, many_nodes(), None, **options)) == n_done
    again = study_of(tmp_path, tuning, many_nodes(), None, **(options | {"seconds": 60.0}))
    assert len(again) == n_done + 1


def test_of_two_budgets_the_smaller_one_counts(tmp_path: Path) -> None:
    clock = Timed()
    options: dict[str, Any] = {"seconds": 1e9, "observer": clock, "clock": clock}
    assert len(study_of(tmp_path, plan(tmp_path), many_nodes(), 2, **options)) == 2


def test_a_budget_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs a budget"):
        study_of(tmp_path, plan(tmp_path), many_nodes(), None)


# Trials that come to nothing ----------------------------------------------------------------------


def test_a_trial_that_diverges_is_left_out_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fragile(Centroids):
        def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
            if self.flavour == "spicy":
                raise DivergedError.never_finite("sharpness")
            super()._fit(graph, seeds, listener)

    monkeypatch.setitem(METHODS, "centroids", Fragile)
    watcher = Observer()
    trials = study_of(tmp_path, plan(tmp_path), many_nodes(), 8, observer=watcher)
    left_out = [trial for trial in trials if trial.values["flavour"] == "spicy"]
    assert len(trials) == 8
    assert 0 < len(left_out) < 8
    assert all(t.worth is None and "Lower 'sharpness'" in t.reason for t in left_out)
    assert all(t.worth is not None for t in trials if t not in left_out)
    assert watcher.bests[-1] == best_of(trials)


def test_what_would_not_fit_into_memory_is_left_out(tmp_path: Path) -> None:
    trials = study_of(tmp_path, plan(tmp_path), many_nodes(), 2, memory_limit=1000)
    assert ["would need about" in trial.reason for trial in trials] == [True, True]
    assert best_of(trials) is None


def test_a_mistake_of_the_users_ends_the_study(tmp_path: Path) -> None:
    path = tmp_path / "space.toml"
    path.write_text("[parameters]\nsharpness = [-1.0]\n")
    tuning = prepare("centroids", space_file=path)
    with pytest.raises(SettingValueError, match="'sharpness' setting of Centroids must be >= 0"):
        study_of(tmp_path, tuning, many_nodes(), 9)


def test_a_graph_that_cannot_be_validated_is_refused(tmp_path: Path) -> None:
    graph = many_nodes().with_split([0, 1], [])
    with pytest.raises(EmptySplitError):
        study_of(tmp_path, plan(tmp_path), graph, 1)


# Studies of something else ------------------------------------------------------------------------


def moved(graph: Graph) -> Graph:
    """Return the same graph with a validation node less."""
    return graph.with_split(graph.train, graph.val[:-1], graph.test)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"fixed": {"noise": 1.0}}, "another search space and other settings"),
        ({"in_trials": {"iterations": 1}}, "other settings"),
        ({"seed": 1}, "other seeds"),
        ({"seeds_per_trial": 2}, "other seeds"),
    ],
)
def test_a_study_of_something_else_is_refused(
    tmp_path: Path, options: dict[str, Any], what: str
) -> None:
    study_of(tmp_path, plan(tmp_path), many_nodes(), 1)
    with pytest.raises(InputError, match=f"'s' was made for {what}, so .* Name a new one"):
        study_of(tmp_path, plan(tmp_path, **options), many_nodes(), 2)


def test_a_study_of_another_graph_or_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = plan(tmp_path)
    study_of(tmp_path, tuning, many_nodes(), 1)
    with pytest.raises(InputError, match="made for another graph"):
        study_of(tmp_path, tuning, moved(many_nodes()), 2)
    monkeypatch.setattr(cogsl, "__version__", "99")
    with pytest.raises(InputError, match="made for another version of cogsl"):
        study_of(tmp_path, tuning, many_nodes(), 2)


def test_a_study_that_somebody_else_made_is_refused(tmp_path: Path) -> None:
    tuning, graph = plan(tmp_path), many_nodes()
    study_of(tmp_path, tuning, graph, 1)
    with open_study(url(tmp_path), "foreign", {}, seed=0) as study:
        study.add_trial(optuna.trial.create_trial(value=1.0))
        study.set_user_attr(IDENTITY, None)
    with (
        pytest.raises(InputError, match="'foreign' was made for another graph and"),
        open_study(url(tmp_path), "foreign", tuning.identity(graph), seed=0),
    ):
        pytest.fail("it was opened")


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("study.db", "must be the address of a database.*Got 'study.db'"),
        ("postgresql+nothing://x/y", "must be the address|needs a library|Cannot open"),
        ("sqlite:////no/such/folder/study.db", "Cannot open the storage: .*unable to open"),
    ],
)
def test_a_storage_that_cannot_be_opened_is_told_of(address: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint), open_study(address, "s", {}, seed=0):
        pytest.fail("it was opened")


# The real method ----------------------------------------------------------------------------------


def test_cogsl_itself_is_tuned_on_its_own_space(tmp_path: Path) -> None:
    short = {"mi_hidden": 4, "estimator_hidden": 4, "knn_neighbours": 3}
    tuning: Tuning = prepare("cogsl", fixed=short, in_trials={"iterations": 2})
    trials = study_of(tmp_path, tuning, many_nodes(), 3)
    assert all(trial.worth is not None for trial in trials), [t.reason for t in trials]
    assert "views" in trials[1].values
    assert "iterations" not in trials[1].values
    tuned = tuning.new_method(trials[1].values)
    assert (tuned.max_iterations, tuned.get_params()["mi_hidden"]) == (100, 4)


def test_trials_that_are_read_again_are_those_that_were_told_of(tmp_path: Path) -> None:
    tuning, graph, watcher = plan(tmp_path), many_nodes(), Observer()
    trials = study_of(tmp_path, tuning, graph, 4, observer=watcher)
    assert watcher.ended == trials
    with open_study(url(tmp_path), "s", tuning.identity(graph), seed=0) as study:
        assert trials_of(tuning, study) == trials
