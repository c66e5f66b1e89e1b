from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# Each tensor is larger than all before it, so the C library has not learned to keep its memory;
# and none of the last ones would ever be kept by default.
STEPS = """
import contextlib, resource, torch
from cogsl.training.allocator import freed_memory_kept

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20

scope = freed_memory_kept() if {keeps} else contextlib.nullcontext()
start = resident()
with scope:
    torch.ones({largest} << 18)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for mebibytes in range(4, {largest}, 4):
        torch.ones(mebibytes << 18)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(resident() - start)
"""

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back so"
)


def page_faults_and_mebibytes(*, keeps: bool, largest: int = 128) -> tuple[int, int]:
    """Return the page faults of some steps, and what the process holds after them."""
    command = [sys.executable, "-c", STEPS.format(keeps=keeps, largest=largest)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    faults, mebibytes = map(int, output.split())
    return faults, mebibytes


def test_steps_find_the_memory_of_the_step_before() -> None:
    kept, _ = page_faults_and_mebibytes(keeps=True)
    usual, _ = page_faults_and_mebibytes(keeps=False)
    assert kept < usual / 10  # a small block in between may cost one large one new pages


def test_after_the_scope_the_memory_is_given_back() -> None:
    _, mebibytes = page_faults_and_mebibytes(keeps=True)
    assert mebibytes < 64
