"""A fitted CoGSL with the graph it was fitted on: kept in a folder, and asked about new nodes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cogsl.errors import CogslError, FileFormatError, InputError
from cogsl.evaluation import provenance
from cogsl.experiments.learned_edges import LearnedEdges
from cogsl.extension import NEIGHBOURS, extend
from cogsl.files import whole_file, write_arrays, write_text
from cogsl.io import NamedGraph, arrays_of, graph_from_arrays
from cogsl.io.encoding import encoder_from_plain, encoder_to_plain
from cogsl.io.newcomers import Newcomers
from cogsl.methods.cogsl import CoGSL
from cogsl.settings import coerce_settings

FORMAT = 1
"""Raised when a folder of an older version can no longer be read."""

DESCRIPTION, WEIGHTS, GRAPH, EDGES = "model.json", "model.safetensors", "graph.npz", "edges.npz"
_GROUPS = ("omega", "theta")


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted method, its graph with all names, and the learned edges."""

    method: CoGSL
    named: NamedGraph
    edges: LearnedEdges

    @classmethod
    def of(cls, method: CoGSL, named: NamedGraph) -> Model:
        """Return the model of a method that was fitted on this graph."""
        return cls(method, named, LearnedEdges.of(method, named.graph))

    def predict(
        self, newcomers: Newcomers, *, neighbours: int = NEIGHBOURS
    ) -> npt.NDArray[np.float64]:
        """Return class probabilities for each row, n x C; nothing is trained.

        Known nodes get what the fit predicted for them, to the last bit. The others are joined to
        the graph by their edges, or to the ``neighbours`` known nodes most like them.
        """
        found = self.method.predict_proba()[newcomers.place]
        new = np.flatnonzero(newcomers.is_new)
        if len(new):
            graph = extend(
                self.named.graph, newcomers.features, newcomers.edges, neighbours=neighbours
            )
            found[new] = self.method.predict_proba_on(graph)[self.named.graph.n_nodes :]
        return found

    def save(self, folder: Path) -> None:
        """Write the model; its description comes last, so that what has one is complete."""
        from safetensors.numpy import save

        (folder / DESCRIPTION).unlink(missing_ok=True)
        write_arrays(folder / GRAPH, arrays_of(self.named))
        write_arrays(folder / EDGES, self.edges.arrays())
        with whole_file(folder / WEIGHTS) as file:
            file.write(save(self._tensors()))
        write_text(folder / DESCRIPTION, json.dumps(self._description(), indent=1) + "\n")

    def _tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the parameters, the predictions and the fusion weights by name."""
        parameters = {
            f"{group}.{name}": value.numpy()
            for group, state in zip(_GROUPS, self.method.state_, strict=True)
            for name, value in state.items()
        }
        return parameters | {
            "probabilities": self.method.probabilities_,
            "fusion_weights": self.method.fusion_weights_,
        }

    def _description(self) -> dict[str, Any]:
        named = self.named
        return {
            "format": FORMAT,
            "method": "cogsl",
            "settings": self.method.get_params(),
            "seed": self.method.seed_,
            "n_features": self.method.n_features_,
            "graph": named.graph.name,
            "graph_hash": provenance.content_hash(named.graph),
            "id_column": named.id_column,
            "encoder": None if named.encoder is None else encoder_to_plain(named.encoder),
            "versions": provenance.versions(),
        }

    @classmethod
    def load(cls, folder: Path) -> Model:
        """Read a model from its folder; nothing is unpickled."""
        description = _description_of(folder)
        named = _graph_of(folder, description)
        method = _method_of(folder, description)
        edges = LearnedEdges.from_arrays(_arrays(folder / EDGES))
        method.learned_graph_ = named.graph.with_edges(edges.matrix(named.graph.n_nodes))
        return cls(method, named, edges)


def _description_of(folder: Path) -> dict[str, Any]:
    """Return what the folder says of its model."""
    path = folder / DESCRIPTION
    if not path.is_file():
        raise InputError(
            f"'{folder}' holds no model: there is no {DESCRIPTION}. Give a folder that 'cogsl fit' "
            "has written in full."
        )
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileFormatError(f"{path} is no JSON: {error}. Fit again.") from error
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise FileFormatError(
            f"{path} is of a format that this version does not know. Fit again, or use the version "
            "that wrote it."
        )
    return description


def _graph_of(folder: Path, description: dict[str, Any]) -> NamedGraph:
    """Return the graph with its names, if it is the one that was fitted."""
    bare = graph_from_arrays(_arrays(folder / GRAPH), name=description["graph"])
    if provenance.content_hash(bare.graph) != description["graph_hash"]:
        raise FileFormatError(
            f"{folder / GRAPH} is not the graph that the model was fitted on. Fit again."
        )
    encoder = description["encoder"]
    return NamedGraph(
        bare.graph,
        bare.nodes,
        bare.classes,
        bare.features,
        None if encoder is None else encoder_from_plain(encoder),
        description["id_column"],
    )


def _method_of(folder: Path, description: dict[str, Any]) -> CoGSL:
    """Return the fitted method, as far as predictions need it."""
    import torch
    from safetensors.numpy import load

    method = CoGSL(**coerce_settings(CoGSL, description["settings"]))
    method.validate()
    tensors = _read(folder / WEIGHTS, lambda path: load(path.read_bytes()))
    method.probabilities_ = tensors.pop("probabilities")
    method.fusion_weights_ = tensors.pop("fusion_weights")
    method.state_ = tuple(
        {
            name.removeprefix(f"{group}."): torch.from_numpy(value)
            for name, value in tensors.items()
            if name.startswith(f"{group}.")
        }
        for group in _GROUPS
    )
    method.seed_, method.n_features_ = description["seed"], description["n_features"]
    return method


def _arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an npz file."""

    def read(path: Path) -> dict[str, npt.NDArray[Any]]:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

    return _read(path, read)


def _read(
    path: Path, read: Callable[[Path], dict[str, npt.NDArray[Any]]]
) -> dict[str, npt.NDArray[Any]]:
    """Return what is in a file of the model, or raise an error of ours."""
    try:
        return read(path)
    except CogslError:
        raise
    except Exception as error:  # each library has errors of its own for a broken file
        raise FileFormatError(f"{path} cannot be read: {error}. Fit again.") from error
