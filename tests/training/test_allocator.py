from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Three tensors of 12 MiB live at once in each step, so their memory is worth giving back.
STEPS = """
import resource, torch
from cogsl.training.allocator import keep_freed_memory
if {keeps}:
    keep_freed_memory()
def step():
    return sum(int(tensor[0]) for tensor in [torch.ones(3 << 20) for _ in range(3)])
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(*, keeps: bool) -> int:
    command = [sys.executable, "-c", STEPS.format(keeps=keeps)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back so")
def test_steps_find_the_memory_of_the_step_before() -> None:
    assert page_faults(keeps=True) < page_faults(keeps=False) / 10
