"""Splits by seed: each class is drawn in its share, and always has a training node."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cogsl.errors import EmptySplitError, MissingClassError, SettingValueError

IntArray: TypeAlias = npt.NDArray[np.int64]
Parts: TypeAlias = tuple[IntArray, IntArray, IntArray]


def stratified_split(
    labels: IntArray,
    *,
    n_train: int,
    n_val: int,
    n_test: int | None = None,
    generator: np.random.Generator,
) -> Parts:
    """Draw train, validation and test nodes that hold each class in its share.

    Nodes without a label (-1) are in no part. ``n_test=None`` means all labelled nodes that are
    left. Each part is sorted.
    """
    train = allocate(_class_sizes(labels), n_train, least=1)
    return _draw(labels, train, n_val, n_test, generator)


def balanced_split(
    labels: IntArray,
    *,
    per_class: int,
    n_val: int,
    n_test: int | None = None,
    generator: np.random.Generator,
) -> Parts:
    """Draw ``per_class`` training nodes of each class; validation and test nodes by share."""
    sizes = _class_sizes(labels)
    if sizes.min() < per_class:
        small = np.unique(labels[labels >= 0])[sizes.argmin()]
        raise MissingClassError(
            f"Each class must have at least {per_class} nodes to draw from. Class {small} has "
            f"{sizes.min()}; draw fewer training nodes a class."
        )
    return _draw(labels, np.full_like(sizes, per_class), n_val, n_test, generator)


def shared_split(
    labels: IntArray,
    *,
    val_share: float = 0.2,
    test_share: float = 0.0,
    generator: np.random.Generator,
) -> Parts:
    """Share all labelled nodes out: shares for validation and test, the rest is for training.

    Each class is drawn in its share and always has a training node, for which fewer nodes go to the
    other parts where there are few; validation has one node at least, and so has a test part that
    is asked for.
    """
    _check_shares(val_share, test_share)
    sizes = _class_sizes(labels)
    n, n_tested = int(sizes.sum()), int(test_share > 0)
    spare = n - len(sizes)
    if spare < 1 + n_tested:
        raise EmptySplitError(
            "Some labelled nodes are held back for validation, and each class must keep one for "
            f"training. Got one labelled node for each of {len(sizes)} classes; label another."
            if not spare
            else "There is one labelled node to hold back, and validation and test need one each. "
            "Label another, or leave out the test."
        )
    n_test = min(max(1, round(test_share * n)), spare - 1) if test_share else 0
    n_val = min(max(1, round(val_share * n)), spare - n_test)
    return stratified_split(
        labels, n_train=n - n_val - n_test, n_val=n_val, n_test=n_test, generator=generator
    )


def validation_split(
    labels: IntArray, *, val_share: float = 0.2, generator: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Share all labelled nodes out among training and validation."""
    train, val, _ = shared_split(labels, val_share=val_share, generator=generator)
    return train, val


def allocate(sizes: IntArray, total: int, *, least: int = 0) -> IntArray:
    """Share ``total`` out among classes in proportion to their ``sizes``, by largest remainder.

    No class gets more than it has, nor fewer than ``least`` (at most 1); ties go to the first.
    """
    if total > sizes.sum():
        raise EmptySplitError(
            f"The split asks for {total} nodes where only {sizes.sum()} labelled ones are left."
        )
    if total < least * len(sizes):
        raise MissingClassError(
            f"The training set must hold a node of each of the {len(sizes)} classes. "
            f"Got a size of {total} instead."
        )
    if total == 0:
        return np.zeros_like(sizes)
    shares, remainders = np.divmod(total * sizes, sizes.sum())
    shares[np.argsort(-remainders, kind="stable")[: total - shares.sum()]] += 1
    shares = np.maximum(shares, least)
    for _ in range(shares.sum() - total):  # the largest give what the smallest lacked
        shares[shares.argmax()] -= 1
    return shares


def _check_shares(val_share: float, test_share: float = 0.0) -> None:
    if not (0.0 < val_share < 1.0 and 0.0 <= test_share < 1.0 and val_share + test_share < 1.0):
        raise SettingValueError(
            "The shares of validation and test nodes must be in [0, 1), the first above 0, and "
            f"leave some for training. Got {val_share} and {test_share} instead."
        )


def _class_sizes(labels: IntArray) -> IntArray:
    sizes = np.unique(labels[labels >= 0], return_counts=True)[1].astype(np.int64)
    if len(sizes) == 0:
        raise EmptySplitError("A split must be drawn from labelled nodes. Got none.")
    return sizes


def _draw(
    labels: IntArray,
    train: IntArray,
    n_val: int,
    n_test: int | None,
    generator: np.random.Generator,
) -> Parts:
    """Shuffle each class, and cut it into its training, validation and test nodes."""
    left = _class_sizes(labels) - train
    val = allocate(left, n_val)
    left = left - val
    test = left if n_test is None else allocate(left, n_test)
    cuts = np.cumsum([train, val, test], axis=0)  # 3 x C
    parts: tuple[list[IntArray], ...] = ([], [], [])
    for k, label in enumerate(np.unique(labels[labels >= 0])):
        shuffled = generator.permutation(np.flatnonzero(labels == label))
        for part, nodes in zip(parts, np.split(shuffled, cuts[:, k]), strict=False):
            part.append(nodes)
    first, second, third = (np.sort(np.concatenate(part)) for part in parts)
    return first, second, third
