"""What determines a run, and how it is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cogsl.attacks import EdgeAddition
from cogsl.errors import InputError, UnknownNameError
from cogsl.experiments import tasks
from cogsl.experiments.tasks import AttackOn, Task, attacked, key_of, run_task
from tests.attacks.graphs import random_graph
from tests.fakes import install

TASK = Task(dataset="toy", method="centroids", name="Centroids", seed=0)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(monkeypatch)
    yield
    tasks.load.cache_clear()
    tasks.data_hash.cache_clear()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"split_seed": 1},
        {"settings": {"sharpness": 2.0}},
        {"dataset_settings": {"nodes": 5}},
        {"attack": AttackOn(kind="edge_addition", ratio=0.1)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_key_changes_with_all_that_decides(change: dict[str, Any]) -> None:
    assert TASK.key("data") != replace(TASK, **change).key("data")


@pytest.mark.parametrize(
    "change", [{"kind": "edge_deletion"}, {"ratio": 0.2}, {"target": (0,)}, {"seed": 1}]
)
def test_the_key_changes_with_every_part_of_an_attack(change: dict[str, Any]) -> None:
    attack = AttackOn(kind="edge_addition", ratio=0.1)
    one, other = (replace(TASK, attack=a) for a in (attack, replace(attack, **change)))
    assert one.key("data") != other.key("data")


def test_the_key_changes_with_the_data() -> None:
    assert TASK.key("data") != TASK.key("other data")


def test_the_name_decides_nothing_and_neither_does_a_default_that_is_written_out() -> None:
    assert TASK.key("data") == replace(TASK, name="other").key("data")
    assert TASK.key("data") == replace(TASK, settings={"sharpness": 1.0}).key("data")


def test_the_key_of_a_split_is_that_of_the_whole_data_and_its_seed() -> None:
    assert key_of(TASK) == key_of(TASK)
    assert key_of(TASK) != key_of(replace(TASK, split_seed=1))


def test_a_record_holds_the_hash_by_which_its_key_is_found_without_the_data() -> None:
    record = run_task(TASK)
    assert key_of(TASK, recorded={"toy": record["data_hash"]}) == key_of(TASK)
    assert key_of(TASK, recorded={"toy": "another"}) != key_of(TASK)


def test_a_record_says_what_it_is_of() -> None:
    attack = AttackOn(kind="edge_addition", ratio=0.2)
    record = run_task(replace(TASK, attack=attack, split_seed=3))
    assert record["split_seed"] == 3
    assert record["attack"] == {"kind": "edge_addition", "ratio": 0.2, "target": "graph", "seed": 0}
    assert 0.0 <= record["macro_f1"] <= 1.0


def test_the_same_attack_is_given_to_every_method() -> None:
    graph, attack = random_graph(), AttackOn(kind="edge_addition", ratio=0.2, seed=4)
    expected = EdgeAddition(ratio=0.2).apply(graph, seed=4).adjacency.toarray()
    for method in ("centroids", "gcn"):
        given, options = attacked(replace(TASK, method=method, attack=attack), graph)
        np.testing.assert_array_equal(given.adjacency.toarray(), expected)
        assert options == {}


def test_an_attack_on_a_view_leaves_the_graph_and_the_other_views() -> None:
    graph = random_graph()
    attack = AttackOn(kind="edge_deletion", ratio=0.2, target=(1,))
    given, options = attacked(replace(TASK, method="cogsl", attack=attack), graph)
    assert given is graph
    first, second = options["view_changes"]
    assert first is None
    assert second(graph.adjacency).nnz < graph.adjacency.nnz


def test_a_record_says_how_strongly_each_view_was_attacked() -> None:
    """A line of 12 nodes has room for 4 times its edges; its whole diffusion joins all of them."""
    task = replace(TASK, method="cogsl", settings={"iterations": 2, "scope": (1, 12)})
    both = AttackOn(kind="edge_addition", ratio=4.0, target=(0, 1))
    assert run_task(replace(task, attack=both))["attack_ratios"] == [4.0, 0.0]
    deletion = AttackOn(kind="edge_deletion", ratio=0.1, target=(1,))
    assert run_task(replace(task, attack=deletion))["attack_ratios"] == [0.1]
    assert "attack_ratios" not in run_task(replace(task, attack=None))


def test_attacks_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'edge_deletion'"):
        AttackOn(kind="edge_delete", ratio=0.1)
    with pytest.raises(InputError, match="not on single views"):
        AttackOn(kind="feature_noise", ratio=0.1, target=(0,))
    on_third = AttackOn(kind="edge_deletion", ratio=0.1, target=(2,))
    for method, count in (("cogsl", 2), ("gcn", 0)):
        with pytest.raises(InputError, match=f"has {count} views"):
            attacked(replace(TASK, method=method, attack=on_third), random_graph())
