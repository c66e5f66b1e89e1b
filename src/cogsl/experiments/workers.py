"""Which process does a piece of work, and whether it is still there."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import Any

_PROC = Path("/proc")


def this_worker() -> dict[str, Any]:
    """Return what tells this process from others, on this machine and elsewhere."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "born": _born(os.getpid())}


def has_died(worker: Mapping[str, Any]) -> bool:
    """Tell whether a worker's process is known to be gone.

    Of other machines nothing is known, nor where a process cannot be asked after (Windows).
    """
    if worker.get("host") != socket.gethostname() or os.name != "posix":
        return False
    pid = int(worker["pid"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # somebody else's process, so at least there is one
    return bool(_born(pid) != worker["born"])  # the number may have been given anew


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, even if that was killed.

    A pool's worker calls it once. The pipe from its parent is watched, which closes by itself, so
    there is nothing to ask for now and then, and it works on every system.
    """
    Thread(target=_wait_and_end, name="end with parent", daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _born(pid: int) -> int | None:
    """Return when a process was started, in ticks since the system was; None if unknown."""
    with contextlib.suppress(OSError):
        # The name, in brackets, may hold anything; the start is the 20th field after it.
        return int((_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19])
    return None
