"""The graph that a command works on: a data set by its name, or files; and other shared options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogsl.errors import InputError

if TYPE_CHECKING:
    from cogsl.io import EdgeColumns, NamedGraph

DatasetArgument = Annotated[
    str | None,
    typer.Argument(metavar="[DATASET]", help="Its name; or give files, with --nodes."),
]
NodesOption = Annotated[
    Path | None,
    typer.Option("--nodes", metavar="FILE", help="A table of nodes, or a file of a whole graph."),
]
EdgesOption = Annotated[
    list[Path] | None,
    typer.Option("--edges", metavar="FILE", help="A table of edges; may be given several times."),
]
LabelOption = Annotated[
    str | None, typer.Option("--label-column", help="The column of the labels, among the nodes'.")
]
IdOption = Annotated[
    str | None, typer.Option("--id-column", help="The column of the nodes' names, among theirs.")
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=KIND",
        help="What a column is: numeric, categorical, text, vector or ignore.",
    ),
]
EdgeColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--edge-column",
        metavar="NAME=ROLE",
        help="What a column of the edges is: source, target or weight.",
    ),
]
MissingOption = Annotated[
    str,
    typer.Option("--missing", metavar="median|mean|zero|error", help="What fills gaps in numbers."),
]
ScalingOption = Annotated[
    str,
    typer.Option(
        "--scaling", metavar="auto|standard|unit|none", help="How columns of numbers are scaled."
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option("--delimiter", show_default="found out", help="Between columns of CSV files."),
]
DataRootOption = Annotated[
    Path | None, typer.Option("--data-root", help="Folder of data sets, looked in first.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", min=1, show_default="idle processors", help="Threads of PyTorch."),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        show_default="free memory",
        help="Refuse what needs more: 8GiB.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a graph comes from; the fields are those of the options above."""

    dataset: str | None = None
    nodes: Path | None = None
    edges: Sequence[Path] = ()
    label_column: str | None = None
    id_column: str | None = None
    columns: Sequence[str] = ()
    edge_columns: Sequence[str] = ()
    missing: str = "median"
    scaling: str = "auto"
    delimiter: str | None = None
    data_root: Path | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Source:
        """Take it from the options of a command, all of which have their values here."""
        given = {name: options[name] for name in cls.__dataclass_fields__ if name in options}
        lists = {
            "edges": options["edges"] or (),
            "columns": options["column"] or (),
            "edge_columns": options["edge_column"] or (),
        }
        misplaced = {"dataset": None} if _is_assignment(options) else {}
        return cls(**given | lists | misplaced)

    @property
    def title(self) -> str:
        """What to call it."""
        return self.dataset or (self.nodes.stem if self.nodes else "")

    def read(self, *, split_seed: int = 0) -> NamedGraph:
        """Return the graph; a data set is split by its own rule, files are not split."""
        if (self.dataset is None) == (self.nodes is None):
            raise InputError(
                "Give a data set by its name, or files: --nodes nodes.csv --edges edges.csv "
                "--label-column LABEL. 'cogsl datasets' lists the data sets."
            )
        if self.nodes is not None:
            return self._read_files(self.nodes)
        from cogsl import datasets
        from cogsl.io import NamedGraph

        graph = datasets.load(self.dataset or "", root=self.data_root, split_seed=split_seed)
        return NamedGraph.numbered(graph)

    def _read_files(self, nodes: Path) -> NamedGraph:
        from cogsl.io import NodeColumns, Treatment, read_graph

        columns = NodeColumns(
            id=self.id_column,
            label=self.label_column,
            kinds=dict(_parse_named(each, "kind") for each in self.columns),
            treatment=Treatment(missing=self.missing, scaling=self.scaling),
        )
        return read_graph(
            nodes,
            self.edges,
            node_columns=columns,
            edge_columns=parse_edge_columns(self.edge_columns),
            delimiter=self.delimiter,
        )


def assignments(context: typer.Context) -> list[str]:
    """Return the words KEY=VALUE of a command: those of --set, and all that follow."""
    words = [*(context.params["set_"] or []), *context.args]
    return [*words, context.params["dataset"]] if _is_assignment(context.params) else words


def _is_assignment(options: Mapping[str, Any]) -> bool:
    """Tell whether the data set is none: with files, the second of --set a=1 b=2 comes first."""
    return options["nodes"] is not None and "=" in (options.get("dataset") or "")


def parse_edge_columns(words: Sequence[str] | None) -> EdgeColumns | None:
    """Return which columns of the edges hold what, from NAME=ROLE; None if nothing is said."""
    from cogsl.io import EdgeColumns

    named: dict[str, str] = {}
    for name, role in (_parse_named(word, "role") for word in words or ()):
        if role not in EdgeColumns.__dataclass_fields__:
            raise InputError(
                f"A column of the edges must be source, target or weight. Got '{role}' instead, "
                f"for column '{name}'."
            )
        if role in named:
            raise InputError(
                f"One column alone can be the edges' {role}. Got '{named[role]}' and '{name}'."
            )
        named[role] = name
    return EdgeColumns(**named) if named else None


def _parse_named(text: str, what: str) -> tuple[str, str]:
    """Return a column's name, and what is said of it; the name may hold the sign itself."""
    name, sign, said = text.rpartition("=")
    if not sign or not name:
        raise InputError(
            f"A column's {what} must be given as NAME={what.upper()}. Got '{text}' instead."
        )
    return name, said
