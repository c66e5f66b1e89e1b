from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cogsl.cli.source import Source
from cogsl.errors import InputError, SettingValueError

NODES = "id,colour,size,topic\na,1,2.0,x\nb,2,,y\nc,1,4.0,\n"


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(NODES)
    return path


def test_a_data_set_is_found_by_its_name() -> None:
    source = Source(dataset="wine")
    assert source.read().graph.n_nodes == 178
    assert source.title == "wine"


def test_files_are_read_as_the_options_say(nodes: Path) -> None:
    source = Source(
        nodes=nodes, label_column="topic", columns=["colour=categorical"], missing="zero"
    )
    named = source.read()
    assert named.classes == ("x", "y")
    assert named.features == ("size", "colour=1", "colour=2")
    assert np.asarray(named.graph.features)[:, 0].argmin() == 1
    assert source.title == "people"


@pytest.mark.parametrize("both", [False, True])
def test_one_of_data_set_and_files_must_be_given(both: bool, nodes: Path) -> None:
    source = Source(dataset="wine", nodes=nodes) if both else Source()
    with pytest.raises(InputError, match="Give a data set by its name, or files"):
        source.read()


def test_wrong_kinds_and_treatments_are_refused(nodes: Path) -> None:
    with pytest.raises(InputError, match="Got 'colour' instead"):
        Source(nodes=nodes, columns=["colour"]).read()
    with pytest.raises(SettingValueError, match="missing"):
        Source(nodes=nodes, missing="guess").read()


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "calls.csv"
    path.write_text("minutes,day,caller,called\n3.5,1,a,b\n2,7,b,c\n")
    return path


def test_columns_of_the_edges_are_those_that_the_options_name(nodes: Path, edges: Path) -> None:
    roles = ["caller=source", "called=target", "minutes=weight"]
    source = Source(nodes=nodes, edges=[edges], label_column="topic", edge_columns=roles)
    weights = source.read().graph.adjacency.todense()
    expected = np.array([[0, 3.5, 0], [3.5, 0, 2], [0, 2, 0]])
    np.testing.assert_allclose(weights, expected)


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        (["minutes"], "given as NAME=ROLE. Got 'minutes'"),
        (
            ["minutes=length"],
            "source, target or weight. Got 'length' instead, for column 'minutes'",
        ),
        (["minutes=weight", "day=weight"], "Got 'minutes' and 'day'"),
        (["caller=source"], "both ends"),
        (["hours=weight"], "hours"),
    ],
)
def test_wrong_roles_of_columns_are_refused(
    roles: list[str], words: str, nodes: Path, edges: Path
) -> None:
    with pytest.raises(InputError, match=words):
        Source(nodes=nodes, edges=[edges], edge_columns=roles).read()


def test_roles_without_a_table_of_edges_are_refused(nodes: Path) -> None:
    with pytest.raises(InputError, match="no table of edges"):
        Source(nodes=nodes, edge_columns=["minutes=weight"]).read()
