"""One run of CoGSL, measured: phase by phase, and kernel by kernel."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from torch import Tensor
from torch.profiler import ProfilerActivity, profile, record_function

from benchmarks.timing import Cost, costs
from cogsl.graph import Graph
from cogsl.methods.cogsl import CoGSL
from cogsl.sparse import use_kernels
from cogsl.sparse.kernels import KERNELS, Kernels, active_kernels
from cogsl.training import SilentListener

_PHASE = "seconds_"  # what the history's times begin with
_WARM_UP = 1  # iterations before the profile begins
_OURS = "kernel: "
_OWNERS = (_OURS, "_", "Optimizer.step")  # "_": our autograd functions, e.g. _Contrast


class _Stopwatch(SilentListener):
    """Notes when the first phase (the basic views) and the first iteration begin, and each ends."""

    def __init__(self) -> None:
        self.phases: list[float] = []
        self.ends: list[float] = []

    def on_phase(self, phase: str) -> None:
        """Note the time."""
        if len(self.phases) < 2:
            self.phases.append(time.perf_counter())

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        """Note the time."""
        self.ends.append(time.perf_counter())


@dataclass(frozen=True)
class Run:
    """What a run cost; ``phases`` are seconds of an iteration in the mean."""

    cost: Cost
    n_iterations: int
    building: float  # seconds for basic views and patterns
    iteration: float  # seconds of an iteration in the mean
    phases: dict[str, float]
    gradient_steps: int


def measure_run(settings: Mapping[str, Any], graph: Graph, *, seed: int = 0) -> Run:
    """Fit once and return where time and memory went."""
    method, watch = CoGSL(**settings), _Stopwatch()
    with costs() as cost:
        method.fit(graph, seed=seed, listener=watch)
    start, begin = watch.phases
    n_iterations, history = method.n_iter_, method.history_
    phases = {
        name.removeprefix(_PHASE): sum(record[name] for record in history) / n_iterations
        for name in history[0]
        if name.startswith(_PHASE)
    }
    iteration = (watch.ends[-1] - begin) / n_iterations
    phases["rest"] = iteration - sum(phases.values())
    steps = method.view_steps + method.classifier_steps + method.mi_steps
    return Run(cost, n_iterations, begin - start, iteration, phases, steps * n_iterations)


@dataclass(frozen=True)
class Operator:
    """An operator's time and calls, an iteration, and its share of all operators' time."""

    name: str
    ms: float
    calls: float
    share: float


class _LabelledKernels:
    """The kernels in use, each call under a name of its own in the profile."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels

    def product(
        self, crow: Tensor, col: Tensor, values: Tensor, n_cols: int, dense: Tensor
    ) -> Tensor:
        """Return the sparse matrix times ``dense``."""
        with record_function(f"{_OURS}sparse product"):
            return self._kernels.product(crow, col, values, n_cols, dense)

    def sampled(self, crow: Tensor, col: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Return left_i . right_j at each stored (i, j)."""
        with record_function(f"{_OURS}sampled product"):
            return self._kernels.sampled(crow, col, left, right)


class _Profiling(SilentListener):
    """Profiles the iterations after the first few."""

    def __init__(self, n_iterations: int) -> None:
        self.profiler = profile(activities=[ProfilerActivity.CPU])
        self._last = _WARM_UP + n_iterations
        self._n_done = 0

    def on_iteration(self, record: Mapping[str, Any]) -> None:
        """Start after the warm-up, stop after the last iteration."""
        self._n_done += 1
        if self._n_done == _WARM_UP:
            self.profiler.start()
        elif self._n_done == self._last:
            self.profiler.stop()


def profile_run(
    settings: Mapping[str, Any], graph: Graph, *, n_iterations: int = 3, top: int = 12
) -> list[Operator]:
    """Return the operators that take the most time, over a few iterations.

    What happens inside one of our functions or in an optimiser's step counts as theirs.
    """
    short = {**settings, "iterations": _WARM_UP + n_iterations, "patience": None}
    listener = _Profiling(n_iterations)
    labelled = {"labelled": _LabelledKernels(active_kernels())}
    with patch.dict(KERNELS, labelled), use_kernels("labelled"):
        CoGSL(**short).fit(graph, seed=0, listener=listener)
    ms, calls = Counter[str](), Counter[str]()
    for event in listener.profiler.events() or ():  # type: ignore[no-untyped-call]
        owner = _owner(event)
        ms[owner] += event.self_cpu_time_total / 1000.0 / n_iterations
        calls[owner] += event.name == owner
    total = sum(ms.values())
    return [
        Operator(name, time_of, calls[name] / n_iterations, time_of / total)
        for name, time_of in ms.most_common(top)
    ]


def _owner(event: Any) -> str:
    """Return the name of the innermost function of ours around an event, or its own name."""
    node = event
    while node is not None:
        if node.name.startswith(_OWNERS):
            return str(node.name)
        node = node.cpu_parent
    return str(event.name)
