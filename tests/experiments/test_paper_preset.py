"""The `paper` preset of CoGSL beside the published tables."""

from __future__ import annotations

from typing import Any

import pytest

from cogsl.experiments.presets import resolve
from cogsl.methods import METHODS

# "The values of parameter used in CoGSL": ve_lr, ve_drop, T, rho_Theta, rho_Phi, rho_Omega, B,
# epsilon, lambda.
PRINTED = {
    "wine": (0.001, 0.8, 100, 1, 5, 1, None, 0.1, 0.5),
    "breast_cancer": (0.1, 0.5, 150, 1, 5, 1, None, 0.1, 0.9),
    "digits": (0.01, 0.5, 200, 10, 10, 1, None, 0.1, 0.5),
    "polblogs": (0.1, 0.8, 150, 5, 5, 1, None, 0.1, 0.1),
    "citeseer": (0.001, 0.2, 200, 5, 10, 5, None, 0.1, 0.5),
    "wikics": (0.01, 0.2, 200, 1, 5, 1, 1000, 0.1, 0.1),
    "ms_academic": (0.0001, 0.8, 200, 15, 10, 1, 1000, 1.0, 0.2),
}
PRINTED_NAMES = (
    "estimator_lr",
    "estimator_dropout",
    "iterations",
    "classifier_steps",
    "mi_steps",
    "view_steps",
    "mi_batch",
    "epsilon",
    "lam",
)
# The published experiments: views, scopes, mu, estimator hidden, MI hidden, tau, r.
PUBLISHED = {
    "wine": (("knn", "diffusion"), (2, 40), (0.5, 0.5), 64, 128, 0.5, 1e-3),
    "breast_cancer": (("knn", "diffusion"), (1, 300), (0.1, 0.1), 64, 128, 0.5, 1e-3),
    "digits": (("adjacency", "diffusion"), (1, 100), (0.5, 0.5), 32, 128, 0.2, 1e-4),
    "polblogs": (("adjacency", "diffusion"), (1, 500), (0.1, 1.0), 64, 128, 0.8, 1e-4),
    "citeseer": (("adjacency", "diffusion"), (2, 40), (0.1, 0.1), 32, 128, 0.8, 1e-4),
    "wikics": (("adjacency", "subgraph"), (1, 1), (0.5, 0.5), 16, 32, 0.5, 1e-3),
    "ms_academic": (("adjacency", "subgraph"), (1, 1), (0.5, 0.5), 32, 256, 0.5, 1e-4),
}
PUBLISHED_NAMES = ("estimator_hidden", "mi_hidden", "tau", "eta_rate")
COMMON = {
    "activation": "relu",
    "bias": True,
    "encoder_bias": True,
    "dropout_in_views": True,
    "classifier_hidden": 16,
    "classifier_dropout": 0.5,
    "classifier_lr": 0.01,
    "classifier_weight_decay": 5e-4,
    "scale_decay": False,
    "self_loops": True,
    "mi_lr": 0.01,
    "estimator_lr_decay": 0.99,
    "eta_min": 0.05,
    "eta_max": 0.1,
    "teleport": 0.2,
    "fusion": "adaptive",
    "scorer": "linear",
    "patience": None,
    "keep": "joint",
}


def paper(dataset: str) -> dict[str, Any]:
    """Return every setting of CoGSL in the `paper` preset."""
    return METHODS["cogsl"](**resolve("cogsl", dataset, "paper")).get_params()


def per_view(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return one value a view; a single value stands for both."""
    return values * 2 if len(values) == 1 else values


@pytest.mark.parametrize("dataset", PRINTED)
def test_the_printed_values_are_used(dataset: str) -> None:
    settings = paper(dataset)
    assert tuple(settings[name] for name in PRINTED_NAMES) == PRINTED[dataset]


@pytest.mark.parametrize("dataset", PUBLISHED)
def test_the_values_of_the_published_experiments_are_used(dataset: str) -> None:
    settings = paper(dataset)
    views, scope, mu, *rest = PUBLISHED[dataset]
    assert settings["views"] == views
    assert per_view(settings["scope"]) == scope
    assert per_view(settings["mu"]) == mu
    assert [settings[name] for name in PUBLISHED_NAMES] == rest


@pytest.mark.parametrize("dataset", PUBLISHED)
def test_the_common_settings_are_used(dataset: str) -> None:
    settings = paper(dataset)
    assert {name: settings[name] for name in COMMON} == COMMON


def test_one_view_estimator_alone_has_weight_decay() -> None:
    decays = {name: paper(name)["estimator_weight_decay"] for name in PUBLISHED}
    assert decays == {**dict.fromkeys(PUBLISHED, 0.0), "ms_academic": 1e-10}


def test_the_knn_view_is_as_dense_as_the_graph_it_rebuilds() -> None:
    # 178 x 20 = 3,560 and 569 x 40 = 22,760 entries, as the paper counts them.
    assert paper("wine")["knn_neighbours"] == 20
    assert paper("breast_cancer")["knn_neighbours"] == 40
