from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogsl.datasets.splits import (
    IntArray,
    allocate,
    balanced_split,
    shared_split,
    stratified_split,
    validation_split,
)
from cogsl.errors import EmptySplitError, MissingClassError, SettingValueError


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@st.composite
def sizes_and_totals(draw: st.DrawFn, least: int) -> tuple[IntArray, int]:
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=8))
    total = draw(st.integers(least * len(sizes), sum(sizes)))
    return np.array(sizes, dtype=np.int64), total


@st.composite
def labels_and_sizes(draw: st.DrawFn) -> tuple[IntArray, int, int, int | None]:
    """Draw labels with unknown ones and gaps between the classes, and sizes that fit."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=5))
    classes = draw(st.permutations(range(8)))
    labels = np.repeat([*classes[: len(sizes)], -1], [*sizes, draw(st.integers(0, 5))])
    n_train = draw(st.integers(len(sizes), sum(sizes)))
    n_val = draw(st.integers(0, sum(sizes) - n_train))
    n_test = draw(st.none() | st.integers(0, sum(sizes) - n_train - n_val))
    return generator(draw(st.integers(0, 99))).permutation(labels), n_train, n_val, n_test


@given(sizes_and_totals(least=0))
def test_each_class_gets_its_share_rounded_up_or_down(given: tuple[IntArray, int]) -> None:
    sizes, total = given
    shares = allocate(sizes, total)
    assert shares.sum() == total
    assert np.all(shares <= sizes)
    assert np.all(np.abs(shares - total * sizes / sizes.sum()) < 1)


@given(sizes_and_totals(least=1))
def test_no_class_is_left_without_a_node(given: tuple[IntArray, int]) -> None:
    sizes, total = given
    shares = allocate(sizes, total, least=1)
    assert shares.sum() == total
    assert np.all((shares >= 1) & (shares <= sizes))


def test_shares_by_hand() -> None:
    # 10 of 59, 71 and 48 nodes: 3.31, 3.99 and 2.70.
    np.testing.assert_array_equal(allocate(np.array([59, 71, 48]), 10), [3, 4, 3])
    np.testing.assert_array_equal(allocate(np.array([98, 1, 1]), 4, least=1), [2, 1, 1])


@given(labels_and_sizes())
def test_parts_are_disjoint_labelled_sorted_and_of_the_asked_sizes(
    given: tuple[IntArray, int, int, int | None],
) -> None:
    labels, n_train, n_val, n_test = given
    parts = stratified_split(
        labels, n_train=n_train, n_val=n_val, n_test=n_test, generator=generator()
    )
    together = np.concatenate(parts)
    assert len(np.unique(together)) == len(together)
    assert np.all(labels[together] >= 0)
    assert all(np.all(np.diff(part) > 0) for part in parts)
    left = int(np.count_nonzero(labels >= 0)) - n_train - n_val
    assert [len(part) for part in parts] == [n_train, n_val, left if n_test is None else n_test]
    assert set(labels[parts[0]]) == set(labels[labels >= 0])


def test_classes_stand_in_each_part_as_in_the_whole() -> None:
    labels = np.repeat([0, 1, 2], [50, 30, 20])
    parts = stratified_split(labels, n_train=10, n_val=20, generator=generator())
    counts = [np.bincount(labels[part]).tolist() for part in parts]
    assert counts == [[5, 3, 2], [10, 6, 4], [35, 21, 14]]


def test_a_balanced_split_has_as_many_training_nodes_of_each_class() -> None:
    labels = np.repeat([0, 1, 2, -1], [50, 30, 20, 9])
    train, val, test = balanced_split(
        labels, per_class=5, n_val=17, n_test=34, generator=generator()
    )
    assert np.bincount(labels[train]).tolist() == [5, 5, 5]
    # Of the 45, 25 and 15 that are left, a fifth and two fifths.
    assert np.bincount(labels[val]).tolist() == [9, 5, 3]
    assert np.bincount(labels[test]).tolist() == [18, 10, 6]


def test_the_generator_alone_decides_the_split() -> None:
    labels = np.repeat([0, 1], [40, 60])

    def train(seed: int) -> list[int]:
        drawn = stratified_split(labels, n_train=10, n_val=10, generator=generator(seed))
        return [int(node) for node in drawn[0]]

    assert train(3) == train(3)
    assert train(3) != train(4)


def test_every_node_is_drawn_sooner_or_later() -> None:
    labels, rng = np.repeat([0, 1], [4, 6]), generator()
    seen = {
        node
        for _ in range(60)
        for node in stratified_split(labels, n_train=5, n_val=0, generator=rng)[0].tolist()
    }
    assert seen == set(range(10))


def test_what_cannot_be_drawn_is_refused() -> None:
    labels = np.array([0, 0, 0, 1, 1, -1])
    with pytest.raises(EmptySplitError, match="asks for 9 nodes where only 5"):
        stratified_split(labels, n_train=9, n_val=0, generator=generator())
    with pytest.raises(EmptySplitError, match="asks for 4 nodes where only 3"):
        stratified_split(labels, n_train=2, n_val=4, generator=generator())
    with pytest.raises(MissingClassError, match=r"each of the 2 classes. Got a size of 1"):
        stratified_split(labels, n_train=1, n_val=1, generator=generator())
    with pytest.raises(MissingClassError, match=r"at least 3 nodes .* Class 1 has 2"):
        balanced_split(labels, per_class=3, n_val=1, generator=generator())
    with pytest.raises(EmptySplitError, match=r"labelled nodes. Got none"):
        stratified_split(np.full(3, -1), n_train=1, n_val=1, generator=generator())


def test_all_labelled_nodes_are_shared_out() -> None:
    labels = np.array([0] * 10 + [1] * 10 + [-1] * 5)
    train, val, test = shared_split(labels, val_share=0.2, test_share=0.3, generator=generator())
    assert (len(train), len(val), len(test)) == (10, 4, 6)
    assert np.array_equal(np.sort(np.concatenate([train, val, test])), np.arange(20))
    assert [np.bincount(labels[part]).tolist() for part in (train, val, test)] == [
        [5, 5],
        [2, 2],
        [3, 3],
    ]


def test_few_labels_leave_a_validation_node_and_a_training_node_of_each_class() -> None:
    train, val, test = shared_split(np.array([0, 1, 1]), val_share=0.1, generator=generator())
    assert (len(train), len(val), len(test)) == (2, 1, 0)


@pytest.mark.parametrize("shares", [(0.0, 0.0), (0.5, 0.5), (1.0, 0.0), (0.2, -0.1)])
def test_shares_must_leave_something_for_training(shares: tuple[float, float]) -> None:
    with pytest.raises(SettingValueError, match="leave some for training"):
        shared_split(
            np.array([0, 1]), val_share=shares[0], test_share=shares[1], generator=generator()
        )


def test_for_validation_alone_a_share_of_the_labelled_nodes_is_held_back() -> None:
    labels = np.array([0] * 10 + [1] * 10 + [-1] * 5)
    drawn = validation_split(labels, val_share=0.2, generator=generator(1))
    train, val, _ = shared_split(labels, val_share=0.2, generator=generator(1))
    assert [part.tolist() for part in drawn] == [train.tolist(), val.tolist()]


def test_a_class_with_one_label_keeps_it_for_training() -> None:
    labels = np.array([0, 1, 2, 3, 4, 5, 5, -1])
    train, val = validation_split(labels, val_share=0.5, generator=generator())
    assert labels[train].tolist() == [0, 1, 2, 3, 4, 5]
    assert labels[val].tolist() == [5]


def test_without_a_second_label_of_any_class_nothing_can_be_held_back() -> None:
    with pytest.raises(EmptySplitError, match=r"for each of 3 classes; label another"):
        validation_split(np.array([0, 1, 2, -1]), generator=generator())
    with pytest.raises(EmptySplitError, match="Got none"):
        validation_split(np.array([-1, -1]), generator=generator())
    with pytest.raises(SettingValueError, match="leave some for training"):
        validation_split(np.array([0, 0, 1]), val_share=1.0, generator=generator())


def test_where_labels_are_few_each_class_keeps_one_for_training() -> None:
    labels = np.array([*range(10), 0, 1])  # the share of a fifth would leave 8 for 10 classes
    train, val, test = shared_split(labels, val_share=0.2, test_share=0.2, generator=generator())
    assert (len(train), len(val), len(test)) == (10, 1, 1)
    assert set(labels[train]) == set(range(10))
    with pytest.raises(EmptySplitError, match="validation and test need one each"):
        shared_split(labels[:-1], test_share=0.2, generator=generator())
