"""Draws the picture of the README: Wine's graph as it was given, and as it was learned.

    python -m benchmarks.picture docs/images/wine.png

Nodes stand where the first two principal components of their features put them, coloured by class.
Of the learned graph the strongest edges are drawn, as many as were given. The settings let the
estimate outweigh the given graph, so that there is something to see: of six that were tried they
change the share of like edges most.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import typer

from cogsl import CoGSL, load_dataset
from cogsl.pruning import strongest
from cogsl.sparse.undirected import edges_of

CLASS_COLOURS = ("#0072b2", "#e69f00", "#009e73")  # told apart by colour-blind readers too
MARKERS = ("o", "s", "^")


def strongest_edges(adjacency: sp.csr_array, n_edges: int) -> npt.NDArray[np.int64]:
    """Return the heaviest undirected edges, 2 x n_edges."""
    edges = edges_of(strongest(adjacency, n_edges=n_edges))
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
    method = CoGSL(scorer="cosine", mu=(4.0,), estimator_dropout=0.2)
    learned = method.fit(graph, seed=seed).learned_graph_
    assert learned is not None
    places = PCA(2).fit_transform(graph.features)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), constrained_layout=True)
    given = strongest_edges(graph.adjacency, graph.n_edges)
    draw(axes[0], places, graph.labels, given, "The graph that was given (nearest neighbours)")
    strong = strongest_edges(learned.adjacency, graph.n_edges)
    draw(axes[1], places, graph.labels, strong, "The graph that was learned (strongest edges)")
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_suffix(".tmp.png")
    figure.savefig(temporary, dpi=130)
    temporary.replace(output)


if __name__ == "__main__":
    typer.run(main)
