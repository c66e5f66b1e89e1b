"""CoGSL on parts of a graph: what a part holds, and that all parts together are the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from cogsl.errors import MissingExtraError
from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_folds import Folds
from cogsl.methods.cogsl_inference import infer
from cogsl.methods.cogsl_parts import ClusterBatches, Part, build_views, make_parts
from cogsl.scorers import SCORERS
from cogsl.seeding import Seeds
from cogsl.sparse import dense, use_onednn
from cogsl.training import StateAverage
from cogsl.training.averaging import State
from tests.common.graphs import two_groups
from tests.methods.test_cogsl import make

VIEW_PAIRS = [("adjacency", "diffusion"), ("adjacency", "subgraph"), ("knn", "adjacency")]
IN_FOUR: dict[str, Any] = {"clusters": 4, "clusters_per_batch": 2}


def same_fit(one: CoGSL, two: CoGSL) -> bool:
    """Tell whether two fitted methods hold the same bits."""
    return all(
        np.array_equal(getattr(one, name), getattr(two, name))
        for name in ("probabilities_", "fusion_weights_")
    ) and np.array_equal(one.final_view_.data, two.final_view_.data)


def batches_of(graph: Graph, method: CoGSL) -> ClusterBatches:
    batches = make_parts(method, graph, Seeds(0))
    assert isinstance(batches, ClusterBatches)
    return batches


@pytest.mark.parametrize("keep", ["joint", "smoothed"])
@pytest.mark.parametrize("features", ["dense", "sparse"])
def test_one_batch_with_all_clusters_gives_the_bits_of_the_whole_graph(
    keep: str, features: str
) -> None:
    graph = two_groups(features=features)
    whole = make(keep=keep).fit(graph, seed=0)
    all_at_once = make(keep=keep, clusters=4, clusters_per_batch=4).fit(graph, seed=0)
    assert same_fit(whole, all_at_once)
    for one, two in zip(whole.history_, all_at_once.history_, strict=True):
        assert {k: v for k, v in one.items() if "seconds" not in k} == {
            k: v for k, v in two.items() if "seconds" not in k
        }


def test_a_part_of_all_nodes_is_the_whole_graph() -> None:
    graph, method = two_groups(), make()
    basic = build_views(method, graph, Seeds(0))
    whole = Part.of(CoGSL(), graph, basic)
    all_nodes = Part.among(torch.arange(graph.n_nodes), CoGSL(), graph, basic)
    for one, two in zip(whole.plans, all_nodes.plans, strict=True):
        assert one.pattern.has_entries_of(two.pattern)
        assert torch.equal(one.constant, two.constant)
    assert torch.equal(whole.nodes.train, all_nodes.nodes.train)


def test_the_batches_of_an_iteration_hold_every_node_once_and_are_drawn_anew() -> None:
    graph, method = two_groups(), make(**IN_FOUR)
    batches = batches_of(graph, method)
    first, second = ([part.index for part in batches] for _ in range(2))
    for indices in (first, second):
        assert len(indices) == 2
        together = [node for index in indices if index is not None for node in index.tolist()]
        assert sorted(together) == list(range(graph.n_nodes))
    again = [part.index for part in batches_of(graph, method)]
    assert str(first) == str(again)
    drawn = {str([part.index for part in batches]) for _ in range(10)}
    assert len(drawn) > 1


def test_a_part_keeps_the_pairs_among_its_nodes_and_their_labels() -> None:
    graph, method = two_groups(), make(**IN_FOUR)
    basic = build_views(method, graph, Seeds(0))
    for part in batches_of(graph, method):
        assert part.index is not None
        at = part.index.numpy()
        for plan, view in zip(part.plans, basic, strict=True):
            kept = plan.basic.to_scipy().toarray()
            np.testing.assert_allclose(kept, view.matrix.toarray()[np.ix_(at, at)], rtol=1e-6)
        nodes = part.nodes
        assert set(at[nodes.train]) == set(graph.train) & set(at)
        assert nodes.train_labels.tolist() == graph.labels[at[nodes.train]].tolist()
        assert nodes.val_labels.tolist() == graph.labels[at[nodes.val]].tolist()


@pytest.mark.parametrize("views", VIEW_PAIRS)
@pytest.mark.parametrize("scorer", sorted(SCORERS))
@pytest.mark.parametrize("features", ["dense", "sparse"])
@pytest.mark.parametrize("self_loops", [False, True])
def test_inference_in_blocks_gives_what_the_folds_give(
    views: tuple[str, str], scorer: str, features: str, self_loops: bool
) -> None:
    graph = two_groups(features=features)
    method = make(
        views=views, scorer=scorer, precision="float64", scope=(2, 5), self_loops=self_loops
    )
    basic = build_views(method, graph, Seeds(0))
    folds = Folds(method, graph, Seeds(0))
    folds.part = Part.of(method, graph, basic)
    folds.train_views(0.1)
    expected = folds.estimate()
    inferred = infer(folds, graph, basic, block_bytes=1000)  # a few rows at a time
    for ours, theirs in zip(inferred.views, expected.all, strict=True):
        np.testing.assert_allclose(ours.toarray(), theirs.to_scipy().toarray(), atol=1e-12)
    np.testing.assert_allclose(inferred.weights, expected.weights, atol=1e-12)
    for number, output in enumerate(inferred.outputs):
        np.testing.assert_allclose(output, folds.predict(expected, number), atol=1e-12)


@pytest.mark.parametrize("keep", ["joint", "smoothed"])
def test_mini_batches_learn_and_the_same_seed_gives_the_same_bits(keep: str) -> None:
    graph = two_groups()
    one, two = (make(keep=keep, iterations=20, **IN_FOUR).fit(graph, seed=3) for _ in range(2))
    assert same_fit(one, two)
    assert np.mean(one.predict() == graph.labels) > 0.8
    assert one.learned_graph_ is not None
    assert all(record["seconds_batch"] > 0 for record in one.history_)
    assert one.final_view_.shape == (graph.n_nodes, graph.n_nodes)


def test_predictions_of_mini_batches_are_those_of_the_whole_graph_at_the_kept_iteration() -> None:
    graph = two_groups()
    method = make(keep="joint", precision="float64", **IN_FOUR).fit(graph, seed=0)
    rows = method.final_view_.toarray()
    total = sum(
        method.fusion_weights_[:, [k]] * view.toarray()
        for k, view in enumerate(method.estimated_views_)
    )
    np.testing.assert_allclose(rows, total, atol=1e-12)
    # Both groups of the graph are joined in the final view: no edge between batches is lost.
    adjacency = graph.adjacency.toarray() > 0
    assert (rows[adjacency] > 0).all()


def test_the_average_of_the_parameters_is_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class First(StateAverage):
        def update(self, state: State) -> None:
            if not self.state:
                super().update(state)

    short, long = ({"iterations": n, **IN_FOUR} for n in (2, 5))
    assert not same_fit(*(make(**given).fit(two_groups(), seed=0) for given in (short, long)))
    monkeypatch.setattr("cogsl.methods.cogsl.StateAverage", First)
    assert same_fit(*(make(**given).fit(two_groups(), seed=0) for given in (short, long)))


def test_a_batch_without_training_nodes_is_no_obstacle() -> None:
    graph = two_groups()
    few = graph.with_split(graph.train[[0, -1]], graph.val, graph.test)
    method = make(iterations=3, clusters=12, clusters_per_batch=1).fit(few, seed=0)
    assert np.isfinite(method.predict_proba()).all()
    assert all(np.isfinite(record["loss_classifier"]) for record in method.history_)


def test_without_metis_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pymetis", None)
    with pytest.raises(MissingExtraError, match=r"mini-batches needs.*compact-gsl\[scale\]"):
        make(**IN_FOUR).fit(two_groups(), seed=0)


def test_a_graph_without_edges_can_be_cut_too() -> None:
    graph = two_groups()
    bare = Graph.from_scipy(
        csr_array((graph.n_nodes, graph.n_nodes)),
        features=graph.features,
        labels=graph.labels,
        train=graph.train,
        val=graph.val,
        test=graph.test,
    )
    parts = make_parts(make(**IN_FOUR), bare, Seeds(0))
    assert isinstance(parts, ClusterBatches)
    assert sum(part.n_nodes for part in parts) == graph.n_nodes


@pytest.mark.parametrize(("clusters", "used"), [(1, True), (4, False)])
def test_batches_keep_no_memory_for_products_of_their_shapes(
    clusters: int, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """oneDNN keeps some for every shape that it meets, and batches differ in theirs."""
    seen: list[torch.Size] = []

    def noted(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        seen.append(left.shape)
        return left @ right

    monkeypatch.setattr(dense, "_onednn_works", lambda: True)
    monkeypatch.setattr(dense, "_by_onednn", noted)
    monkeypatch.setattr(dense, "_WORTH_IT", 1)
    with use_onednn(True):
        make(iterations=2, clusters=clusters, clusters_per_batch=1).fit(two_groups(), seed=0)
    assert bool(seen) is used
