"""Does one job with 20,000 nodes in a process that cannot hold an N x N tensor (Linux only).

``python limited_memory.py fit linear adjacency diffusion`` fits CoGSL with this scorer and views;
``python limited_memory.py infonce 0.5`` takes the MI loss of all nodes at that temperature.
Prints one JSON object: which N x N tensors the system refused, and the job's result.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import normalize

from cogsl.graph import Graph
from cogsl.losses import infonce
from cogsl.methods.cogsl import CoGSL

N_NODES = 20_000
MEAN_DEGREE = 6
HEADROOM = 320 * 2**20
"""Bytes that the warm process may grow by; an N x N tensor of single bytes has 381 MiB."""

SCOPES = {"adjacency": 1, "knn": 1, "subgraph": 1, "diffusion": 16}
SMALL: dict[str, Any] = {
    "estimator_hidden": 8,
    "classifier_hidden": 8,
    "mi_hidden": 8,
    "mi_batch": 200,
    "iterations": 2,
    "teleport": 0.9,  # fewer steps of the diffusion in the same memory
}


def random_graph(n: int) -> Graph:
    """Return a graph of mean degree 6 with 32 dense features and 4 classes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, size=n)
    features = rng.normal(size=(n, 32)).astype(np.float32)
    features[np.arange(n), labels] += 2.0
    edges = rng.integers(0, n, size=(2, n * MEAN_DEGREE // 2))
    nodes = np.arange(n)
    return Graph.from_edges(
        edges, features=features, labels=labels, train=nodes[:100], val=nodes[100:200]
    )


def fit(n: int, scorer: str, *views: str) -> list[float]:
    """Fit CoGSL to a random graph; return the view estimator's loss of each iteration."""
    scope = tuple(SCOPES[view] for view in views)
    method = CoGSL(views=views, scope=scope, scorer=scorer, **SMALL).fit(random_graph(n), seed=0)
    return [record["loss_view"] for record in method.history_]


def all_pairs_loss(n: int, tau: float) -> float:
    """Return the InfoNCE loss of n nodes and themselves; its gradient is computed too."""
    rows = normalize(torch.randn(n, 4, generator=torch.Generator().manual_seed(0)))
    loss = infonce(rows.requires_grad_(), rows, tau)
    torch.autograd.backward(loss)
    return float(loss.detach())


def limit_memory() -> None:
    """Let the address space of this process grow by the headroom and no more."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (now,) = (int(line.split()[1]) * 1024 for line in status if line.startswith("VmSize:"))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + HEADROOM, hard))


def is_refused(dtype: torch.dtype) -> bool:
    """Tell whether an N x N tensor cannot be had."""
    try:
        torch.empty(N_NODES, N_NODES, dtype=dtype)
    except RuntimeError as error:
        return "memory" in str(error)
    return False


def main(job: str, *words: str) -> None:
    """Warm up, limit the memory, do the job."""
    torch.set_num_threads(1)
    fit(600, "linear", *SCOPES)
    fit(600, "agreement", *SCOPES)
    all_pairs_loss(100, 0.5)
    limit_memory()
    refused = {str(dtype): is_refused(dtype) for dtype in (torch.float32, torch.bool)}
    result = fit(N_NODES, *words) if job == "fit" else all_pairs_loss(N_NODES, float(words[0]))
    sys.stdout.write(json.dumps({"refused": refused, "result": result}))


if __name__ == "__main__":
    main(*sys.argv[1:])
