"""The three folds of the optimisation, and the paper's two-view case written out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn.functional import nll_loss

from cogsl.fusion import importance
from cogsl.losses import eta_schedule, infonce
from cogsl.methods import CoGSL
from cogsl.methods.cogsl_folds import Folds
from cogsl.methods.cogsl_parts import whole_graph
from cogsl.nn import Propagated, graph_convolution
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix
from tests.common.graphs import two_groups

QUICK: dict[str, Any] = {
    "iterations": 3,
    "scope": (1, 6),
    "estimator_hidden": 8,
    "classifier_hidden": 4,
    "mi_hidden": 8,
}
ETA = 0.07


def make_folds(features: str = "dense", **settings: Any) -> Folds:
    method, graph = CoGSL(**(QUICK | settings)), two_groups(features=features)
    folds = Folds(method, graph, Seeds(0))
    folds.part = whole_graph(method, graph, Seeds(0))
    return folds


# A step trains its own group --------------------------------------------------------------------

STEPS: dict[str, Callable[[Folds], object]] = {
    "omega": lambda folds: folds.train_views(ETA),
    "theta": lambda folds: folds.train_classifiers(folds.estimate()),
    "phi": lambda folds: folds.train_mi_estimator(folds.estimate()),
}


def groups(folds: Folds) -> dict[str, nn.Module]:
    return {"omega": folds.omega, "theta": folds.theta, "phi": folds.phi}


def copies(module: nn.Module) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in module.parameters()]


@pytest.mark.parametrize("fusion", ["adaptive", "attention"])
@pytest.mark.parametrize("trained", sorted(STEPS))
def test_step_computes_gradients_for_its_own_group_only(trained: str, fusion: str) -> None:
    folds = make_folds(fusion=fusion)
    before = {name: copies(group) for name, group in groups(folds).items()}
    STEPS[trained](folds)
    for name, group in groups(folds).items():
        for parameter, old in zip(group.parameters(), before[name], strict=True):
            assert (parameter.grad is not None) == (name == trained), name
            assert torch.equal(parameter, old) == (name != trained), name


def test_groups_share_no_parameter_and_leave_none_out() -> None:
    folds = make_folds(fusion="attention", scorer="cosine")
    parts = [*folds.classifiers, *folds.estimators, folds.phi, folds.fusion]
    everything = [id(p) for part in parts for p in part.parameters()]
    grouped = [id(p) for group in groups(folds).values() for p in group.parameters()]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == set(everything)


def test_every_group_stays_trainable_after_every_step() -> None:
    folds = make_folds()
    for step in STEPS.values():
        step(folds)
        assert all(p.requires_grad for group in groups(folds).values() for p in group.parameters())


def test_views_that_classifiers_and_mi_estimator_see_are_constants() -> None:
    views = make_folds().estimate()
    assert not any(view.values.requires_grad for view in views.all)
    assert not views.weights.requires_grad


def test_views_that_are_judged_and_kept_are_free_of_dropout() -> None:
    folds = make_folds(estimator_dropout=0.9, classifier_dropout=0.9)
    first, again = folds.estimate(), folds.estimate()
    without = make_folds(estimator_dropout=0.0, classifier_dropout=0.0)
    for a, b, c in zip(first.all, again.all, without.estimate().all, strict=True):
        assert torch.equal(a.values, b.values)
        assert torch.equal(a.values, c.values)
    assert torch.equal(folds.predict(first), without.predict(without.estimate()))


@pytest.mark.parametrize(
    ("trained", "setting"),
    [("omega", "view_steps"), ("theta", "classifier_steps"), ("phi", "mi_steps")],
)
def test_number_of_steps_is_the_setting_s(trained: str, setting: str) -> None:
    three: dict[str, Any] = {setting: 3}
    folds = make_folds(**three)
    STEPS[trained](folds)
    optimiser = getattr(folds, f"{trained}_optimiser")
    assert {int(state["step"]) for state in optimiser.state.values()} == {3}


def test_only_the_view_estimator_s_learning_rate_decays_and_once_an_iteration() -> None:
    folds = make_folds(view_steps=3, estimator_lr=0.1, classifier_lr=0.02, mi_lr=0.03)
    for _ in range(4):
        for step in STEPS.values():
            step(folds)
        folds.end_iteration()
    rates = [
        group["lr"]
        for optimiser in (folds.omega_optimiser, folds.theta_optimiser, folds.phi_optimiser)
        for group in optimiser.param_groups
    ]
    assert rates == pytest.approx([0.1 * 0.99**4, 0.02, 0.03])


@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_decay_of_the_classifiers_can_follow_features_and_labels(features: str) -> None:
    decay, given = 0.25, two_groups(features=features).features
    rows = given if isinstance(given, np.ndarray) else given.toarray()
    length = math.sqrt(np.square(rows).sum() / len(rows))
    for scaled, expected in ((False, decay), (True, decay * length ** (2 / 3) / 6)):
        folds = make_folds(features, classifier_weight_decay=decay, scale_decay=scaled)
        (group,) = folds.theta_optimiser.param_groups
        assert group["weight_decay"] == pytest.approx(expected, rel=1e-6)


def test_view_step_lowers_the_objective_on_the_same_batch() -> None:
    folds = make_folds(estimator_dropout=0.0, estimator_lr=1e-3)
    before = float(folds.view_loss(folds.project(), ETA, None).detach())
    folds.train_views(ETA)
    assert float(folds.view_loss(folds.project(), ETA, None).detach()) < before


def test_sampled_nodes_are_distinct_and_drawn_anew() -> None:
    folds = make_folds(mi_batch=9)
    first, second = folds.sample(), folds.sample()
    assert first is not None
    assert second is not None
    assert len(set(first.tolist())) == 9
    assert set(first.tolist()) <= set(range(24))
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_mi_loss_of_a_batch_is_that_of_its_rows(features: str) -> None:
    """What is smoothed for a batch is what is smoothed for all nodes, cut to the batch."""
    folds = make_folds(features, precision="float64")
    views, batch = folds.estimate(), torch.tensor([5, 0, 17, 9])
    embeddings = [
        folds.phi(k, graph_convolution(view, folds.part.features @ weight))[batch]
        for k, (view, weight) in enumerate(zip(views.all, folds.phi.encoder_weights, strict=True))
    ]
    for pair, loss in zip(folds.weights.pairs, folds.pair_losses(views, batch), strict=True):
        expected = infonce(embeddings[pair[0]], embeddings[pair[1]], folds.settings.tau)
        torch.testing.assert_close(loss, expected, rtol=1e-12, atol=1e-12)


# Two views are the paper's case, bit for bit ----------------------------------------------------


class TwoViews:
    """The paper's two-view formulas, from the package's primitives and its present parameters."""

    def __init__(self, folds: Folds) -> None:
        self.folds, self.X = folds, folds.part.features
        self.theta, self.phi = folds.classifiers, folds.phi
        self.V1, self.V2 = (
            estimator(plan, Propagated(plan.basic, self.X))
            for estimator, plan in zip(folds.estimators, folds.part.plans, strict=True)
        )
        self.O1, self.O2 = (
            self.theta[k](view, graph_convolution(view, self.X @ self.theta[k].first))
            for k, view in enumerate((self.V1, self.V2))
        )
        epsilon, lam = folds.settings.epsilon, folds.settings.lam
        pi1 = importance(self.O1, epsilon=epsilon, lam=lam)
        pi2 = importance(self.O2, epsilon=epsilon, lam=lam)
        self.beta1, self.beta2 = pi1 / (pi1 + pi2), pi2 / (pi1 + pi2)
        dense1, dense2 = (self._dense(view) for view in (self.V1, self.V2))
        self.dense_final = self.beta1[:, None] * dense1 + self.beta2[:, None] * dense2
        self.final = SparseMatrix.from_scipy(
            csr_array(self.dense_final.detach().numpy()), folds.dtype
        )

    def _dense(self, view: SparseMatrix) -> Tensor:
        return torch.tensor(view.to_scipy().toarray(), dtype=self.folds.dtype)

    def classification(self, outputs: list[Tensor]) -> Tensor:
        """L_cls = 0.35 L(O1) + 0.35 L(O2) + 0.3 L(O*)."""
        first, second, final = (nll_loss(o, self.folds.part.nodes.train_labels) for o in outputs)
        return 0.35 * first + 0.35 * second + 0.3 * final

    def information(self, smoothed: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """L_MI = 0.3 L(V1, V2) + 0.35 L(V1, V*) + 0.35 L(V2, V*)."""
        h1, h2, final = (self.phi(k, part) for k, part in enumerate(smoothed))
        tau = self.folds.settings.tau
        pairs = [infonce(h1, h2, tau), infonce(h1, final, tau), infonce(h2, final, tau)]
        return 0.3 * pairs[0] + 0.35 * pairs[1] + 0.35 * pairs[2], pairs

    @property
    def views(self) -> tuple[SparseMatrix, SparseMatrix, SparseMatrix]:
        return self.V1, self.V2, self.final

    def objective(self, eta: float) -> float:
        """L_cls - eta L_MI, as the view estimator sees it."""
        train = self.folds.part.nodes.train
        hidden = graph_convolution(self.final, self.X @ self.theta[2].first)
        outputs = [self.O1[train], self.O2[train], self.theta[2](self.final.rows(train), hidden)]
        smoothed = [
            graph_convolution(view, self.X @ weight)
            for view, weight in zip(self.views, self.phi.encoder_weights, strict=True)
        ]
        loss = self.classification(outputs) - eta * self.information(smoothed)[0]
        return float(loss.detach())

    def classifier_loss(self) -> float:
        """L_cls, as the classifiers see it."""
        train = self.folds.part.nodes.train
        outputs = [
            model(view.rows(train), Propagated(view, self.X)(model.first))
            for model, view in zip(self.theta, self.views, strict=True)
        ]
        return float(self.classification(outputs).detach())

    def mi_loss(self) -> tuple[float, list[float]]:
        """L_MI and its three pairs, as the MI estimator sees them."""
        smoothed = [
            Propagated(view, self.X)(weight)
            for view, weight in zip(self.views, self.phi.encoder_weights, strict=True)
        ]
        loss, pairs = self.information(smoothed)
        return float(loss.detach()), [float(pair.detach()) for pair in pairs]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_two_views_are_the_paper_s_case_bit_for_bit(features: str, precision: str) -> None:
    settings: dict[str, Any] = {
        "estimator_dropout": 0.0,
        "classifier_dropout": 0.0,
        "view_steps": 1,
        "classifier_steps": 1,
        "mi_steps": 1,
        "epsilon": 0.7,
        "lam": 0.3,
        "scorer": "linear",
        "precision": precision,
    }
    folds = make_folds(features, **settings)
    history = []
    for iteration in range(3):
        eta = eta_schedule(iteration, rate=1e-3, low=0.05, high=0.1)
        expected = TwoViews(folds).objective(eta)
        record = folds.train_views(eta)
        assert record == {"loss_view": expected}

        views, paper = folds.estimate(), TwoViews(folds)
        assert torch.equal(views.weights[:, 0], paper.beta1)
        assert torch.equal(views.weights[:, 1], paper.beta2)
        for ours, theirs in zip(views.all[:2], paper.views[:2], strict=True):
            assert torch.equal(ours.values, theirs.values)
        assert np.array_equal(views.all[2].to_scipy().toarray(), paper.dense_final.detach().numpy())

        expected = paper.classifier_loss()
        record |= folds.train_classifiers(views)
        assert record["loss_classifier"] == expected

        expected, pairs = paper.mi_loss()
        record |= folds.train_mi_estimator(views)
        assert record["loss_mi"] == expected
        names = ["mi_1_2", "mi_1_final", "mi_2_final"]
        assert [record[name] for name in names] == [math.log(24) - pair for pair in pairs]
        folds.end_iteration()
        history.append(record)

    fitted = CoGSL(**(QUICK | settings)).fit(two_groups(features=features), seed=0)
    assert [{key: told[key] for key in history[0]} for told in fitted.history_] == history
