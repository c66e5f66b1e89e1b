"""``cogsl fit``: a graph of the user's, or none; predictions and a better graph come out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogsl.cli import source
from cogsl.cli.formatting import format_forecast
from cogsl.cli.formatting_graphs import format_fit, format_graph_difference
from cogsl.cli.printing import clean_exit, print_line, print_note, print_result
from cogsl.cli.progress import show_progress
from cogsl.cli.run import set_threads
from cogsl.errors import InputError, UnknownNameError, did_you_mean
from cogsl.machine import parse_bytes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from cogsl.experiments.fitting import Fitted
    from cogsl.experiments.model import Model
    from cogsl.io import NamedGraph

NumberOption = Annotated[
    int | None,
    typer.Option(
        "--n-edges", min=1, show_default="as many as given", help="Keep the strongest so many."
    ),
]
LeastOption = Annotated[
    float | None,
    typer.Option("--least", min=0.0, help="Keep edges that are as strong as this, or stronger."),
]
ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="both|weight|agreement",
        help="Edges are strong by learned weight, if their ends are predicted alike, or both.",
    ),
]
PerNodeOption = Annotated[
    int | None, typer.Option("--per-node", min=1, help="Keep the strongest so many of each node.")
]
AllOption = Annotated[bool, typer.Option("--all-edges", help="Keep every learned edge.")]


def fit(
    context: typer.Context,
    dataset: source.DatasetArgument = None,
    nodes: source.NodesOption = None,
    edges: source.EdgesOption = None,
    label_column: source.LabelOption = None,
    output: Annotated[Path, typer.Option(help="Folder for all that comes of it.")] = Path("out"),
    id_column: source.IdOption = None,
    column: source.ColumnOption = None,
    edge_column: source.EdgeColumnOption = None,
    missing: source.MissingOption = "median",
    scaling: source.ScalingOption = "auto",
    delimiter: source.DelimiterOption = None,
    val_share: Annotated[
        float, typer.Option(help="Share of the labels held back to choose the best iteration by.")
    ] = 0.2,
    test_share: Annotated[
        float, typer.Option(help="Share of the labels held back to judge the result by.")
    ] = 0.0,
    n_edges: NumberOption = None,
    least: LeastOption = None,
    per_node: PerNodeOption = None,
    all_edges: AllOption = False,
    by: ByOption = "both",
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE ...", help="Change settings; wins over --config."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file of settings.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of split and training.")] = 0,
    threads: source.ThreadsOption = None,
    memory_limit: source.MemoryOption = None,
    overwrite: Annotated[bool, typer.Option(help="Replace a model in the folder.")] = False,
    data_root: source.DataRootOption = None,
) -> None:
    """Learn a better graph and predict every node, from files.

    cogsl fit --nodes nodes.csv --edges edges.csv --label-column topic --output out

    Leaves in the folder: predictions.csv, edges.csv (kept, added and dropped), learned_graph.npz,
    report.html, record.json, and the model for 'cogsl predict'.
    """
    with clean_exit():
        origin = source.Source.of(context.params)
        settings = _settings(source.assignments(context), config)
        limit = None if memory_limit is None else parse_bytes(memory_limit)
        _check_output(output, overwrite=overwrite)
        choice = Choice(n_edges, least, per_node, all_edges, by)
        from cogsl.experiments.fitting import split_labels, write_fitted

        given = origin.read(split_seed=seed)
        named = split_labels(given, val_share=val_share, test_share=test_share, seed=seed)
        set_threads(threads)
        fitted = _fit(named, settings, seed, limit, origin.title)
        chosen = choice.of(fitted.model)
        write_fitted(output, fitted, chosen)
        _write_page(output / "report.html", fitted, by)
        _print(fitted, chosen, output)


def _settings(assignments: list[str], config: Path | None) -> dict[str, Any]:
    """Return CoGSL's settings that differ from its defaults, checked."""
    from cogsl.experiments.presets import find_method, parse_assignments, read_settings, resolve

    overrides = read_settings(config, "cogsl") if config else {}
    settings = resolve("cogsl", "", "default", overrides | parse_assignments(assignments))
    find_method("cogsl")(**settings).validate()
    return settings


def _check_output(folder: Path, *, overwrite: bool) -> None:
    from cogsl.experiments.model import DESCRIPTION
    from cogsl.experiments.records import check_folder

    check_folder(folder)
    if (folder / DESCRIPTION).exists() and not overwrite:
        raise InputError(
            f"'{folder}' holds a model already. Give another folder, or --overwrite it."
        )


@dataclass(frozen=True)
class Choice:
    """Which of the learned edges are kept; the fields are those of the options above."""

    n_edges: int | None
    least: float | None
    per_node: int | None
    all_edges: bool
    by: str

    def __post_init__(self) -> None:
        from cogsl.experiments.learned_edges import SCORES

        numbers = (self.n_edges, self.least, self.per_node)
        if sum(each is not None for each in numbers) + self.all_edges > 1:
            raise InputError("Give one of --n-edges, --least, --per-node and --all-edges.")
        if self.by not in SCORES:
            raise UnknownNameError(
                f"Edges cannot be chosen by '{self.by}'{did_you_mean(self.by, SCORES)}"
            )

    def of(self, model: Model) -> csr_array:
        """Return the edges of a model that are kept; by default as many as were given."""
        graph, number = model.named.graph, self.n_edges
        if number is None and self.least is None and self.per_node is None and not self.all_edges:
            number = graph.n_edges or None
        return model.edges.choose(
            graph.n_nodes, by=self.by, n_edges=number, least=self.least, per_node=self.per_node
        )


def _fit(
    named: NamedGraph, settings: dict[str, Any], seed: int, limit: int | None, title: str
) -> Fitted:
    """Say what the run will need, or refuse it; then fit with a progress bar."""
    from cogsl.cost import GraphSize
    from cogsl.experiments.fitting import fit
    from cogsl.experiments.forecast import forecast
    from cogsl.methods.cogsl import CoGSL

    named.graph.check_trainable()
    method = CoGSL(**settings)
    needed = forecast(method, GraphSize.of(named.graph), graph_is_loaded=True)
    needed.check(limit)
    print_note(format_forecast(needed, 1))
    with show_progress(1) as observer:
        listener = observer.on_run_start("cogsl", seed, method.max_iterations)
        return fit(named, settings, seed=seed, listener=listener, context={"source": title})


def _write_page(path: Path, fitted: Fitted, by: str) -> None:
    """Write the report: one page that opens in any browser."""
    from cogsl.experiments.learned_edges import SCORES
    from cogsl.report.page import Learned, write_page

    model = fitted.model
    learned = Learned(
        given=model.named,
        learned=model.edges.matrix(model.named.graph.n_nodes, by=by),
        weighed_by=SCORES[by],
        probabilities=model.method.predict_proba(),
        fusion_weights=model.method.fusion_weights_,
        view_names=model.method.views,
        history=model.method.history_,
        record=fitted.record,
    )
    write_page(path, learned)


def _print(fitted: Fitted, chosen: csr_array, output: Path) -> None:
    """Print what was learned and where it is."""
    from dataclasses import replace

    from cogsl.io import compare_graphs

    named = fitted.model.named
    learned = replace(named, graph=named.graph.with_edges(chosen))
    print_result(format_fit(fitted.record, named))
    found = compare_graphs(named, learned)
    print_result(format_graph_difference(found, "given", "learned"))
    if not found.added and not found.dropped:
        print_note(
            "The given edges are the strongest of the learned ones, too: they differ in weight "
            "alone. For other edges, try --by agreement or --all-edges."
        )
    print_line(f"All of it is in {output.resolve()}")
