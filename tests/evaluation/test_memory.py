"""The peak of the process's memory."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cogsl.evaluation import memory


def test_the_peak_counts_what_was_held_since_the_reset() -> None:
    memory.reset_peak()
    before = memory.peak_bytes()
    assert before is not None
    block = np.ones(2**23)  # 64 MiB, touched
    del block
    after = memory.peak_bytes()
    assert after is not None
    assert after - before > 2**25


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="no reset here: the peak is the process's",
)
def test_a_reset_forgets_the_old_peak() -> None:
    block = np.ones(2**24)  # 128 MiB, touched
    del block
    high = memory.peak_bytes()
    memory.reset_peak()
    low = memory.peak_bytes()
    assert high is not None
    assert low is not None
    assert low < high - 2**25


def test_without_proc_the_peak_is_that_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = np.ones(2**23)
    monkeypatch.setattr(memory, "_PROC", tmp_path / "missing")
    memory.reset_peak()
    peak = memory.peak_bytes()
    assert peak is not None
    assert peak > block.nbytes
