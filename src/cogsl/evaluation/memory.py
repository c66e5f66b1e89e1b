"""The peak of this process's resident memory."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

_PROC = Path("/proc/self")


def reset_peak() -> None:
    """Start a new peak where the system can (Linux); elsewhere the peak is the process's own."""
    with contextlib.suppress(OSError):
        (_PROC / "clear_refs").write_text("5")


def peak_bytes() -> int | None:
    """Return the peak since the last ``reset_peak`` in bytes, or None where it cannot be known."""
    return _status("VmHWM") or _peak_of_rusage()


def resident_bytes() -> int | None:
    """Return what the process holds now in bytes, or None where it cannot be known."""
    return _status("VmRSS") or _peak_of_rusage()


def _status(name: str) -> int | None:
    """Return a size from /proc/self/status in bytes, where there is one."""
    with contextlib.suppress(OSError):
        for line in (_PROC / "status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None


def _peak_of_rusage() -> int | None:
    """Return the peak since the process began, where there is no /proc."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
