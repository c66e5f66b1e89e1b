"""Prints the peak of a fit of Pro-GNN beside what was there before, and its estimate, as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch

from cogsl import datasets
from cogsl.cost import GraphSize
from cogsl.evaluation import memory
from cogsl.methods.prognn import ProGNN


def main(nodes: int, settings: dict[str, Any]) -> None:
    torch.set_num_threads(1)
    method = ProGNN(epochs=2, **settings)
    split = {"val_nodes": 50, "test_nodes": 50}
    small, large = (datasets.load("synthetic", settings={"nodes": n} | split) for n in (600, nodes))
    method.fit(small, seed=0)  # so that libraries are loaded
    before = memory.resident_bytes()
    memory.reset_peak()
    method.fit(large, seed=0)
    peak = memory.peak_bytes()
    assert before is not None
    assert peak is not None
    estimated = method.estimate(GraphSize.of(large)).peak_bytes
    json.dump({"peak_bytes": peak - before, "estimated_bytes": estimated}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]))
