from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Each tensor is larger than all before it, so the C library has not learned to keep its memory.
STEPS = """
import resource, torch
from cogsl.training.allocator import keep_freed_memory
if {keeps}:
    keep_freed_memory()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for mebibytes in range(4, 31):
    torch.ones(mebibytes << 18)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(*, keeps: bool) -> int:
    command = [sys.executable, "-c", STEPS.format(keeps=keeps)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back so")
def test_steps_find_the_memory_of_the_step_before() -> None:
    assert page_faults(keeps=True) < page_faults(keeps=False) / 4
