"""Noise on the features."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cogsl.attacks.base import Attack
from cogsl.graph import Features, Graph


@dataclass(frozen=True, kw_only=True)
class FeatureNoise(Attack):
    """Adds Gaussian noise: X + ratio r M, M_ij from N(0, 1), r the mean of each node's largest x.

    The noise of a seed is the same at every ratio, up to its factor, and always added to the clean
    features. What comes out is dense.
    """

    def _attack(self, graph: Graph, generator: np.random.Generator) -> Graph:
        if self.ratio == 0:
            return graph
        noise = generator.standard_normal((graph.n_nodes, graph.n_features), dtype=np.float32)
        noise *= np.float32(self.ratio * amplitude(graph.features))
        return replace(graph, features=_added(graph.features, noise))


def amplitude(features: Features) -> float:
    """Return r, the mean over nodes of the largest feature."""
    largest = features.max(axis=1)  # zeros of a sparse row count, too
    return float(largest.sum() / features.shape[0])


def _added(features: Features, noise: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Add the features to the noise, in its place."""
    if isinstance(features, np.ndarray):
        noise += features
        return noise
    rows = np.repeat(np.arange(features.shape[0]), np.diff(features.indptr))
    noise[rows, features.indices] += features.data
    return noise
