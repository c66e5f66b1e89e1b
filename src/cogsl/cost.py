"""What a run will need, told before it starts: counts in, seconds and bytes out.

Bytes are counted from what is held at a time; they were held against measured peaks
(``python -m benchmarks.scaling``). Seconds rest on the measured cost of a few kinds of work on a
reference machine, and are scaled by how fast this one is; they are rougher.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cogsl.errors import MemoryLimitError
from cogsl.machine import format_bytes

if TYPE_CHECKING:
    from cogsl.graph import Graph

_PROBE_ROWS, _PROBE_ENTRIES, _PROBE_COLUMNS = 20_000, 16, 16
_PROBE_SECONDS = 1.8e-3  # what the probe takes on one thread of the reference machine
_DENSE_PROBE_ROWS = 512
_DENSE_PROBE_SECONDS = 3.8e-3  # the same of a dense product
_PROBES = 5  # the fastest counts
_USUAL, _USUAL_DENSE = 0.34, 0.68  # of one thread of the machine that docs/results is from
_on_usual_machine = ContextVar("on_usual_machine", default=False)


@dataclass(frozen=True)
class GraphSize:
    """What the cost of a run depends on.

    ``entries`` are those of the adjacency, two an edge; ``feature_entries`` those of sparse
    features, None if they are dense.
    """

    nodes: int
    entries: int
    features: int
    classes: int
    train: int
    feature_entries: int | None = None

    @classmethod
    def of(cls, graph: Graph) -> GraphSize:
        """Return the size of a graph."""
        features = graph.features
        return cls(
            nodes=graph.n_nodes,
            entries=int(graph.adjacency.nnz),
            features=graph.n_features,
            classes=graph.n_classes,
            train=len(graph.train),
            feature_entries=None if isinstance(features, np.ndarray) else int(features.nnz),
        )

    @property
    def feature_bytes(self) -> int:
        """Bytes of the features in float32."""
        if self.feature_entries is None:
            return 4 * self.nodes * self.features
        return 8 * self.feature_entries + 4 * self.nodes

    @property
    def graph_bytes(self) -> int:
        """Bytes of the graph: adjacency, features, labels."""
        return self.feature_bytes + 8 * self.entries + 12 * self.nodes

    @property
    def making_bytes(self) -> int:
        """Bytes at the peak of making the graph from edges and features: both are copied."""
        return self.graph_bytes + self.feature_bytes + 60 * self.entries

    @property
    def multiplied(self) -> int:
        """Numbers of X that a product X w reads."""
        return self.nodes * self.features if self.feature_entries is None else self.feature_entries


@dataclass(frozen=True)
class Cost:
    """Seconds of some work, and the bytes that it holds at its peak beside the graph."""

    seconds: float
    peak_bytes: float


@dataclass(frozen=True)
class Estimate:
    """What a run needs.

    Parameters
    ----------
    views : making the basic views, or whatever is made once.
    iteration : one iteration.
    iterations : how many.
    result : making the fitted attributes at the end.
    remedy : which settings to change where the memory does not suffice.
    """

    views: Cost
    iteration: Cost
    iterations: int
    result: Cost
    remedy: str

    @property
    def seconds(self) -> float:
        """Seconds of the whole run."""
        return self.views.seconds + self.iterations * self.iteration.seconds + self.result.seconds

    @property
    def peak_bytes(self) -> float:
        """Bytes at the peak of the whole run, beside the graph."""
        return max(part.peak_bytes for part in (self.views, self.iteration, self.result))


def check_memory(needed: float, allowed: float | None, remedy: str) -> None:
    """Raise ``MemoryLimitError`` if a run needs more bytes than it may use; None is no limit."""
    if allowed is not None and needed > allowed:
        raise MemoryLimitError(
            f"The run would need about {format_bytes(needed)} of memory, and "
            f"{format_bytes(allowed)} may be used. {remedy}"
        )


def slowness() -> float:
    """Return how many times longer than the reference machine this one takes for sparse products.

    It is measured once a process for each number of threads that PyTorch has, in some milliseconds.
    """
    return _USUAL if _on_usual_machine.get() else _seconds_of(_sparse_product) / _PROBE_SECONDS


def dense_slowness() -> float:
    """Return the same for dense products, of which some methods are made."""
    if _on_usual_machine.get():
        return _USUAL_DENSE
    return _seconds_of(_dense_product) / _DENSE_PROBE_SECONDS


@contextmanager
def on_usual_machine() -> Iterator[None]:
    """Make estimates for one thread of the machine that docs/results is from, inside the scope.

    So that what follows from them does not depend on what this machine is, or does beside.
    """
    token = _on_usual_machine.set(True)
    try:
        yield
    finally:
        _on_usual_machine.reset(token)


def _seconds_of(make_probe: Callable[[], Callable[[], object]]) -> float:
    """Return what a probe takes with as many threads as there are now."""
    import torch

    return _fastest_with(make_probe, torch.get_num_threads())


@cache
def _fastest_with(make_probe: Callable[[], Callable[[], object]], threads: int) -> float:
    """Return what a probe takes; the threads, which are the process's, are the cache's key."""
    del threads
    return _fastest(make_probe())


def _sparse_product() -> Callable[[], object]:
    import torch

    from cogsl.sparse.kernels import active_kernels

    n, per_row = _PROBE_ROWS, _PROBE_ENTRIES
    crow = torch.arange(0, n * per_row + 1, per_row, dtype=torch.int32)
    col = (torch.arange(n * per_row) * 7919 % n).int()  # spread over all rows
    values, dense = torch.ones(col.numel()), torch.ones(n, _PROBE_COLUMNS)
    return functools.partial(active_kernels().product, crow, col, values, n, dense)


def _dense_product() -> Callable[[], object]:
    import torch

    square = torch.ones(_DENSE_PROBE_ROWS, _DENSE_PROBE_ROWS)
    return functools.partial(torch.mm, square, square)


def _fastest(probe: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some calls."""
    times = []
    for _ in range(_PROBES):
        start = time.perf_counter()
        probe()
        times.append(time.perf_counter() - start)
    return min(times)
