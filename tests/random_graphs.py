"""Small random problems that are awkward on purpose: plain arrays, one seed each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RandomProblem:
    """A node classification problem with 8 to 30 nodes.

    Every number is exact in float32, so that casting loses nothing.

    adjacency: N x N, symmetric, zero diagonal, float64; at least two nodes are isolated.
    knn: N x N, ones; ``n_neighbours`` entries a row, self included; never symmetric.
    features: N x D, non-negative, about half zeros; one row is all zeros.
    labels: N, 0 .. n_classes - 1, every class has a training node.
    train, val, test: sorted, disjoint, non-empty, together all nodes.
    """

    adjacency: csr_array
    knn: csr_array
    features: FloatArray
    labels: IntArray
    train: IntArray
    val: IntArray
    test: IntArray
    n_neighbours: int

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def n_classes(self) -> int:
        return int(self.labels.max()) + 1


def random_problem(
    seed: int, *, n_nodes: int | None = None, weighted: bool = True
) -> RandomProblem:
    """Draw a problem; the same arguments give the same problem.

    Random weights leave no two diffusion scores of a row tied, other than zeros. With
    ``weighted=False`` edges weigh 1 and leaves of the same node tie.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 31)) if n_nodes is None else n_nodes
    n_classes = int(rng.integers(2, 5))
    n_neighbours = int(rng.integers(3, 6))
    awkward = rng.permutation(n)[:3]
    features, knn = _features_with_asymmetric_knn(rng, n, n_neighbours, zero_row=int(awkward[0]))
    labels, train, val, test = _labels_and_split(rng, n, n_classes)
    return RandomProblem(
        adjacency=_adjacency(rng, n, isolated=awkward[1:], weighted=weighted),
        knn=knn,
        features=features,
        labels=labels,
        train=train,
        val=val,
        test=test,
        n_neighbours=n_neighbours,
    )


def cosine_knn(features: FloatArray, n_neighbours: int) -> csr_array:
    """Return the cosine KNN pattern, row by row with a sort: self, then the most similar."""
    n = len(features)
    norms = [float(np.sqrt((row * row).sum())) or 1.0 for row in features]
    dense = np.eye(n)
    for i in range(n):
        similarity = [
            float((features[i] * features[j]).sum()) / (norms[i] * norms[j]) for j in range(n)
        ]
        others = sorted((j for j in range(n) if j != i), key=lambda j: (-similarity[j], j))
        dense[i, others[: n_neighbours - 1]] = 1.0
    return csr_array(dense)


def _exact_in_float32(values: FloatArray) -> FloatArray:
    return values.astype(np.float32).astype(np.float64)


def _adjacency(
    rng: np.random.Generator, n: int, *, isolated: IntArray, weighted: bool
) -> csr_array:
    joined = np.setdiff1d(np.arange(n), isolated)
    upper = np.triu(rng.random((n, n)) < 3.0 / n, k=1)
    upper[joined[0], joined[1]] = True  # a graph without an edge tests nothing
    upper[isolated, :] = False
    upper[:, isolated] = False
    weights = _exact_in_float32(rng.uniform(0.5, 2.0, (n, n))) if weighted else np.ones((n, n))
    half = np.where(upper, weights, 0.0)
    return csr_array(half + half.T)


def _features_with_asymmetric_knn(
    rng: np.random.Generator, n: int, n_neighbours: int, *, zero_row: int
) -> tuple[FloatArray, csr_array]:
    n_features = int(rng.integers(6, 13))
    while True:
        features = np.zeros((n, n_features))
        for i in range(n):
            # Rows with a single entry would be parallel, and their similarities tied.
            count = int(rng.integers(2, n_features // 2 + 2))
            chosen = rng.permutation(n_features)[:count]
            features[i, chosen] = _exact_in_float32(rng.uniform(0.1, 1.0, count))
        features[zero_row] = 0.0
        knn = cosine_knn(features, n_neighbours)
        dense = knn.toarray()
        if not np.array_equal(dense, dense.T):
            return features, knn


def _labels_and_split(
    rng: np.random.Generator, n: int, n_classes: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    order = rng.permutation(n)
    n_train = n_classes + int(rng.integers(0, 2))
    n_val = max(1, (n - n_train) // 3)
    labels = rng.integers(0, n_classes, n)
    labels[order[:n_classes]] = np.arange(n_classes)
    parts = np.split(order, [n_train, n_train + n_val])
    train, val, test = (np.sort(part).astype(np.int64) for part in parts)
    return labels.astype(np.int64), train, val, test
