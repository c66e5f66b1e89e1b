"""Whether ``cogsl compare`` says what is true: ``python -m benchmarks.comparison``.

Seven graphs: of the first four, which are drawn, it is known what to expect. The fourth is the kind
of graph on which CoGSL was ahead on validation nodes of others (``benchmarks.search``). Every
method has its default settings; nothing is tuned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import print_table, write_records

if TYPE_CHECKING:
    from cogsl.experiments.comparison_summary import Summary
    from cogsl.graph import Graph


@dataclass(frozen=True)
class Case:
    """A graph, and what is true of it.

    Parameters
    ----------
    title : of the graph.
    known : "yes" or "no" where it is known, else "".
    graph : makes the graph of so many nodes, where that can be chosen.
    splits : how many.
    """

    title: str
    known: str
    graph: Callable[[int], Graph]
    splits: int = 10


def drawn(**settings: Any) -> Callable[[int], Graph]:
    """Return what draws a synthetic graph of so many nodes."""

    def make(nodes: int) -> Graph:
        from cogsl.datasets.synthetic import Synthetic, generate

        return generate(Synthetic(nodes=nodes, **settings)).graph

    return make


def features_only(nodes: int) -> Graph:
    """Return the graph of similar features of a synthetic one, whose own edges are forgotten."""
    from cogsl.graph import Graph

    own = drawn()(nodes)
    near = Graph.from_features(own.features)
    return own.with_edges(near.adjacency)


def named(dataset: str) -> Callable[[int], Graph]:
    """Return what reads a data set."""

    def load(nodes: int) -> Graph:
        from cogsl import datasets

        return datasets.load(dataset)

    return load


CASES = {
    "perfect": Case("perfect graph", "no", drawn(homophily=1.0)),
    "random": Case("random graph, carries nothing", "no", drawn(homophily=0.1)),
    "noisy": Case("30 % of the edges wrong", "yes", drawn(wrong_edges=0.3)),
    "sparse": Case(
        "30 % wrong, 4 neighbours a node", "yes", drawn(wrong_edges=0.3, mean_degree=4.0)
    ),
    "features": Case("no graph, features only", "", features_only),
    "citeseer": Case("Citeseer", "", named("citeseer")),
    "blogcatalog": Case("BlogCatalog", "", named("blogcatalog"), splits=5),
}
"""A random graph of ten classes has a homophily of a tenth."""


def run_case(name: str, nodes: int, output: Path) -> Summary:
    """Compare the four methods on a case."""
    import torch

    from cogsl.cli.progress import show_progress
    from cogsl.experiments.comparison import Comparison, make_plan, open_store
    from cogsl.experiments.comparison_summary import summarise
    from cogsl.io import NamedGraph

    torch.set_num_threads(1)
    case = CASES[name]
    graph = NamedGraph.numbered(case.graph(nodes))
    comparison = Comparison.of(graph, make_plan(n_splits=case.splits), case.title)
    store = open_store(output / name)
    with show_progress(len(comparison.missing(store)), several_methods=True) as observer:
        return summarise(comparison, comparison.run(store, observer), least=0.01)


def record_of(name: str, summary: Summary) -> dict[str, Any]:
    """Return a compact record."""
    whole = summary.as_json()
    left_out = ("versions", "plan", "rows")
    rows = {
        row["method"]: {
            key: row[key] for key in ("accuracy", "deviation", "macro_f1", "seconds", "lead", "p")
        }
        for row in whole["rows"]
    }
    kept = {key: value for key, value in whole.items() if key not in left_out}
    return {"case": name, "known": CASES[name].known} | kept | {"methods": rows}


def format_table(records: Sequence[dict[str, Any]]) -> Table:
    """Return a row a case: accuracies, the gain, the known answer and what was said."""
    table = Table(title="Does structure learning help?")
    for head in ("", "splits", "MLP", "KNN-GCN", "GCN", "CoGSL", "gain", "known", "said"):
        table.add_column(head)
    for record in records:
        methods, gain = record["methods"], record["gain"]
        n_splits = len(record["accuracy"]["cogsl"])
        mean, low, high = (f"{100 * gain[key]:+.1f}" for key in ("mean", "low", "high"))
        figures = (
            f"{100 * m['accuracy']:.1f}±{100 * m['deviation']:.1f}" for m in methods.values()
        )
        answers = (record["known"] or "open", record["answer"])
        table.add_row(
            record["graph"], str(n_splits), *figures, f"{mean} \\[{low}, {high}]", *answers
        )
    return table


def main(
    case: Annotated[list[str] | None, typer.Option(help="all if none")] = None,
    nodes: Annotated[int, typer.Option(help="of each graph that is drawn")] = 3000,
    output: Annotated[Path, typer.Option(help="folder of the runs")] = Path("runs/comparison"),
    summary: Annotated[Path | None, typer.Option(help="file of compact records")] = None,
) -> None:
    """Compare on each case, print one table and the sentences."""
    from cogsl.cli.printing import clean_exit
    from cogsl.errors import UnknownNameError, did_you_mean

    records = []
    with clean_exit():
        for name in case or ():
            if name not in CASES:
                raise UnknownNameError(f"Unknown case '{name}'{did_you_mean(name, CASES)}")
    for name in case or CASES:
        records.append(record_of(name, run_case(name, nodes, output)))
        if summary is not None:
            write_records(summary, records)
    print_table(format_table(records))
    for record in records:
        print(f"\n{record['graph']}", *record["words"].values(), sep="\n  ")


if __name__ == "__main__":
    typer.run(main)
