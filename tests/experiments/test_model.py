from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cogsl.errors import FileFormatError, InputError, UnknownNameError
from cogsl.experiments.fitting import fit, split_labels
from cogsl.experiments.model import DESCRIPTION, GRAPH, WEIGHTS, Model
from cogsl.io import NamedGraph, NodeColumns, graph_from_frames
from cogsl.io.newcomers import newcomers_from_frames, read_newcomers

CLASSES = ("ham", "spam")


def people(n: int, *, start: int = 0) -> Any:
    """A table of nodes of two classes that numbers, a category and words tell apart."""
    rng = np.random.default_rng(start)
    label = np.arange(n) % 2
    return pd.DataFrame(
        {
            "who": [f"p{start + k}" for k in range(n)],
            "height": rng.normal(size=n) + 3 * label,
            "colour": np.where(rng.random(n) < 0.1, "grey", np.array(["red", "blue"])[label]),
            "words": np.where(label == 1, "buy cheap pills now", "see you at dinner"),
            "kind": np.where(np.arange(n) < 20, np.array(CLASSES)[label], ""),
        }
    )


@pytest.fixture(scope="module")
def named() -> NamedGraph:
    table = people(40)
    ring = {"source": table["who"], "target": np.roll(table["who"], 2)}
    columns = NodeColumns(id="who", label="kind", kinds={"words": "text"})
    graph = graph_from_frames(table, [ring], node_columns=columns)
    return split_labels(graph, val_share=0.3, test_share=0.0, seed=0)


@pytest.fixture(scope="module", params=[False, True], ids=["default", "biased"])
def model(request: pytest.FixtureRequest, named: NamedGraph) -> Model:
    return fit(named, {"iterations": 15, "encoder_bias": request.param}, seed=1).model


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> Path:
    model.save(tmp_path)
    return tmp_path


def test_a_model_read_from_its_folder_predicts_the_same_bits(model: Model, folder: Path) -> None:
    again = Model.load(folder)
    newcomers = newcomers_from_frames(again.named, people(6, start=100))
    assert np.array_equal(again.predict(newcomers), model.predict(newcomers))
    assert np.array_equal(again.method.predict_proba(), model.method.predict_proba())
    assert again.named.nodes == model.named.nodes
    assert again.named.classes == CLASSES
    assert again.method.get_params() == model.method.get_params()
    assert np.array_equal(again.edges.learned, model.edges.learned)


def test_new_nodes_are_told_apart(model: Model) -> None:
    newcomers = newcomers_from_frames(model.named, people(6, start=100))
    assert newcomers.is_new.all()
    assert model.predict(newcomers, neighbours=3).argmax(axis=1).tolist() == [0, 1, 0, 1, 0, 1]


def test_known_nodes_get_exactly_what_the_fit_predicted(model: Model) -> None:
    mixed = pd.concat([people(6, start=100), people(40)[5:8]])
    newcomers = newcomers_from_frames(model.named, mixed)
    found = model.predict(newcomers)
    assert newcomers.place.tolist() == [-1] * 6 + [5, 6, 7]
    assert np.array_equal(found[6:], model.method.predict_proba()[5:8])


def test_edges_decide_where_a_new_node_belongs(model: Model) -> None:
    fresh = people(2, start=100)[:1]  # a node that looks like the first class
    names = [f"p{k}" for k in range(1, 40, 2)]  # all of the second
    edges = {"source": ["p100"] * len(names), "target": names, "weight": [50.0] * len(names)}
    alone = model.predict(newcomers_from_frames(model.named, fresh), neighbours=3)
    joined = model.predict(newcomers_from_frames(model.named, fresh, [edges]))
    assert joined[0, 1] > alone[0, 1] + 0.1


def test_edges_between_known_nodes_are_left_out_with_a_line(
    model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    edges = {"source": ["p0", "p100"], "target": ["p1", "p1"]}
    with caplog.at_level(logging.INFO, logger="cogsl"):
        newcomers = newcomers_from_frames(model.named, people(1, start=100), [edges])
    assert newcomers.edges.nnz == 1
    assert "Left out 1 edges between known nodes" in caplog.text


def test_known_nodes_with_other_features_are_told_of(
    model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    changed = people(40)[:3].assign(height=[9.0, 9.0, 9.0])
    with caplog.at_level(logging.WARNING, logger="cogsl"):
        newcomers_from_frames(model.named, changed)
    assert "3 known nodes have other features" in caplog.text


def test_a_table_without_a_fitted_column_is_refused(model: Model) -> None:
    with pytest.raises(UnknownNameError, match="must have the column 'height'"):
        newcomers_from_frames(model.named, people(2).drop(columns="height"))


def test_a_graph_of_arrays_asks_for_arrays(model: Model, tmp_path: Path) -> None:
    bare = NamedGraph.numbered(model.named.graph)
    with pytest.raises(InputError, match="from arrays"):
        newcomers_from_frames(bare, people(2))
    path = tmp_path / "new.csv"
    people(2).to_csv(path)
    with pytest.raises(InputError, match="as an npz file"):
        read_newcomers(bare, path)
    path = tmp_path / "new.npz"
    features = np.asarray(model.named.graph.features)[:2]
    np.savez(path, features=features, node_names=np.array(["x", "3"]))
    newcomers = read_newcomers(bare, path)
    assert newcomers.place.tolist() == [-1, 3]
    np.savez(path, features=features[:, :2])
    with pytest.raises(InputError, match="features of the fitted graph"):
        read_newcomers(bare, path)


@pytest.mark.parametrize("file", [GRAPH, WEIGHTS, DESCRIPTION])
def test_a_broken_folder_is_refused_with_the_file_named(folder: Path, file: str) -> None:
    (folder / file).write_bytes(b"junk")
    with pytest.raises(FileFormatError, match=file):
        Model.load(folder)


def test_a_graph_that_was_not_fitted_is_refused(folder: Path) -> None:
    with np.load(folder / GRAPH) as file:
        arrays: dict[str, Any] = dict(file)
    arrays["labels"] = arrays["labels"].copy()
    arrays["labels"][-1] = 0
    np.savez(folder / GRAPH, **arrays)
    with pytest.raises(FileFormatError, match="not the graph that the model was fitted on"):
        Model.load(folder)


def test_a_folder_without_a_model_or_of_another_format_is_refused(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="holds no model"):
        Model.load(tmp_path / "nowhere")
    description = json.loads((folder / DESCRIPTION).read_text())
    (folder / DESCRIPTION).write_text(json.dumps(description | {"format": 99}))
    with pytest.raises(FileFormatError, match="format that this version does not know"):
        Model.load(folder)
