"""Graphs, and what was learned of them, as tables: pure functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cogsl.cli.formatting import format_seconds

if TYPE_CHECKING:
    from cogsl.evaluation import Record
    from cogsl.io import Difference, Inspection, NamedGraph

_MOST_ROWS = 20


def format_inspection(seen: Inspection, title: str) -> Table:
    """Return what was seen of a graph, a row a thing."""
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False, show_header=False)
    least, median, mean, most = seen.degrees
    rows = {
        "Nodes": f"{seen.nodes:,}",
        "Edges": f"{seen.edges:,}",
        "Features": f"{seen.features:,}, {100 * seen.stored:.1f} % of them not 0",
        "Neighbours": f"{least:,} to {most:,}, median {median:g}, mean {mean:.1f}",
        "Isolated nodes": f"{seen.isolated:,}",
        "Connected parts": f"{seen.components:,}, {100 * seen.largest:.1f} % in the largest",
        "Labelled": f"{seen.labelled:,}",
    }
    if not math.isnan(seen.homophily):
        rows["Homophily"] = f"{seen.homophily:.2f} of the edges between labelled nodes"
    if seen.classes:
        rows["Classes"] = ", ".join(f"{name}: {n:,}" for name, n in seen.classes.items())
    for name, text in rows.items():
        table.add_row(name, Text(text))
    return table


def format_graph_difference(found: Difference, before: str, after: str) -> Table:
    """Return the edges of two graphs in three groups, and both graphs side by side."""
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for title in ("", before, after):
        table.add_column(title, justify="left" if not title else "right")
    for name, count, alike in zip(
        ("Kept edges", "Dropped edges", "Added edges"),
        (found.kept, found.dropped, found.added),
        (found.same_label[0], found.same_label[2], found.same_label[1]),
        strict=True,
    ):
        share = "" if math.isnan(alike) else f", {100 * alike:.0f} % join equal labels"
        text = f"{count:,}{share}"
        table.add_row(
            name,
            "" if name.startswith("Added") else text,
            "" if name.startswith("Dropped") else text,
        )
    table.add_row("Nodes whose neighbours change in number", "", f"{found.moved:,}")
    both = (found.before, found.after)
    for name, (one, other) in {
        "Edges": (f"{seen.edges:,}" for seen in both),
        "Mean number of neighbours": (f"{seen.degrees[2]:.1f}" for seen in both),
        "Isolated nodes": (f"{seen.isolated:,}" for seen in both),
        "Connected parts": (f"{seen.components:,}" for seen in both),
        "Homophily": (f"{seen.homophily:.3f}" for seen in both),
    }.items():
        table.add_row(name, one, other)
    return table


def format_fit(record: Record, named: NamedGraph) -> Table:
    """Return what a fit learned from and how well it predicts, a row a thing."""
    graph = named.graph
    counts = (f"{len(part):,}" for part in (graph.train, graph.val, graph.test))
    table = Table(title="Fit", box=SIMPLE_HEAD, show_edge=False, show_header=False)
    rows = {
        "Labelled nodes": "{} to learn from, {} to choose by, {} to judge by".format(*counts),
        "Kept iteration": f"{record['best_iter'] + 1} of {record['n_iter']}",
        "Accuracy, nodes to choose by": f"{100 * record['val_accuracy']:.1f} %",
    }
    if "accuracy" in record:
        rows["Accuracy, nodes to judge by"] = (
            f"{100 * record['accuracy']:.1f} %, macro-F1 {100 * record['macro_f1']:.1f} %"
        )
    rows["Time"] = format_seconds(record["seconds"])
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def format_predictions(table: Any) -> Table:
    """Return the first rows of a data frame of predictions."""
    first = table.head(_MOST_ROWS)
    left = len(table) - len(first)
    caption = f"... and {left:,} more; write all with --output" if left else None
    shown = Table(box=SIMPLE_HEAD, show_edge=False, caption=caption)
    for title in ("Node", "Prediction", "Confidence"):
        shown.add_column(title, justify="right" if title == "Confidence" else "left")
    rows = zip(first["node"], first["prediction"], first["confidence"], strict=True)
    for node, prediction, confidence in rows:
        shown.add_row(Text(node), Text(prediction), f"{100 * confidence:.1f} %")
    return shown
