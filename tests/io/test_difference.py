"""Two graphs, compared by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogsl.cli import app
from cogsl.errors import InputError
from cogsl.graph import Graph
from cogsl.io import NamedGraph, compare_graphs, write_graph

LABELS = [0, 0, 1, 1]
BEFORE = Graph.from_edges([[0, 1, 2], [1, 2, 3]], n_nodes=4, labels=LABELS)
AFTER = Graph.from_edges([[0, 2, 0], [1, 3, 3]], n_nodes=4, labels=LABELS)


def named(graph: Graph, names: str = "abcd") -> NamedGraph:
    return NamedGraph(graph, tuple(names), ("x", "y"), tuple("1234"))


def test_edges_are_kept_added_and_dropped() -> None:
    """Kept 0-1 and 2-3, both between equals; dropped 1-2 and added 0-3, between others."""
    found = compare_graphs(named(BEFORE), named(AFTER))
    assert (found.kept, found.added, found.dropped) == (2, 1, 1)
    assert found.same_label == (1.0, 0.0, 0.0)
    assert found.moved == 4
    assert (found.before.components, found.after.components) == (1, 1)


def test_nodes_are_matched_by_name() -> None:
    turned = Graph.from_edges([[3, 2, 1], [2, 1, 0]], n_nodes=4, labels=LABELS[::-1])
    found = compare_graphs(named(BEFORE), named(turned, "dcba"))
    assert (found.kept, found.added, found.dropped, found.moved) == (3, 0, 0, 0)
    assert math.isnan(found.same_label[1])


def test_other_nodes_are_an_error() -> None:
    with pytest.raises(InputError, match="Only the first has 'd', only the second 'e'"):
        compare_graphs(named(BEFORE), named(AFTER, "abce"))


def test_the_command_prints_both(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    write_graph(one, named(BEFORE))
    write_graph(two, named(AFTER))
    result = CliRunner().invoke(app, ["diff", str(one), str(two)])
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "Kept edges 2, 100 % join equal labels 2, 100 % join equal labels" in text
    assert "Dropped edges 1, 0 % join equal labels" in text
    assert "Homophily 0.667 0.667" in text
