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
