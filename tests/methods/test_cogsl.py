from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array

from cogsl.errors import DivergedError, SettingValueError
from cogsl.methods import GCN, CoGSL
from cogsl.methods.cogsl_folds import Folds
from cogsl.training import SilentListener
from tests.common.graphs import two_groups
from tests.methods.figures import script_figures

Array = npt.NDArray[np.float64]

QUICK: dict[str, Any] = {
    "iterations": 3,
    "scope": (1, 6),
    "estimator_hidden": 8,
    "classifier_hidden": 4,
    "mi_hidden": 8,
}


def make(**settings: Any) -> CoGSL:
    return CoGSL(**(QUICK | settings))


def without_times(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in record.items() if not key.startswith("seconds")}
        for record in history
    ]


# History ----------------------------------------------------------------------------------------


def test_history_has_losses_mi_eta_validation_figures_and_times() -> None:
    method = make().fit(two_groups(), seed=0)
    expected = {"iteration", "eta", "loss_view", "loss_classifier", "loss_mi", "kept"}
    expected |= {"mi_1_2", "mi_1_final", "mi_2_final"}
    expected |= {"train_accuracy", "val_accuracy", "val_loss"}
    expected |= {"seconds_views", "seconds_classifiers", "seconds_mi", "seconds_validation"}
    for number, record in enumerate(method.history_):
        assert expected <= set(record)
        assert record["iteration"] == number


def test_history_is_plain_finite_numbers() -> None:
    method = make().fit(two_groups(), seed=0)
    for record in method.history_:
        assert {type(value) for value in record.values()} <= {int, float, bool}
    written = json.dumps(method.history_, allow_nan=False)
    assert json.loads(written) == method.history_


def test_times_of_the_phases_are_positive_and_no_longer_than_the_fit() -> None:
    start = time.perf_counter()
    method = make().fit(two_groups(), seed=0)
    elapsed = time.perf_counter() - start
    seconds = [v for record in method.history_ for k, v in record.items() if "seconds" in k]
    assert min(seconds) > 0
    assert sum(seconds) < elapsed


def test_eta_in_the_history_follows_its_schedule() -> None:
    method = make(eta_rate=0.04, eta_min=0.01, eta_max=0.06).fit(two_groups(), seed=0)
    etas = [record["eta"] for record in method.history_]
    assert etas == pytest.approx([0.01, math.log(1.04), 0.06], abs=1e-15)


def test_mi_of_a_pair_is_at_most_the_logarithm_of_the_batch() -> None:
    method = make(mi_batch=10, iterations=5).fit(two_groups(), seed=0)
    estimates = [v for record in method.history_ for k, v in record.items() if "mi_" in k[:3]]
    assert len(estimates) == 5 * 3
    assert max(estimates) <= math.log(10)


# The kept iteration -----------------------------------------------------------------------------


UP_AND_DOWN = [(0.5, 1.0), (0.4, 0.9), (0.6, 0.8), (0.9, 0.8), (0.5, 0.1), (0.6, 0.9)]
KEPT = {
    "joint": [True, False, True, False, False, False],
    "smoothed": [True, True, True, False, True, False],
}


@pytest.mark.parametrize(("keep", "best"), [("joint", 2), ("smoothed", 4)])
def test_kept_iteration_obeys_its_rule(
    keep: str, best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_figures(monkeypatch, UP_AND_DOWN)
    method = make(iterations=6, keep=keep).fit(two_groups(), seed=0)
    assert [record["kept"] for record in method.history_] == KEPT[keep]
    assert method.best_iter_ == best


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("keep", sorted(KEPT))
def test_kept_iteration_obeys_its_rule_when_replayed_from_the_history(keep: str, seed: int) -> None:
    method = make(iterations=10, classifier_lr=0.3, keep=keep).fit(two_groups(), seed=seed)
    accuracy, loss, best = -math.inf, math.inf, -1
    for number, record in enumerate(method.history_):
        better = record["val_loss"] < loss
        if keep == "joint":
            better = better and record["val_accuracy"] >= accuracy
        if better:
            accuracy, loss, best = record["val_accuracy"], record["val_loss"], number
        assert record["kept"] == better
    assert method.best_iter_ == best


def test_patience_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CoGSL().patience is None
    script_figures(monkeypatch, UP_AND_DOWN)
    assert make(iterations=6).fit(two_groups(), seed=0).n_iter_ == 6


@pytest.mark.parametrize(
    ("keep", "patience", "ran", "best"),
    [("joint", 1, 2, 0), ("joint", 2, 5, 2), ("joint", 3, 6, 2), ("smoothed", 1, 4, 2)],
)
def test_patience_stops_early_and_changes_nothing_before(
    keep: str, patience: int, ran: int, best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_figures(monkeypatch, UP_AND_DOWN * 2)
    whole = make(iterations=6, keep=keep).fit(two_groups(), seed=0)
    short = make(iterations=6, keep=keep, patience=patience).fit(two_groups(), seed=0)
    assert (short.n_iter_, short.best_iter_) == (ran, best)
    assert without_times(short.history_) == without_times(whole.history_)[:ran]


@pytest.mark.parametrize("keep", sorted(KEPT))
def test_training_that_diverges_says_so(keep: str) -> None:
    with pytest.raises(DivergedError, match="classifier_lr"):
        make(classifier_lr=1e30, keep=keep).fit(two_groups(), seed=0)


# What is left after fit -------------------------------------------------------------------------


class Ear(SilentListener):
    """Notes at the end of every iteration what the training has come to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.classifiers: list[list[Array]] = []  # of the final view: first and second layer
        self.predictions: list[Array] = []  # on every view, m + 1 x N x C
        self.learning_rates: list[float] = []  # of the view estimator
        self._folds: list[Folds] = []
        noted = self._folds

        class Noted(Folds):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                noted.append(self)

        monkeypatch.setattr("cogsl.methods.cogsl.Folds", Noted)

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        (folds,) = self._folds
        final, views = folds.classifiers[-1], folds.estimate()
        layers = (final.first, final.second)
        self.classifiers.append([layer.detach().numpy().copy() for layer in layers])
        outputs = [folds.predict(views, k).exp().numpy() for k in range(len(views.all))]
        self.predictions.append(np.stack(outputs))
        self.learning_rates.append(folds.omega_optimiser.param_groups[0]["lr"])


@pytest.mark.parametrize("features", ["dense", "sparse"])
@pytest.mark.parametrize("activation", ["relu", "elu"])
def test_predictions_of_the_paper_s_rule_equal_those_recomputed_from_the_final_view(
    activation: str, features: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, ear = two_groups(features=features), Ear(monkeypatch)
    script_figures(monkeypatch, UP_AND_DOWN)
    method = make(
        precision="float64", iterations=4, keep="joint", activation=activation, bias=False
    )
    method.fit(graph, seed=0, listener=ear)
    assert method.best_iter_ == 2
    first, second = ear.classifiers[2]
    V, X = method.final_view_.toarray(), graph.features
    X = X if isinstance(X, np.ndarray) else X.toarray()
    hidden = V @ (X @ first)
    hidden = np.where(hidden > 0, hidden, np.expm1(hidden) if activation == "elu" else 0.0)
    scores = V @ (hidden @ second)
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(method.predict_proba(), expected, rtol=0, atol=1e-10)


def test_smoothed_predictions_average_the_views_and_then_the_iterations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ear = Ear(monkeypatch)
    script_figures(monkeypatch, UP_AND_DOWN)
    method = make(precision="float64", iterations=4, keep="smoothed")
    method.fit(two_groups(), seed=0, listener=ear)
    assert method.best_iter_ == 2
    a, b, c = (views.mean(axis=0) for views in ear.predictions[:3])
    expected = 0.9 * (0.9 * a + 0.1 * b) + 0.1 * c
    assert not np.allclose(expected, c, atol=1e-3)
    np.testing.assert_allclose(method.predict_proba(), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("keep", sorted(KEPT))
def test_final_view_is_that_of_the_kept_iteration(
    keep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_figures(monkeypatch, [(0.5, 1.0), (0.6, 0.5), (0.1, 0.9), (0.5, 1.0), (0.6, 0.5)])
    kept = make(iterations=3, keep=keep).fit(two_groups(), seed=0)
    short = make(iterations=2, keep=keep).fit(two_groups(), seed=0)
    assert kept.best_iter_ == short.best_iter_ == 1
    assert np.array_equal(kept.final_view_.toarray(), short.final_view_.toarray())
    assert np.array_equal(kept.fusion_weights_, short.fusion_weights_)
    assert np.array_equal(kept.predict_proba(), short.predict_proba())


def test_learning_rate_of_the_view_estimator_decays_by_a_hundredth_an_iteration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ear = Ear(monkeypatch)
    make(estimator_lr=0.1, view_steps=2).fit(two_groups(), seed=0, listener=ear)
    assert ear.learning_rates == pytest.approx([0.1 * 0.99, 0.1 * 0.99**2, 0.1 * 0.99**3])


@pytest.mark.parametrize("fusion", ["adaptive", "average", "attention"])
def test_final_view_is_the_weighted_sum_of_the_estimated_views(fusion: str) -> None:
    method = make(fusion=fusion).fit(two_groups(), seed=0)
    beta = method.fusion_weights_
    assert beta.shape == (24, 2)
    np.testing.assert_allclose(beta.sum(axis=1), 1.0, rtol=0, atol=1e-6)
    assert beta.min() > 0
    total = sum(beta[:, [k]] * view.toarray() for k, view in enumerate(method.estimated_views_))
    np.testing.assert_allclose(method.final_view_.toarray(), total, rtol=0, atol=1e-6)


def test_adaptive_weights_differ_from_node_to_node() -> None:
    beta = make().fit(two_groups(), seed=0).fusion_weights_
    assert np.unique(beta[:, 0]).size > 12


def test_learned_graph_is_the_symmetrised_final_view_without_self_loops() -> None:
    graph = two_groups()
    method = make().fit(graph, seed=0)
    learned, final = method.learned_graph_, method.final_view_.toarray()
    assert learned is not None
    assert not np.allclose(final, final.T)
    expected = (final + final.T) / 2
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(learned.adjacency.toarray(), expected, rtol=0, atol=1e-7)
    assert not np.array_equal(learned.adjacency.toarray(), graph.adjacency.toarray())


def test_learned_graph_keeps_features_labels_and_split_and_can_be_trained_on() -> None:
    graph = two_groups()
    learned = make().fit(graph, seed=0).learned_graph_
    assert learned is not None
    for name in ("features", "labels", "train", "val", "test"):
        assert np.array_equal(getattr(learned, name), getattr(graph, name)), name
    probabilities = GCN(epochs=2).fit(learned, seed=0).predict_proba()
    assert np.isfinite(probabilities).all()


def test_second_fit_forgets_the_first() -> None:
    graph, method = two_groups(), make()
    method.fit(two_groups(30, seed=5), seed=9)
    again = method.fit(graph, seed=0)
    fresh = make().fit(graph, seed=0)
    assert without_times(again.history_) == without_times(fresh.history_)
    assert np.array_equal(again.predict_proba(), fresh.predict_proba())


# Batches and numbers of views -------------------------------------------------------------------


@pytest.mark.parametrize("mi_batch", [24, 25, 10_000])
def test_mi_batch_of_at_least_all_nodes_is_all_nodes_bit_for_bit(mi_batch: int) -> None:
    everything = make().fit(two_groups(), seed=0)
    batched = make(mi_batch=mi_batch).fit(two_groups(), seed=0)
    assert without_times(batched.history_) == without_times(everything.history_)
    assert np.array_equal(batched.predict_proba(), everything.predict_proba())


def test_smaller_mi_batch_is_drawn_anew_and_differs() -> None:
    everything = make().fit(two_groups(), seed=0)
    batched = make(mi_batch=23).fit(two_groups(), seed=0)
    assert batched.history_[0]["loss_mi"] != everything.history_[0]["loss_mi"]


def test_three_views_run_with_the_mi_of_all_six_pairs() -> None:
    method = make(views=("adjacency", "knn", "diffusion"), scope=(1, 1, 6), knn_neighbours=4)
    method.fit(two_groups(), seed=0)
    pairs = {"mi_1_2", "mi_1_3", "mi_2_3", "mi_1_final", "mi_2_final", "mi_3_final"}
    for record in method.history_:
        assert {key for key in record if key.startswith("mi_")} == pairs
        assert len({record[pair] for pair in pairs}) == 6
    assert len(method.estimated_views_) == 3
    assert method.fusion_weights_.shape == (24, 3)
    np.testing.assert_allclose(method.fusion_weights_.sum(axis=1), 1.0, rtol=0, atol=1e-6)


def test_one_scope_and_one_mu_stand_for_every_view() -> None:
    one = make(views=("adjacency", "subgraph"), scope=(1,), mu=(0.3,))
    two = make(views=("adjacency", "subgraph"), scope=(1, 1), mu=(0.3, 0.3))
    first, second = (method.fit(two_groups(), seed=0).predict_proba() for method in (one, two))
    assert np.array_equal(first, second)


def test_mu_belongs_to_its_view() -> None:
    method = make(mu=(0.0, 0.5)).fit(two_groups(), seed=0)
    swapped = make(mu=(0.5, 0.0)).fit(two_groups(), seed=0)
    # Without an estimate a view is the same whatever was learned.
    bare = make(mu=(0.0, 0.5)).fit(two_groups(), seed=7)
    pairs = [
        (a.toarray(), b.toarray())
        for a, b in zip(method.estimated_views_, bare.estimated_views_, strict=True)
    ]
    assert np.array_equal(*pairs[0])
    assert not np.array_equal(*pairs[1])
    assert not np.array_equal(pairs[0][0], swapped.estimated_views_[0].toarray())


# Settings ---------------------------------------------------------------------------------------


class MustNotHear:
    """Fails as soon as any work begins."""

    def on_phase(self, phase: str) -> None:
        pytest.fail(f"work began: {phase}")

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        pytest.fail("an iteration ran")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"views": ("adjacency",)}, "'views' setting of CoGSL must name two views or more"),
        ({"views": ()}, "'views' setting of CoGSL must name two views or more"),
        ({"views": ("adjacency", "difusion")}, "'views' setting of CoGSL must be adjacency"),
        ({"scope": (1, 2, 3)}, "'scope' setting .* each of the 2 views"),
        ({"mu": (0.1, 0.2, 0.3)}, "'mu' setting .* each of the 2 views"),
        ({"mu": ()}, "'mu' setting"),
        ({"scope": (1, 0)}, "'scope' setting of CoGSL must be >= 1"),
        ({"eta_min": 0.2, "eta_max": 0.1}, "'eta_min' setting .* at most 'eta_max'"),
        ({"fusion": "atention"}, "did you mean 'attention'"),
        ({"mi_batch": 1}, "'mi_batch' setting"),
        ({"teleport": 0.0}, "'teleport' setting"),
    ],
)
def test_wrong_settings_are_refused_before_any_work(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingValueError, match=words):
        make(**wrong).fit(two_groups(), seed=0, listener=MustNotHear())


def test_right_settings_would_have_been_heard() -> None:
    with pytest.raises(pytest.fail.Exception, match="work began"):
        make().fit(two_groups(), seed=0, listener=MustNotHear())


def test_unknown_view_gets_the_nearest_one_as_a_hint() -> None:
    with pytest.raises(SettingValueError, match="did you mean 'diffusion'"):
        make(views=("adjacency", "difusion")).validate()


def test_each_view_is_changed_by_its_own_change_before_it_is_normalised() -> None:
    graph, seen = two_groups(), list[csr_array]()

    def watch(matrix: csr_array) -> csr_array:
        seen.append(matrix)
        return matrix

    method = make()
    plain = method.fit(graph, seed=0).predict_proba()
    watched = method.fit(graph, seed=0, view_changes=(watch, None)).predict_proba()
    assert np.array_equal(plain, watched)
    (matrix,) = seen
    expected = graph.adjacency.toarray() + np.eye(graph.n_nodes)
    np.testing.assert_array_equal(matrix.toarray(), expected)


def test_a_changed_view_changes_predictions_and_the_next_fit_forgets_it() -> None:
    graph, method = two_groups(), make()
    plain = method.fit(graph, seed=0).predict_proba()
    alone = csr_array(np.eye(graph.n_nodes))
    changed = method.fit(graph, seed=0, view_changes=(lambda _: alone, None)).predict_proba()
    assert not np.array_equal(plain, changed)
    assert np.array_equal(plain, method.fit(graph, seed=0).predict_proba())


def test_there_must_be_a_change_for_each_view() -> None:
    with pytest.raises(SettingValueError, match=r"one entry for each of the 2 views\. Got 1"):
        make().fit(two_groups(), seed=0, view_changes=(None,))
