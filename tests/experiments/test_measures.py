"""What is measured beside predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.errors import InputError
from cogsl.experiments.measures import MEASURES
from cogsl.experiments.view_judge import GCNOnView, views_of
from cogsl.methods import GCN, CoGSL
from cogsl.views import Adjacency
from cogsl.views.base import normalise, with_self_loops
from tests.common.graphs import two_groups

QUICK: dict[str, Any] = {"iterations": 3, "scope": (1, 6), "mi_hidden": 8, "estimator_hidden": 8}


def test_information_adds_the_mean_mi_of_the_kept_iteration() -> None:
    method = CoGSL(**QUICK).fit(two_groups(), seed=0)
    record = MEASURES["information"](method, two_groups(), 0)
    kept = method.history_[method.best_iter_]
    pairs = [kept[f"mi_{pair}"] for pair in ("1_2", "1_final", "2_final")]
    assert record["mi"] == pytest.approx(np.mean(pairs))
    assert record["mi_1_2"] == kept["mi_1_2"]


def test_every_view_is_judged_before_and_after() -> None:
    method = CoGSL(**QUICK).fit(two_groups(), seed=0)
    record = MEASURES["views"](method, two_groups(), 0)
    assert set(record["views"]) == {"V1_ori", "V2_ori", "V1_es", "V2_es", "final"}
    for figures in record["views"].values():
        assert set(figures) == {"macro_f1", "micro_f1", "auc", "accuracy"}


def test_only_cogsl_has_views() -> None:
    with pytest.raises(InputError, match="Got GCN"):
        MEASURES["views"](GCN(epochs=2), two_groups(), 0)


def test_the_given_views_are_those_that_were_trained_on() -> None:
    graph, method = two_groups(), CoGSL(**QUICK)
    alone = normalise(csr_array(np.eye(graph.n_nodes)))
    method.fit(graph, seed=0, view_changes=(lambda _: alone, None))
    assert np.array_equal(views_of(method, graph, 0)["V1_ori"].toarray(), np.eye(graph.n_nodes))
    method.fit(graph, seed=0)
    plain = Adjacency().build(graph, generator=np.random.default_rng(0)).matrix
    assert np.array_equal(views_of(method, graph, 0)["V1_ori"].toarray(), plain.toarray())


def test_a_judge_reads_the_view_and_not_the_edges() -> None:
    graph = two_groups()
    view = normalise(with_self_loops(graph.adjacency))
    without = graph.with_edges(csr_array(graph.adjacency.shape))
    one, other = (GCNOnView(view=view, epochs=20).fit(g, seed=0) for g in (graph, without))
    assert np.array_equal(one.predict_proba(), other.predict_proba())
    none = GCNOnView(view=normalise(csr_array(np.eye(graph.n_nodes))), epochs=20)
    assert not np.array_equal(one.predict_proba(), none.fit(graph, seed=0).predict_proba())


def test_a_judge_on_the_normalised_graph_does_as_well_as_a_gcn() -> None:
    graph = two_groups()
    view = normalise(with_self_loops(graph.adjacency))
    judge, gcn = GCNOnView(view=view).fit(graph, seed=0), GCN().fit(graph, seed=0)
    right = [(m.predict() == graph.labels)[graph.labels >= 0].mean() for m in (judge, gcn)]
    assert right[0] == pytest.approx(right[1], abs=0.05)
