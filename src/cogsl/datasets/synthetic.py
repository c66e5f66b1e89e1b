"""Synthetic: graphs of any size whose truth is known.

A degree-corrected stochastic block model (Karrer and Newman, 2011) with features whose signal and
noise can be set, some of whose edges are then replaced by wrong ones. Time is O(E log N + N D),
memory O(E + N D).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from cogsl.datasets.base import Dataset, Split, Statistics
from cogsl.datasets.splits import IntArray, Parts, balanced_split
from cogsl.errors import SettingValueError
from cogsl.settings import setting

if TYPE_CHECKING:
    from cogsl.cost import GraphSize
    from cogsl.graph import Graph

FloatArray: TypeAlias = npt.NDArray[np.float32]
EdgeArray: TypeAlias = npt.NDArray[np.int32]
DoubleArray: TypeAlias = npt.NDArray[np.float64]

_MOST_ROUNDS = 100
_CHUNK = 2**20  # pairs, or rows of features, at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class Synthetic(Dataset):
    """A graph drawn by its settings; with the defaults it has

    - 10,000 nodes
    - 50,000 edges
    - 64 features
    - 10 classes, homophily 0.8
    - split by seed: 200/500/1,000, 20 training nodes a class

    The N nodes are dealt out at random to C classes of equal size (or one more). Node i has a
    propensity theta_i, drawn from a Pareto law and capped so that hubs are not joined twice:

        theta_i = min(P_i, c),  p(P) ~ P^-g for P >= 1,  c = E[P] max(1, sqrt(N / (C d)))

    with g the degree exponent and d the mean degree; theta_i = 1 without one. The true graph has
    E = round(N d / 2) edges, none twice and no loops. Of these, round(h E) join equal classes, h
    the homophily, the others different ones. Node i is an edge's first end with a probability
    proportional to theta_i; so is j its second end, among the nodes of i's class or among all
    others. A node's expected degree is about d theta_i / mean(theta).

    The given graph is the true one of which round(w E) edges, w the share of wrong edges, were
    drawn at random and replaced by as many others: uniformly drawn pairs of nodes of different
    classes that the true graph does not join.

    Features are x_i = s / sqrt(2) q_{y_i} + r n_i: q_1 ... q_C are orthonormal directions, n_i is
    standard normal in D dimensions, s the signal and r the noise. Any two classes' means are thus
    at distance s and each feature has the standard deviation r around them; who sees features
    alone, and has to tell two classes apart, errs at least in a share Phi(-s / (2 r)).

    Labels, propensities, true edges, wrong edges and features each have a stream of the graph
    seed: the true graph stays the same whatever share of it is made wrong.
    """

    name = "synthetic"
    title = "Synthetic"
    balanced = True
    statistics = Statistics(
        nodes=10_000,
        edges=50_000,
        features=64,
        classes=10,
        homophily=0.8,
        train=200,
        val=500,
        test=1000,
    )

    nodes: int = setting(10_000, "number of nodes", symbol="N", low=2, high=2_000_000_000)
    classes: int = setting(10, "number of classes, of equal size", symbol="C", low=2)
    mean_degree: float = setting(10.0, "mean number of neighbours of a node", symbol="d", low=0.0)
    homophily: float = setting(
        0.8, "share of the true edges that join equal classes", symbol="h", low=0.0, high=1.0
    )
    degree_exponent: float | None = setting(
        3.0,
        "exponent of the power law of degrees; 'none' gives all nodes the same propensity",
        symbol="g",
        low=2.0,
        open_low=True,
    )
    wrong_edges: float = setting(
        0.0,
        "share of the true edges that are replaced by random pairs of different classes",
        symbol="w",
        low=0.0,
        high=1.0,
    )
    features: int = setting(64, "number of features, at least one a class", symbol="D", low=2)
    signal: float = setting(
        2.0, "distance between the means of two classes' features", symbol="s", low=0.0
    )
    noise: float = setting(
        1.0, "standard deviation of a feature around its class's mean", symbol="r", low=0.0
    )
    train_per_class: int = setting(20, "training nodes of each class", low=1)
    val_nodes: int = setting(500, "validation nodes", low=1)
    test_nodes: int | None = setting(1000, "test nodes; 'all' takes all that are left", low=1)
    graph_seed: int = setting(0, "seed of the graph; the split has its own", low=0)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges, E, of the given and of the true graph."""
        return round(self.nodes * self.mean_degree / 2)

    @property
    def n_same(self) -> int:
        """Number of true edges that join equal classes."""
        return round(self.homophily * self.n_edges)

    @property
    def n_wrong(self) -> int:
        """Number of wrong edges."""
        return round(self.wrong_edges * self.n_edges)

    @property
    def class_sizes(self) -> IntArray:
        """Number of nodes of each class, C; they differ by at most 1."""
        return (self.nodes + np.arange(self.classes)) // self.classes

    def is_at_hand(self, root: str | Path | None = None) -> bool:
        """Return True: it is made, not read."""
        return True

    def size(self) -> GraphSize:
        """Return what the cost of a run depends on; nothing is drawn for it."""
        from cogsl.cost import GraphSize

        return GraphSize(
            nodes=self.nodes,
            entries=2 * self.n_edges,
            features=self.features,
            classes=self.classes,
            train=self.classes * self.train_per_class,
        )

    def validate(self) -> None:
        """Raise ``SettingValueError`` if there is no such graph, before anything is drawn."""
        super().validate()
        self._check_classes()
        self._check_density()

    def _check_classes(self) -> None:
        """Check that the classes are few enough for the features and large enough for a split."""
        if self.classes > self.features:
            raise _error("classes", f"at most 'features' ({self.features})", self.classes)
        smallest = self.nodes // self.classes
        if self.train_per_class > smallest:
            wanted = f"at most {smallest}, the nodes of the smallest class"
            raise _error("train_per_class", wanted, self.train_per_class)
        left = self.nodes - self.classes * self.train_per_class
        if self.val_nodes >= left:
            wanted = f"below {left}, the number of nodes that are not for training"
            raise _error("val_nodes", wanted, self.val_nodes)
        left -= self.val_nodes
        if self.test_nodes is not None and self.test_nodes > left:
            wanted = f"at most {left}, the number of nodes that are left, or 'all'"
            raise _error("test_nodes", wanted, self.test_nodes)

    def _check_density(self) -> None:
        """Check that at most every second pair of equal and of different classes is joined."""
        sizes = self.class_sizes.tolist()
        same = sum(size * (size - 1) // 2 for size in sizes)
        different = self.nodes * (self.nodes - 1) // 2 - same
        apart = self.n_edges - self.n_same + self.n_wrong
        for kind, joined, pairs in (("equal", self.n_same, same), ("different", apart, different)):
            if joined > pairs / 2:
                wanted = (
                    f"so small that at most half of the {pairs} pairs of {kind} classes are "
                    f"joined, not {joined}"
                )
                raise _error("mean_degree", wanted, self.mean_degree)

    def _read(self, root: str | Path | None, split_seed: int) -> tuple[Graph, Split | None]:
        return generate(self, split_seed=split_seed).graph, None

    def _draw_split(self, labels: IntArray, split_seed: int) -> Parts:
        from cogsl.seeding import Seeds

        return balanced_split(
            labels,
            per_class=self.train_per_class,
            n_val=self.val_nodes,
            n_test=self.test_nodes,
            generator=Seeds(split_seed).numpy("split"),
        )


@dataclass(frozen=True, eq=False)
class Truth:
    """A synthetic graph and what is true of it.

    graph: the given graph, wrong edges and all.
    true_edges: 2 x E, each edge of the true graph once.
    wrong_edges: 2 x W, each edge of the given graph that is not true, once.
    propensities: N, theta; expected degrees are proportional to them.
    """

    graph: Graph
    true_edges: EdgeArray
    wrong_edges: EdgeArray
    propensities: DoubleArray

    @cached_property
    def true_graph(self) -> Graph:
        """The graph with the true edges; nodes, features, labels and split are the given ones."""
        from scipy.sparse import csr_array

        ones = np.ones(self.true_edges.shape[1], dtype=np.float32)
        n = self.graph.n_nodes
        adjacency = csr_array((ones, (self.true_edges[0], self.true_edges[1])), shape=(n, n))
        return replace(self.graph, adjacency=adjacency)


def generate(settings: Synthetic, *, split_seed: int = 0) -> Truth:
    """Draw the graph of ``settings``, with its truth; ``split_seed`` decides the split alone."""
    from cogsl.graph import Graph
    from cogsl.seeding import Seeds

    settings.validate()
    seeds, n = Seeds(settings.graph_seed), settings.nodes
    order = seeds.numpy("labels").permutation(np.arange(n, dtype=np.int32))
    blocks = np.repeat(np.arange(settings.classes), settings.class_sizes)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = blocks
    theta = _propensities(settings, seeds.numpy("propensities"))
    true = _true_pairs(settings, blocks, theta[order], seeds.numpy("edges"))
    given, wrong = _replace_some(true, settings.n_wrong, blocks, seeds.numpy("wrong edges"))
    graph = Graph.from_edges(
        _edges(given, order),
        features=_features(settings, labels, seeds.numpy("features")),
        labels=labels,
        name=settings.name,
    )
    split = settings._draw_split(labels, split_seed)
    return Truth(graph.with_split(*split), _edges(true, order), _edges(wrong, order), theta)


def _propensities(settings: Synthetic, generator: np.random.Generator) -> DoubleArray:
    """Return theta, N: capped Pareto numbers from 1 upward, or ones."""
    n, exponent = settings.nodes, settings.degree_exponent
    if exponent is None or settings.mean_degree == 0:
        return np.ones(n)
    mean = (exponent - 1) / (exponent - 2)
    cap = mean * max(1.0, (n / (settings.classes * settings.mean_degree)) ** 0.5)
    theta: DoubleArray = np.minimum(1 + generator.pareto(exponent - 1, size=n), cap)
    return theta


# Below, nodes stand in the order of their classes, and a pair i < j is the number i N + j.


def _true_pairs(
    settings: Synthetic, blocks: IntArray, theta: DoubleArray, generator: np.random.Generator
) -> IntArray:
    """Return the true edges, E pairs; ``blocks`` and ``theta`` are in the order of classes."""
    n, n_same = settings.nodes, settings.n_same
    mass = np.concatenate([[0.0], np.cumsum(theta)])
    bounds = mass[np.concatenate([[0], np.cumsum(settings.class_sizes)])]  # C + 1

    def node_at(place: DoubleArray) -> IntArray:
        return np.minimum(np.searchsorted(mass[1:], place, side="right"), n - 1)

    def draw(size: int, same: bool) -> IntArray:
        first = node_at(np.sort(mass[-1] * generator.random(size)))  # sorted: the search is faster
        block = blocks[first]
        start, width = bounds[block + (not same)], np.diff(bounds)[block]
        width = width if same else mass[-1] - width
        second = node_at((start + width * generator.random(size)) % mass[-1])
        fits = (blocks[second] == block) == same  # rounding may lead across a bound
        return _pairs(first[fits], second[fits], n)

    none = np.empty(0, dtype=np.int64)
    same = _distinct(lambda size: draw(size, True), n_same, none, generator)
    apart = _distinct(lambda size: draw(size, False), settings.n_edges - n_same, none, generator)
    return np.concatenate([same, apart])


def _replace_some(
    true: IntArray, n_wrong: int, blocks: IntArray, generator: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return the given pairs, E, and the wrong ones among them."""
    kept = np.ones(len(true), dtype=bool)
    kept[generator.permutation(len(true))[:n_wrong]] = False

    def draw(size: int) -> IntArray:
        first, second = generator.integers(len(blocks), size=(2, size))
        fits = blocks[first] != blocks[second]
        return _pairs(first[fits], second[fits], len(blocks))

    wrong = _distinct(draw, n_wrong, np.sort(true), generator)
    return np.concatenate([true[kept], wrong]), wrong


def _distinct(
    draw: Callable[[int], IntArray], n: int, taken: IntArray, generator: np.random.Generator
) -> IntArray:
    """Draw until there are ``n`` different pairs, sorted, none of them ``taken``."""
    found = np.empty(0, dtype=np.int64)
    for _ in range(_MOST_ROUNDS):
        missing = n - len(found)
        if missing == 0:
            return found
        wanted = missing + missing // 8 + 32
        sizes = (min(_CHUNK, wanted - start) for start in range(0, wanted, _CHUNK))
        new = np.sort(np.concatenate([draw(size) for size in sizes]))
        new = new[np.diff(new, prepend=-1) > 0]
        new = new[~(_among(found, new) | _among(taken, new))]
        if len(new) > missing:
            new = generator.choice(new, missing, replace=False, shuffle=False)
        found = np.sort(np.concatenate([found, new]))
    raise SettingValueError(
        f"Found only {len(found)} of {n} different edges in {_MOST_ROUNDS} rounds of draws. Lower "
        "the 'mean_degree' setting of Synthetic, or raise 'degree_exponent'."
    )


def _among(known: IntArray, values: IntArray) -> npt.NDArray[np.bool_]:
    """Tell which of the values are among the known ones, which are sorted."""
    if len(known) == 0:
        return np.zeros(len(values), dtype=bool)
    places = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray(known[places] == values)


def _pairs(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Return the pairs as numbers, without those of a node and itself."""
    pairs = np.minimum(first, second) * n + np.maximum(first, second)
    return np.asarray(pairs[first != second])


def _edges(pairs: IntArray, order: EdgeArray) -> EdgeArray:
    """Return the pairs, E numbers, as an edge index, 2 x E, of the nodes in their own order."""
    return np.stack([order[ends] for ends in np.divmod(pairs, len(order))])


def _features(settings: Synthetic, labels: IntArray, generator: np.random.Generator) -> FloatArray:
    """Return X, N x D: x_i = s / sqrt(2) q_{y_i} + r n_i."""
    directions = _orthonormal(settings.classes, settings.features, generator)
    means = (settings.signal / 2**0.5 * directions).astype(np.float32)
    features = np.empty((settings.nodes, settings.features), dtype=np.float32)
    for start in range(0, settings.nodes, _CHUNK):
        rows = features[start : start + _CHUNK]
        generator.standard_normal(dtype=np.float32, out=rows)
        rows *= np.float32(settings.noise)
        rows += means[labels[start : start + _CHUNK]]
    return features


def _orthonormal(n: int, size: int, generator: np.random.Generator) -> DoubleArray:
    """Return ``n`` random directions at right angles, n x size, by Gram-Schmidt.

    Plain sums, not LAPACK's QR: the bits are the same whatever the number of threads.
    """
    rows = generator.standard_normal((n, size))
    for i, row in enumerate(rows):
        for _ in range(2):  # once more for what rounding left
            shares = (rows[:i] * row).sum(axis=1)
            row -= (shares[:, None] * rows[:i]).sum(axis=0)
        row /= (row * row).sum() ** 0.5
    return rows


def _error(name: str, wanted: str, value: object) -> SettingValueError:
    return SettingValueError(
        f"The '{name}' setting of Synthetic must be {wanted}. Got {value} instead."
    )
