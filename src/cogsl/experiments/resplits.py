"""Repeated splits of one graph's labelled nodes, for methods to be compared on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cogsl.datasets.splits import balanced_split, stratified_split
from cogsl.errors import EmptySplitError, LabelError, SettingValueError, TooFewClassesError
from cogsl.seeding import Seeds

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.io import NamedGraph

SHARE = 0.2
"""Of the labelled nodes, for validation and for the test, where nobody says otherwise.

A larger test part is measured better in each split, but is more alike in all of them. A fifth makes
about the shortest corrected intervals with ten splits.
"""

LEAST_TEST = 10
"""Test nodes; with fewer a single one is worth more than ten points."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many labelled nodes each part of a split has.

    Parameters
    ----------
    train, val, test : nodes of each part.
    labels : all labelled nodes; a split may leave some out.
    balanced : whether each class has as many training nodes, else it has its share.
    """

    train: int
    val: int
    test: int
    labels: int
    balanced: bool = False


def check_labels(named: NamedGraph) -> None:
    """Raise an error of ours if the labels are too few for any split."""
    labels = named.graph.labels
    classes, counts = np.unique(labels[labels >= 0], return_counts=True)
    if len(classes) < 2:
        names = ", ".join(f"'{named.classes[c]}'" for c in classes.tolist()) or "no labels"
        raise TooFewClassesError(
            f"Methods can be compared where nodes of two classes or more are labelled. Got {names} "
            "instead; name the column of the labels with --label-column."
        )
    for label, count in zip(classes.tolist(), counts.tolist(), strict=True):
        if count < 2:
            raise LabelError(
                "Each class must have two labelled nodes or more, to train on and to test. Class "
                f"'{named.classes[label]}' has {count}; label more, or leave the class out."
            )


def sizes_of(graph: Graph, *, val_share: float | None, test_share: float | None) -> Sizes:
    """Return the sizes of the parts.

    A graph that is split keeps its numbers of training and validation nodes, unless a share of
    validation nodes is given; any other is shared out, with all that is left for training.
    """
    n = int((graph.labels >= 0).sum())
    for name, share in (("validation", val_share), ("test", test_share)):
        if share is not None and not 0.0 < share < 1.0:
            raise SettingValueError(
                f"The share of {name} nodes must be between 0 and 1. Got {share} instead."
            )
    test = round((test_share or SHARE) * n)
    if len(graph.train) and len(graph.val) and val_share is None:
        train, val = len(graph.train), len(graph.val)
        if test_share is None:
            test = min(test, n - train - val)
        balanced = _is_balanced(graph)
    else:
        val = max(1, round((val_share or SHARE) * n))
        train, balanced = n - val - test, False
    sizes = Sizes(train=train, val=val, test=test, labels=n, balanced=balanced)
    _check(sizes)
    return sizes


def draw(graph: Graph, sizes: Sizes, seed: int) -> Graph:
    """Return the graph with the split of a seed: each class is drawn in its share."""
    generator = Seeds(seed).numpy("split")
    if sizes.balanced:
        per_class = sizes.train // len(np.unique(graph.labels[graph.labels >= 0]))
        parts = balanced_split(
            graph.labels,
            per_class=per_class,
            n_val=sizes.val,
            n_test=sizes.test,
            generator=generator,
        )
    else:
        parts = stratified_split(
            graph.labels,
            n_train=sizes.train,
            n_val=sizes.val,
            n_test=sizes.test,
            generator=generator,
        )
    return graph.with_split(*parts)


def _is_balanced(graph: Graph) -> bool:
    """Tell whether each class has the same number of training nodes."""
    counts = np.unique(graph.labels[graph.train], return_counts=True)[1]
    n_classes = len(np.unique(graph.labels[graph.labels >= 0]))
    return len(counts) == n_classes and bool(counts.min() == counts.max())


def _check(sizes: Sizes) -> None:
    """Raise for parts that are too small, or too large for the labelled nodes."""
    if sizes.train < 1 or sizes.train + sizes.val + sizes.test > sizes.labels:
        raise EmptySplitError(
            f"Of {sizes.labels} labelled nodes, {sizes.val} for validation and {sizes.test} for "
            "the test leave too few for training. Lower --val-share or --test-share."
        )
    if sizes.test < LEAST_TEST:
        raise EmptySplitError(
            f"A split must have {LEAST_TEST} test nodes or more. Of {sizes.labels} labelled nodes "
            f"it would have {sizes.test}; label more nodes, or raise --test-share."
        )
