"""Draws the picture of the README: Wine's graph as it was given, and as it was learned.

    python -m benchmarks.picture docs/images/wine.png

Nodes stand where the first two principal components of their features put them, coloured by class.
The defaults learn the graph, and of its edges those are drawn that ``cogsl fit`` keeps: as many as
were given.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import typer

from cogsl import CoGSL, load_dataset
from cogsl.experiments.learned_edges import LearnedEdges
from cogsl.sparse.undirected import edges_of

CLASS_COLOURS = ("#0072b2", "#e69f00", "#009e73")  # told apart by colour-blind readers too
MARKERS = ("o", "s", "^")


def ends_of(adjacency: sp.csr_array) -> npt.NDArray[np.int64]:
    """Return both ends of each undirected edge, 2 x E."""
    edges = edges_of(adjacency)
    return np.stack([edges.low, edges.high]).astype(np.int64)


def draw(
    axes: Any,
    places: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    edges: npt.NDArray[np.int64],
    title: str,
) -> None:
    """Draw one graph; edges that join unlike nodes are dark."""
    from matplotlib.collections import LineCollection

    same = labels[edges[0]] == labels[edges[1]]
    for mask, colour, width in ((same, "#c8c8c8", 0.4), (~same, "#c0392b", 0.6)):
        lines = np.stack([places[edges[0, mask]], places[edges[1, mask]]], axis=1)
        axes.add_collection(LineCollection(list(lines), colors=colour, linewidths=width, zorder=1))
    for group, (colour, marker) in enumerate(zip(CLASS_COLOURS, MARKERS, strict=True)):
        x, y = places[labels == group].T
        axes.scatter(x, y, s=22, c=colour, marker=marker, edgecolors="white", lw=0.5, zorder=2)
    share = 100 * same.mean()
    axes.set_title(f"{title}\n{share:.1f} % of {edges.shape[1]} edges join like nodes", fontsize=11)
    axes.set_axis_off()
    axes.autoscale_view()


def main(
    output: Annotated[Path, typer.Argument(help="the PNG to write")],
    seed: Annotated[int, typer.Option(help="seed of the run")] = 0,
) -> None:
    """Learn the graph and draw it beside the given one."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from sklearn.decomposition import PCA

    graph = load_dataset("wine")
    edges = LearnedEdges.of(CoGSL().fit(graph, seed=seed), graph)
    learned = edges.choose(graph.n_nodes, n_edges=graph.n_edges)
    places = PCA(2).fit_transform(graph.features)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), constrained_layout=True)
    graphs = {
        "The graph that was given (nearest neighbours)": graph.adjacency,
        "The graph that was learned (strongest edges)": learned,
    }
    for ax, (title, adjacency) in zip(axes, graphs.items(), strict=True):
        draw(ax, places, graph.labels, ends_of(adjacency), title)
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_suffix(".tmp.png")
    figure.savefig(temporary, dpi=130)
    temporary.replace(output)


if __name__ == "__main__":
    typer.run(main)
