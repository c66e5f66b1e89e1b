"""What this machine can give at the moment: idle processors and free memory."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import time
from collections.abc import Iterator
from pathlib import Path

from cogsl.errors import InputError

_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")
_LOOK_SECONDS = 0.1
_MAKERS = ("GenuineIntel", "AuthenticAMD")
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def usable_processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def idle_threads() -> int:
    """Return how many threads find a processor that no other process needs, at least 1.

    Threads of one computation wait for one another, so a single one that has to share its
    processor holds all of them up: one less is faster then. The processors are watched for a
    tenth of a second where the system lets us (Linux); elsewhere the load of the last minute
    counts.
    """
    processors = usable_processors()
    busy = _busy_now()
    if busy is None:
        busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, processors - round(busy))


@contextlib.contextmanager
def one_thread() -> Iterator[int]:
    """Let PyTorch have one thread inside the scope; yield how many it has outside."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)


def _busy_now() -> float | None:
    """Return how many processors were busy while we looked, or None where it cannot be seen."""
    before = _processor_times()
    if before is None:
        return None
    time.sleep(_LOOK_SECONDS)
    after = _processor_times()
    assert after is not None
    passed = after[1] - before[1]
    share = (after[0] - before[0]) / passed if passed else 0.0
    return share * (os.cpu_count() or 1)


def _processor_times() -> tuple[int, int] | None:
    """Return the ticks that all processors spent at work, and in all, since the start."""
    try:
        line = (_PROC / "stat").read_text().split("\n", 1)[0]
    except OSError:
        return None
    user, nice, system, idle, iowait, *rest = map(int, line.split()[1:9])
    work = user + nice + system + sum(rest)
    return work, work + idle + iowait


def free_memory() -> int | None:
    """Return the bytes that can be had without swapping, or None where it cannot be known.

    The limit of a container counts where it is lower.
    """
    with contextlib.suppress(OSError, ValueError):
        text = (_PROC / "meminfo").read_text()
        available = int(text.split("MemAvailable:")[1].split()[0]) * 1024
        return min(available, _container_memory())
    return None


def _container_memory() -> int:
    """Return what the control group leaves of its limit; a great number without a limit."""
    with contextlib.suppress(OSError, ValueError):
        limit = int((_CGROUP / "memory.max").read_text())  # "max" is no number: no limit
        return limit - int((_CGROUP / "memory.current").read_text())
    return 1 << 62


def processor_maker() -> str:
    """Return the maker as the processor names it, e.g. ``AuthenticAMD``; "" where it is unknown."""
    with contextlib.suppress(OSError):
        text = (_PROC / "cpuinfo").read_text()
        found = re.search(r"^vendor_id\s*:\s*(\S+)", text, re.MULTILINE)
        return found.group(1) if found else ""
    name = platform.processor()  # on Windows "AMD64 Family 25 Model 33, AuthenticAMD"
    return next((maker for maker in _MAKERS if maker in name), "")


def parse_bytes(text: str) -> int:
    """Return a size such as ``8GiB``, ``500 MB`` or ``2e9`` in bytes; units are powers of 1024."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    try:
        number = float(match.group(1)) if match else 0.0
    except ValueError:
        number = 0.0
    if not match or number <= 0:
        raise InputError(f"A size must be written like 8GiB or 500MiB. Got '{text}' instead.")
    return int(number * 2 ** _UNITS[match.group(2)])


def format_bytes(size: float) -> str:
    """Return a size as ``640 MiB`` or ``2.4 GiB``."""
    if size < 1000 * 2**20:
        return f"{size / 2**20:.0f} MiB"
    return f"{size / 2**30:.1f} GiB"
