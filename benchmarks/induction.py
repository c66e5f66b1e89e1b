"""New nodes beside nodes that were there: ``python -m benchmarks.induction --dataset citeseer``.

A tenth of the nodes, drawn from those without a part in training, is taken out of the graph
altogether. CoGSL is fitted on the rest, and the missing nodes are then predicted without training:
joined by their edges, or by their features alone. Beside it stands a fit with these nodes present,
their labels hidden. Same splits, same seeds, same nodes, the default preset.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, format_figure, run_grid

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cogsl.graph import Graph

SHARE = 0.1
PRESENT, BY_EDGES, BY_FEATURES = VARIANTS = (
    "present in training",
    "new, joined by their edges",
    "new, joined by features alone",
)


@dataclass(frozen=True)
class Run:
    """Both fits of a seed, which is also the split's where none is official."""

    dataset: str
    seed: int


def run_one(run: Run) -> dict[str, Any]:
    """Fit with and without the nodes, and return the accuracy on them."""
    import numpy as np
    import scipy.sparse as sp
    import torch

    from cogsl import datasets
    from cogsl.evaluation.protocol import hide_test_labels
    from cogsl.evaluation.provenance import commit
    from cogsl.extension import extend
    from cogsl.methods.cogsl import CoGSL

    torch.set_num_threads(1)
    graph = datasets.load(run.dataset, split_seed=run.seed)
    out = held_out(graph, run.seed)
    kept = np.setdiff1d(np.arange(graph.n_nodes), out)
    order = np.concatenate([kept, out])
    visible = hide_test_labels(graph)
    rest = without(visible, kept)
    entries = sp.coo_array(graph.adjacency[order][:, order])
    of_new = np.maximum(*entries.coords) >= len(kept)
    ends: Any = tuple(end[of_new] for end in entries.coords)
    links = sp.coo_array((entries.data[of_new], ends), shape=entries.shape)
    present = CoGSL().fit(visible, seed=run.seed).predict()[out]
    method = CoGSL().fit(rest, seed=run.seed)
    found = {PRESENT: present}
    for variant, edges in ((BY_EDGES, links), (BY_FEATURES, None)):
        extended = extend(rest, graph.features[out], edges)
        found[variant] = method.predict_proba_on(extended)[len(kept) :].argmax(axis=1)
    accuracy = {v: float(np.mean(p == graph.labels[out])) for v, p in found.items()}
    return asdict(run) | {"nodes": len(out), "commit": commit()} | accuracy


def held_out(graph: Graph, seed: int) -> npt.NDArray[np.int64]:
    """Return a tenth of all nodes, labelled and neither for training nor for validation."""
    import numpy as np

    from cogsl.seeding import Seeds

    used = np.concatenate([graph.train, graph.val])
    free = np.setdiff1d(np.flatnonzero(graph.labels >= 0), used)
    size = min(round(SHARE * graph.n_nodes), len(free))
    return np.sort(Seeds(seed).numpy("held out").choice(free, size, replace=False))


def without(graph: Graph, kept: npt.NDArray[np.int64]) -> Graph:
    """Return the graph of some ascending nodes."""
    import numpy as np

    from cogsl.graph import Graph

    train, val = (np.searchsorted(kept, part) for part in (graph.train, graph.val))
    return Graph.from_scipy(
        graph.adjacency[kept][:, kept],
        features=graph.features[kept],
        labels=graph.labels[kept],
        train=train,
        val=val,
        name=graph.name,
    )


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return the accuracy of each variant, and its difference to the first."""
    from cogsl.evaluation.statistics import mean_and_deviation

    title = f"{dataset}: accuracy on {records[0]['nodes']} held-out nodes, {len(records)} seeds"
    table = Table(title=title)
    for head in ("", "accuracy", "over the first"):
        table.add_column(head)
    figures = {v: [100 * r[v] for r in records] for v in VARIANTS}
    for variant, values in figures.items():
        mean, deviation = mean_and_deviation(values)
        difference = format_difference(values, figures[PRESENT]) if variant != PRESENT else ""
        table.add_row(variant, format_figure(mean, deviation), difference)
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    seeds: Annotated[int, typer.Option(help="runs")] = 3,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
) -> None:
    """Fit with and without a tenth of the nodes, and print a table a data set."""
    tasks = {name: [Run(name, seed) for seed in range(seeds)] for name in dataset}
    run_grid(run_one, tasks, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
