"""Clocks, memory and the machine: what both benchmarks of speed share."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from cogsl.cli.printing import print_line
from cogsl.evaluation import memory, provenance

GIB = 1 << 30
_LEAST, _MOST = 3, 1000  # repetitions
_BUSY = 0.5  # a load average above this spoils every figure


def compare(*works: Callable[[], object], seconds: float) -> list[float]:
    """Return the median time of each piece of work in milliseconds.

    They take turns, so that a machine that slows down slows all of them; the first turn warms up
    and does not count.
    """
    samples: list[list[float]] = [[] for _ in works]
    end, turn = time.perf_counter() + seconds, 0
    while turn <= _LEAST or (turn <= _MOST and time.perf_counter() < end):
        for work, sample in zip(works, samples, strict=True):
            start = time.perf_counter()
            work()
            sample.append(time.perf_counter() - start)
        turn += 1
    return [1000.0 * statistics.median(sample[1:]) for sample in samples]


@dataclass
class Cost:
    """Time, the peak of the process's resident memory, and how much of it came on top."""

    seconds: float = 0.0
    peak: int | None = None
    growth: int | None = None


@contextmanager
def costs() -> Iterator[Cost]:
    """Measure what happens inside the scope; memory that was resident before is no growth."""
    _give_memory_back()
    cost = Cost()
    memory.reset_peak()
    before = memory.peak_bytes()
    start = time.perf_counter()
    yield cost
    cost.seconds = time.perf_counter() - start
    cost.peak = memory.peak_bytes()
    if cost.peak is not None and before is not None:
        cost.growth = cost.peak - before


def _give_memory_back() -> None:
    """Free what earlier work has left, where the C library can; else it would count as resident."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc only


def load_optimisers() -> float:
    """Return the seconds that PyTorch takes to load its compiler when an optimiser is first made.

    That happens once a process, whoever is first; loaded beforehand, it is part of no figure.
    """
    start = time.perf_counter()
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
    return time.perf_counter() - start


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": load,
        "versions": provenance.versions(),
        "commit": provenance.commit(),
    }


def print_machine(found: dict[str, Any]) -> None:
    """Print the machine, and a warning if it is not alone with us."""
    print_line(
        f"{found['cores']} cores, {found['threads']} threads, torch {found['versions']['torch']}, "
        f"commit {found['commit']}"
    )
    if found["load"] is not None and found["load"] > _BUSY:
        print_line(
            f"Load average {found['load']:.1f}: the machine is busy, and times are not what they "
            "are alone on it."
        )
