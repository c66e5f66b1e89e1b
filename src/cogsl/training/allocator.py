"""Memory that is freed and wanted again at once: a training step's tensors."""

from __future__ import annotations

import torch

_BYTES = 31 << 20  # glibc learns from freed blocks of up to 32 MiB


def keep_freed_memory() -> None:
    """Let the process keep what a step frees, for the next one.

    The C library on Linux (glibc) gives large blocks back to the system when they are freed, and
    each new one then costs a page fault for every 4 KiB. It stops doing so for blocks as large as
    one that was freed before; so one is freed here. Its pages are never touched, so it costs
    nothing, and other libraries take no notice of it.
    """
    torch.empty(_BYTES, dtype=torch.uint8)
