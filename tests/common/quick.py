"""What the common checks need to know of each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Quick:
    """Settings for small graphs.

    Parameters
    ----------
    settings : make a run short.
    still : turn off, beside these, whatever draws a random number for a node or an edge.
    longer : are enough, in place of the short run, to tell two groups apart.
    is_still : the numbers of a relabelled graph are then the same; else only most predictions are.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    still: dict[str, Any] = field(default_factory=dict)
    longer: dict[str, Any] = field(default_factory=dict)
    is_still: bool = True


_NETWORK = Quick({"epochs": 8}, {"dropout": 0.0, "input_dropout": 0.0}, {"epochs": 100})

QUICK: dict[str, Quick] = {
    "cogsl": Quick(
        {"iterations": 4, "scope": (1, 6), "mi_hidden": 8, "estimator_hidden": 8},
        {"estimator_dropout": 0.0, "classifier_dropout": 0.0, "precision": "float64"},
        {"iterations": 30},
    ),
    "dgi": Quick(
        {"epochs": 8, "hidden": 16, "probe_every": 4},
        longer={"epochs": 60},
        is_still=False,  # rows are shuffled by their numbers
    ),
    "gat": Quick(_NETWORK.settings, _NETWORK.still | {"attention_dropout": 0.0}, _NETWORK.longer),
    "gca": Quick(
        {"epochs": 8, "hidden": 8, "projection": 8, "probe_every": 4},
        {"edge_rates": (0.0, 0.0), "feature_rates": (0.0, 0.0)},
        {"epochs": 60},
    ),
    "gcn": _NETWORK,
    "gen": Quick(
        {"iterations": 3, "epochs": 8, "knn_neighbours": 4},
        {"dropout": 0.0},
        {"epochs": 100},
    ),
    "graphsage": _NETWORK,
    "idgl": Quick(
        {"epochs": 8, "max_turns": 3, "epsilon": 0.6, "knn_neighbours": 4},
        {"dropout": 0.0, "later_dropout": 0.0},
        {"epochs": 100},
    ),
    "knn_gcn": Quick(
        _NETWORK.settings | {"knn_neighbours": 4},
        _NETWORK.still,
        _NETWORK.longer | {"knn_neighbours": 8},
    ),
    "label_spreading": Quick(),
    "lds": Quick(
        {"iterations": 4, "candidate_neighbours": 3, "samples": 4},
        {"dropout": 0.0, "input_dropout": 0.0},
        {"iterations": 30},
        is_still=False,  # graphs are drawn edge by edge
    ),
    "mlp": _NETWORK,
    "prognn": Quick({"epochs": 8}, {"dropout": 0.0}, {"epochs": 60}),
}
