from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from cogsl.cost import GraphSize
from cogsl.errors import DivergedError, EmptySplitError
from cogsl.graph import Graph
from cogsl.methods.lds import LDS
from cogsl.methods.lds_bilevel import split_validation
from cogsl.methods.lds_generator import Generator, make_generator
from cogsl.methods.lds_inner import Problem, State, adam_step, unroll
from cogsl.sparse.double import Pairs
from tests.common.graphs import two_groups
from tests.methods.figures import script_figures

QUICK: dict[str, Any] = {"iterations": 4, "candidate_neighbours": 3}


def ring(n: int = 6) -> Pairs:
    """A ring of n nodes with a chord."""
    rows, columns = [*range(n), 0], [*np.roll(range(n), -1), n // 2]
    return Pairs.from_scipy(sp.csr_array((np.ones(n + 1), (rows, columns)), shape=(n, n)))


def toy_problem(*, weight_decay: float = 0.01) -> Problem:
    """Six nodes with three features and two classes, in double precision."""
    generator = torch.Generator().manual_seed(0)
    return Problem(
        pairs=ring(),
        features=torch.randn(6, 3, generator=generator, dtype=torch.float64),
        train=(torch.tensor([0, 1]), torch.tensor([0, 1])),
        outer=(torch.tensor([3, 4]), torch.tensor([1, 0])),
        lr=0.05,
        weight_decay=weight_decay,
    )


def toy_state(problem: Problem) -> State:
    """A state after some steps, as Adam's first steps are the same whatever the gradient's size."""
    state = problem.start(4, 2, generator=torch.Generator().manual_seed(3)).cut()
    theta = toy_chances(problem)
    return unroll(problem, state, theta, steps=4, draw=lambda t: t, generator=None).state


def toy_chances(problem: Problem) -> Tensor:
    generator = torch.Generator().manual_seed(2)
    return 0.2 + 0.6 * torch.rand(len(problem.pairs), generator=generator, dtype=torch.float64)


def outer_loss_after(problem: Problem, state: State, theta: Tensor, steps: int) -> float:
    """Return F after some inner steps on the graph whose edges weigh theta."""
    done = unroll(problem, state, theta, steps=steps, draw=lambda t: t, generator=None)
    return done.outer_loss


# The hypergradient --------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_hypergradient_agrees_with_finite_differences(steps: int) -> None:
    problem = toy_problem()
    state, theta = toy_state(problem), toy_chances(problem)
    found = unroll(problem, state, theta, steps=steps, draw=lambda t: t, generator=None).gradient
    h = 1e-6
    expected = [
        (
            outer_loss_after(problem, state, theta + h * unit, steps)
            - outer_loss_after(problem, state, theta - h * unit, steps)
        )
        / (2 * h)
        for unit in torch.eye(len(theta), dtype=torch.float64)
    ]
    torch.testing.assert_close(
        found, torch.tensor(expected, dtype=torch.float64), rtol=1e-5, atol=1e-8
    )


def test_each_unrolled_step_changes_the_hypergradient() -> None:
    problem = toy_problem()
    state, theta = toy_state(problem), toy_chances(problem)
    steps = [
        unroll(problem, state, theta, steps=k, draw=lambda t: t, generator=None) for k in range(3)
    ]
    # What goes through training is no trifle beside the direct part.
    assert (steps[1].gradient - steps[0].gradient).norm() > 0.05 * steps[0].gradient.norm()
    assert (steps[2].gradient - steps[1].gradient).norm() > 0.02 * steps[0].gradient.norm()


def test_hypergradient_is_truncated_where_the_window_begins() -> None:
    problem = toy_problem()
    state, theta = toy_state(problem), toy_chances(problem)
    whole = unroll(problem, state, theta, steps=3, draw=lambda t: t, generator=None)
    first = unroll(problem, state, theta, steps=2, draw=lambda t: t, generator=None)
    last = unroll(problem, first.state, theta, steps=1, draw=lambda t: t, generator=None)
    assert last.outer_loss == pytest.approx(whole.outer_loss, rel=1e-12)
    assert not torch.allclose(last.gradient, whole.gradient, rtol=1e-2)


def test_without_inner_steps_the_state_stays_and_only_the_direct_part_is_left() -> None:
    problem = toy_problem()
    state, theta = toy_state(problem), toy_chances(problem).requires_grad_()
    done = unroll(problem, state, theta, steps=0, draw=lambda t: t, generator=None)
    assert all(map(torch.equal, done.state.weights, state.weights))
    assert done.state.n_steps == state.n_steps
    (direct,) = torch.autograd.grad(problem.outer_loss(state, theta), theta)
    torch.testing.assert_close(done.gradient, direct)


def test_every_inner_step_and_the_outer_loss_draw_a_graph_of_their_own() -> None:
    problem, drawn = toy_problem(), []

    def draw(theta: Tensor) -> Tensor:
        drawn.append(theta)
        return theta

    unroll(problem, toy_state(problem), toy_chances(problem), steps=3, draw=draw, generator=None)
    assert len(drawn) == 4


def test_inner_steps_agree_with_torch_adam_on_the_dense_formula() -> None:
    problem = toy_problem()
    start, theta = (
        problem.start(4, 2, generator=torch.Generator().manual_seed(3)),
        toy_chances(problem),
    )
    done = unroll(problem, start, theta, steps=5, draw=lambda t: t, generator=None)
    values = theta.index_select(0, problem.pairs.pair)
    looped = torch.tensor(problem.pairs.both.to_scipy(values).toarray()) + torch.eye(6)
    root = looped.sum(dim=1).rsqrt()
    view = root[:, None] * looped * root
    weights = [nn.Parameter(weight.clone()) for weight in start.weights]
    optimiser = torch.optim.Adam(weights, lr=0.05, weight_decay=0.01)
    for _ in range(5):
        optimiser.zero_grad()
        assert isinstance(problem.features, Tensor)
        hidden = (view @ problem.features @ weights[0]).relu()
        output = (view @ hidden @ weights[1]).log_softmax(dim=1)
        torch.autograd.backward(nn.functional.nll_loss(output[[0, 1]], torch.tensor([0, 1])))
        optimiser.step()
    for found, expected in zip(done.state.weights, weights, strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-6, check_dtype=True)


def test_a_weight_whose_gradient_was_always_zero_has_a_finite_hypergradient() -> None:
    weight = torch.ones(2, dtype=torch.float64)
    slope = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    moved = adam_step(State.start((weight,)), (slope,), lr=0.1)
    assert torch.equal(moved.weights[0].detach(), weight)
    (gradient,) = torch.autograd.grad(moved.weights[0].sum(), slope)
    assert gradient.isfinite().all()


# The generator ------------------------------------------------------------------------------------


def test_both_directions_of_an_edge_are_drawn_together() -> None:
    pairs = ring()
    edges = Generator(pairs, torch.full((len(pairs),), 0.5))
    noise = torch.Generator().manual_seed(0)
    graphs = list(edges.draw_many(20, generator=noise))
    assert len({tuple(graph.tolist()) for graph in graphs}) > 10
    for graph in graphs:
        matrix = pairs.both.to_scipy(graph.index_select(0, pairs.pair)).toarray()
        assert np.array_equal(matrix, matrix.T)
        assert set(np.unique(matrix)) <= {0.0, 1.0}


def test_edges_come_as_often_as_their_probabilities_say() -> None:
    pairs = ring()
    chances = torch.tensor([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    graphs = Generator(pairs, chances).draw_many(4000, generator=torch.Generator().manual_seed(1))
    shares = torch.stack(list(graphs)).mean(dim=0)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    torch.testing.assert_close(shares, chances, rtol=0, atol=0.03)


def test_the_gradient_goes_straight_through_a_drawn_edge() -> None:
    edges = Generator(ring(), torch.full((7,), 0.3))
    theta = edges.probabilities.clone().requires_grad_()
    graph = edges.draw(theta, generator=torch.Generator().manual_seed(0))
    (gradient,) = torch.autograd.grad((graph * torch.arange(7.0)).sum(), theta)
    assert gradient.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_a_step_of_the_probabilities_is_projected_by_hand() -> None:
    edges = Generator(ring(), torch.tensor([0.0, 0.5, 1.0, 0.5, 1.0, 0.2, 0.4]))
    gradient = torch.tensor([-1.0, -9.0, 1.0, 9.0, -1.0, float("nan"), 0.0])
    edges.descend(gradient, 0.25)
    assert edges.probabilities.tolist() == pytest.approx([0.25, 1.0, 0.75, 0.0, 1.0, 0.2, 0.4])


def path_graph(edges: list[tuple[int, int]]) -> Graph:
    """Four nodes on a line of directions: each is nearest to the next one."""
    angles = np.array([0.0, 0.1, 0.3, 0.6])
    features = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return Graph.from_edges(index, features=features, labels=[0, 1, 0, 1], train=[0, 1], val=[2, 3])


def chances_of(edges: Generator) -> dict[tuple[int, int], float]:
    upper = edges.pairs.upper
    ends = zip(upper.row.tolist(), upper.col.tolist(), strict=True)
    return dict(zip(ends, edges.probabilities.tolist(), strict=True))


def test_given_edges_are_certain_and_near_pairs_are_candidates() -> None:
    make = partial(make_generator, neighbours=1, start_neighbours=1, chance=0.25)
    edges = make(path_graph([(0, 3), (0, 1)]), candidates="near")
    assert chances_of(edges) == {(0, 1): 1.0, (0, 3): 1.0, (1, 2): 0.25, (2, 3): 0.25}
    everything = chances_of(make(path_graph([(0, 3), (0, 1)]), candidates="all"))
    assert len(everything) == 6
    assert everything[0, 3] == 1.0
    assert everything[0, 2] == 0.25


def test_a_graph_without_edges_starts_from_nearest_neighbours() -> None:
    edges = make_generator(
        path_graph([]), candidates="near", neighbours=2, start_neighbours=1, chance=0.0
    )
    chances = chances_of(edges)
    assert {pair for pair, chance in chances.items() if chance == 1.0} == {(0, 1), (1, 2), (2, 3)}
    assert chances[0, 2] == 0.0


# The whole ----------------------------------------------------------------------------------------


def test_halves_of_the_validation_nodes_are_disjoint_and_even_in_each_class() -> None:
    graph = two_groups(60).with_split(np.arange(6), np.arange(6, 33), np.arange(33, 60))
    outer, stopping = split_validation(graph, np.random.default_rng(0))
    assert set(outer) & set(stopping) == set()
    assert set(outer) | set(stopping) == set(graph.val)
    for label in (0, 1):
        counts = [(graph.labels[half] == label).sum() for half in (outer, stopping)]
        assert abs(int(counts[0]) - int(counts[1])) <= 1


def test_the_outer_loss_never_sees_the_half_that_chooses() -> None:
    graph, method = two_groups(), LDS(**QUICK)
    outer, stopping = split_validation(graph, np.random.default_rng(0))
    problem = method._problem(graph, method._generator(graph), outer)
    assert set(problem.outer[0].tolist()) == set(outer)
    assert not set(problem.outer[0].tolist()) & set(stopping)
    assert set(problem.train[0].tolist()) == set(graph.train)


def test_one_validation_node_is_refused() -> None:
    graph = two_groups().with_split(np.arange(6), [6], np.arange(12, 24))
    with pytest.raises(EmptySplitError, match="at least two"):
        LDS(**QUICK).fit(graph, seed=0)


def test_probabilities_that_are_held_still_leave_the_given_graph() -> None:
    graph = two_groups()
    method = LDS(**QUICK, outer_lr=0.0).fit(graph, seed=0)
    assert method.learned_graph_ is not None
    assert np.array_equal(method.learned_graph_.adjacency.toarray(), graph.adjacency.toarray())


def test_learned_weights_are_probabilities_that_moved_off_the_given_ones() -> None:
    graph = two_groups()
    method = LDS(**QUICK, outer_lr=20.0).fit(graph, seed=0)
    assert method.learned_graph_ is not None
    learned = method.learned_graph_.adjacency
    assert np.array_equal(learned.toarray(), learned.toarray().T)
    assert 0.0 < learned.data.min() <= learned.data.max() <= 1.0
    given = graph.adjacency.toarray() > 0
    assert (learned.toarray()[~given] > 0).any(), "an edge was added"
    assert (learned.toarray()[given] < 1).any(), "an edge was weakened"


def with_wrong_edges(seed: int = 0) -> tuple[Graph, np.ndarray]:
    """Two groups with blurred features, right edges within and as many wrong ones between."""
    rng = np.random.default_rng(seed)
    labels = np.arange(60) % 2
    features = rng.normal(size=(60, 4)) + 1.0 * labels[:, None]
    right = np.triu(rng.random((60, 60)) < 0.1, 1) & (labels[:, None] == labels)
    wrong = np.triu(rng.random((60, 60)) < 0.08, 1) & (labels[:, None] != labels)
    graph = Graph.from_scipy(
        sp.csr_array((right | wrong).astype(np.float32)),
        features=features,
        labels=labels,
        train=np.arange(12),
        val=np.arange(12, 44),
        test=np.arange(44, 60),
    )
    return graph, wrong


def test_wrong_edges_become_less_probable_than_right_ones() -> None:
    graph, wrong = with_wrong_edges()
    settings: dict[str, Any] = {"iterations": 40, "candidate_neighbours": 0, "outer_lr": 10.0}
    method = LDS(**settings, outer_decay=1.0).fit(graph, seed=0)
    assert method.learned_graph_ is not None
    chances = method.learned_graph_.adjacency.toarray()
    judged = np.zeros(60, dtype=bool)
    judged[graph.val] = True
    seen = judged[:, None] | judged
    given = np.triu(graph.adjacency.toarray() > 0)
    right_mean = chances[given & ~wrong & seen].mean()
    assert chances[wrong & seen].mean() < right_mean - 0.1


def test_a_run_without_progress_trains_the_network_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = [(0.5, 1.0), (0.4, 1.0), (0.4, 1.0), (0.3, 1.0), (0.2, 1.0), (0.2, 1.0), (0.6, 1.0)]
    script_figures(monkeypatch, figures)
    method = LDS(iterations=7, inner_patience=2, candidate_neighbours=3).fit(two_groups(), seed=0)
    assert [record["restarts"] for record in method.history_] == [0, 0, 0, 1, 1, 1, 2]
    assert [record["kept"] for record in method.history_] == [True, *5 * [False], True]
    assert method.best_iter_ == 6
    losses = [record["loss"] for record in method.history_]
    assert losses[2] < losses[0]
    assert losses[3] > losses[2], "new weights know nothing yet"


def test_patience_stops_and_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LDS().patience is None
    script_figures(monkeypatch, [(0.5, 1.0), (0.4, 1.0), (0.4, 1.0), (0.3, 1.0)])
    method = LDS(iterations=4, patience=2, candidate_neighbours=3).fit(two_groups(), seed=0)
    assert method.n_iter_ == 3
    assert method.best_iter_ == 0


def test_a_loss_that_is_never_finite_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    script_figures(monkeypatch, [(0.5, float("nan"))] * 4)
    with pytest.raises(DivergedError, match="lr"):
        LDS(**QUICK).fit(two_groups(), seed=0)


def test_predictions_are_the_mean_over_drawn_graphs() -> None:
    problem = toy_problem()
    state = toy_state(problem)
    none, every = torch.zeros(7, dtype=torch.float64), torch.ones(7, dtype=torch.float64)
    one, two = (problem.predict(state.weights, graph).exp() for graph in (none, every))
    mean = problem.mean_prediction(state.weights, [none, every, every]).exp()
    torch.testing.assert_close(mean, ((one + 2 * two) / 3).detach())
    assert not torch.allclose(one, two, atol=1e-2)


def test_all_pairs_as_candidates_are_estimated_as_such() -> None:
    size = GraphSize(3000, 9000, 500, 6, 100, 90_000)
    near, everything = (LDS(candidates=word).estimate(size) for word in ("near", "all"))
    assert everything.peak_bytes > 28 * 3000 * 2999 / 2
    assert everything.peak_bytes > 10 * near.peak_bytes
    assert everything.iteration.seconds > 10 * near.iteration.seconds


def test_all_pairs_can_be_candidates() -> None:
    method = LDS(iterations=3, candidates="all", outer_lr=50.0).fit(two_groups(), seed=0)
    assert method.learned_graph_ is not None
    assert method.learned_graph_.adjacency.nnz > two_groups().adjacency.nnz
