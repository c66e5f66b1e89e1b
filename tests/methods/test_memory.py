"""No N x N tensor anywhere on the way: 20,000 nodes in a process that could not hold one."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux limits a process's address space"
)

SCRIPT = Path(__file__).with_name("limited_memory.py")


def run_limited(*words: str) -> Any:
    """Return the result of a job in a limited process, after it refused N x N tensors."""
    run = subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["refused"] == {"torch.float32": True, "torch.bool": True}
    return report["result"]


@pytest.mark.parametrize("scorer", ["linear", "agreement"])
@pytest.mark.parametrize("second", ["subgraph", "diffusion", "knn"])
def test_cogsl_fits_20000_nodes_where_no_n_by_n_tensor_fits(second: str, scorer: str) -> None:
    losses = run_limited("fit", scorer, "adjacency", second)
    assert len(losses) == 2
    assert all(map(math.isfinite, losses))


def test_mi_loss_of_all_20000_nodes_needs_no_n_by_n_tensor() -> None:
    assert 0.0 < run_limited("infonce", "0.5") < math.log(20_000)


def test_mi_loss_at_a_small_temperature_needs_no_n_by_n_tensor() -> None:
    assert run_limited("infonce", "0.02") > 0.0
