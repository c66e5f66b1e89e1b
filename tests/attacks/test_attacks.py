"""What holds for every attack."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogsl.attacks import ATTACKS
from cogsl.errors import SettingValueError
from cogsl.graph import Graph
from tests.attacks.graphs import arrays_of, random_graph


@pytest.fixture(params=list(ATTACKS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_same_seed_gives_the_same_attack(name: str) -> None:
    graph, attack = random_graph(), ATTACKS[name](ratio=0.2)
    one, again, other = (arrays_of(attack.apply(graph, seed=seed)) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_given_graph_stays_as_it_is(name: str) -> None:
    graph = random_graph()
    before = [array.copy() for array in arrays_of(graph)]
    ATTACKS[name](ratio=0.2).apply(graph, seed=0)
    assert all(np.array_equal(a, b) for a, b in zip(before, arrays_of(graph), strict=True))


def test_labels_and_split_stay(name: str) -> None:
    graph = random_graph()
    attacked = ATTACKS[name](ratio=0.2).apply(graph, seed=0)
    for part in ("labels", "train", "val", "test"):
        np.testing.assert_array_equal(getattr(attacked, part), getattr(graph, part))


def test_nothing_happens_at_a_ratio_of_zero(name: str) -> None:
    graph = random_graph()
    attacked = ATTACKS[name](ratio=0.0).apply(graph, seed=0)
    both = zip(arrays_of(graph), arrays_of(attacked), strict=True)
    assert all(np.array_equal(a, b) for a, b in both)


def test_the_caller_s_random_state_is_untouched(name: str) -> None:
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.random(3)  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    ATTACKS[name](ratio=0.2).apply(random_graph(), seed=0)
    np.testing.assert_array_equal(np.random.random(3), expected)  # noqa: NPY002


def test_a_negative_ratio_is_refused(name: str) -> None:
    with pytest.raises(SettingValueError, match="ratio"):
        ATTACKS[name](ratio=-0.1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), ratio=st.floats(0.0, 0.3), n=st.integers(5, 40))
def test_attacked_graphs_are_symmetric_and_without_loops(seed: int, ratio: float, n: int) -> None:
    graph = random_graph(n=n, seed=seed)
    for attack in ATTACKS.values():
        try:
            attacked = attack(ratio=ratio).apply(graph, seed=seed)
        except ValueError:  # more than the graph has; the attacks' own tests look at it
            continue
        assert isinstance(attacked, Graph)
        dense = attacked.adjacency.toarray()
        np.testing.assert_array_equal(dense, dense.T)
        assert not dense.diagonal().any()
