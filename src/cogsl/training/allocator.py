"""Memory that is freed and wanted again at once: a training step's tensors."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4  # of <malloc.h>
_NEVER = 2**31 - 1
_USUAL_BLOCKS = 65536
_LARGEST_THRESHOLD = 32 << 20


@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Let the process keep what a step frees, for the next one, inside the scope.

    The C library on Linux (glibc) gives large blocks back to the system when they are freed, and
    each new one then costs a page fault for every 4 KiB: an operation on fresh memory takes several
    times as long as the work itself. Inside the scope nothing is given back; after it, everything.
    Other C libraries are left alone.
    """
    libc = _glibc()
    if libc is None:
        yield
        return
    libc.mallopt(_MMAP_MAX, 0)
    libc.mallopt(_TRIM_THRESHOLD, _NEVER)
    try:
        yield
    finally:
        # What glibc comes to by itself once large blocks were freed.
        libc.mallopt(_MMAP_MAX, _USUAL_BLOCKS)
        libc.mallopt(_MMAP_THRESHOLD, _LARGEST_THRESHOLD)
        libc.mallopt(_TRIM_THRESHOLD, 2 * _LARGEST_THRESHOLD)
        libc.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    """Return the C library if it is glibc."""
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
