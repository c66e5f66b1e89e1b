"""What a page says of a run, and its figures, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cogsl.report.learned import Learned
from cogsl.report.page_changes import changes_of
from cogsl.report.page_curves import MOST_POINTS, curve_name, curves_of
from cogsl.report.page_nodes import confusion_of, pack_names, uncertain_nodes
from cogsl.report.page_record import tables_of
from cogsl.report.page_words import in_words
from tests.report.page_inputs import GIVEN, RECORD, large, matrix, named, regraphed, tiny, unpacked


def words_of(learned: Learned) -> str:
    return in_words(learned, changes_of(learned)).replace("\u00a0", " ")


def test_the_paragraph_by_hand() -> None:
    assert words_of(tiny()) == (
        "cogsl learned from 2 labelled nodes on a graph of 6 nodes and 4 edges, in 3 iterations, "
        "of which number 2 was kept. It puts 50.0 % of the 2 test nodes into the right class. "
        "The learned graph weighs 6 pairs of nodes, of which the 4 strongest stand, as many as "
        "were given. They keep 2 of the 4 given edges (50.0 %); 2 are new, and 2 given ones are "
        "dropped. Of the dropped ones 1 is gone; the others are in the learned graph too, but "
        "weaker than those that stand. Homophily, the share of edges between equal labels, falls: "
        "0.750 before, 0.667 after; equal labels are joined by 100 % of the kept, 0 % of the added "
        "and 50 % of the dropped ones. From the first to the kept iteration the mutual information "
        "of views went: of adjacency and knn from 0.10 to 0.30. On average a node's edges come "
        "50 % from adjacency and 50 % from knn."
    )


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (dict.fromkeys(GIVEN, 0.5), "hardly changes: 0.750 before, 0.750 after"),
        ({(0, 1): 1.0, (2, 3): 1.0}, "rises: 0.750 before, 1.000 after"),
        ({(0, 2): 1.0, (2, 3): 1.0}, "falls: 0.750 before, 0.500 after"),
        ({(4, 5): 1.0}, "Too few labels are known"),
    ],
)
def test_the_change_of_homophily_is_said(weights: dict[tuple[int, int], float], said: str) -> None:
    words = words_of(tiny(learned=matrix(weights, 6)))
    assert said in words
    assert "all of which stand" in words


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({(0, 1): 1.0}, "The dropped ones are not in the learned graph at all."),
        (
            dict.fromkeys(GIVEN, 0.1) | dict.fromkeys([(0, 2), (0, 3), (0, 4), (0, 5)], 1.0),
            "All of the dropped ones are in the learned graph too, but weaker",
        ),
    ],
)
def test_what_became_of_dropped_edges_is_said(
    weights: dict[tuple[int, int], float], said: str
) -> None:
    assert said in words_of(tiny(learned=matrix(weights, 6)))


def test_ties_are_said() -> None:
    pairs = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]
    tied = tiny(learned=matrix(dict.fromkeys(pairs, 0.5) | {(4, 5): 0.1}, 6))
    said = "of which the 5 strongest stand, as many as were given and those that tie."
    assert said in words_of(tied)


def test_without_test_nodes_validation_nodes_judge_and_that_is_said() -> None:
    no_test = regraphed(tiny(), test=[])
    assert "100.0 % of the 1 validation nodes into the right class, which also chose" in words_of(
        no_test
    )
    assert confusion_of(no_test)["part"] == "validation"
    nothing = regraphed(tiny(), test=[], val=[])
    assert "No labelled test or validation nodes" in words_of(nothing)
    assert confusion_of(nothing)["nodes"] == 0


def test_a_method_without_a_graph_is_said_to_have_none() -> None:
    words = words_of(tiny(learned=None, fusion_weights=None, history=(), record={}))
    assert words.startswith("The method learned from 2 labelled nodes")
    assert words.endswith("The method learns no graph, so the edges are those that were given.")


def test_the_confusion_matrix_has_labels_in_rows() -> None:
    found = confusion_of(tiny())
    assert (found["part"], found["nodes"], found["right"]) == ("test", 2, 1)
    assert found["matrix"].tolist() == [[0, 0], [1, 1]]


def test_of_many_classes_the_commonest_mistakes_are_listed() -> None:
    labels = np.arange(120) % 40
    guesses = np.where(labels == 3, 5, labels)
    guesses[7] = 8
    learned = regraphed(large(120), labels=labels, train=[], val=[], test=np.arange(120))
    learned = named(learned, classes=tuple(map(str, range(40))))
    learned = replace(learned, probabilities=np.eye(40)[guesses])
    found = confusion_of(learned)
    assert "matrix" not in found
    assert found["mistakes"].tolist() == [[3, 5, 3], [7, 8, 1]]
    assert (found["all_mistakes"], found["right"]) == (2, 116)


def test_the_least_certain_nodes_come_first_and_training_nodes_not_at_all() -> None:
    rows = uncertain_nodes(tiny())
    assert [row[0] for row in rows] == [4, 5, 1, 3]
    assert rows[0] == [4, 0, 1, 0.55, 0.45]


def test_names_that_are_too_long_are_cut_and_then_left_out() -> None:
    rng = np.random.default_rng(0)
    long = named(tiny(), nodes=tuple(rng.bytes(300).hex() for _ in range(6))).given
    whole, length = pack_names(long, 10**6)
    assert length is None
    assert unpacked(whole) == list(long.nodes)
    cut, length = pack_names(long, 900)
    assert length == 100
    assert unpacked(cut) == [f"{name[:99]}…" for name in long.nodes]
    none, length = pack_names(long, 40)
    assert (unpacked(none), length) == ([], 0)


def test_curves_are_grouped_and_gaps_stay() -> None:
    history: list[dict[str, Any]] = [
        {"iteration": 0, "eta": 0.1, "mi_1_final": 0.5, "val_accuracy": 0.5, "loss": 1.0},
        {"iteration": 1, "eta": 0.1, "mi_1_final": float("nan"), "loss": 0.123456789, "kept": True},
        {"iteration": 2, "seconds_views": 3.0, "val_loss": 2.0},
    ]
    found = curves_of(history, ("adjacency", "knn"))
    assert found["iterations"] == [1, 2, 3]
    panels = {panel["title"]: panel["curves"] for panel in found["panels"]}
    assert list(panels) == [
        "Mutual information of each pair",
        "Accuracy",
        "Loss",
        "Validation loss",
    ]
    assert panels["Mutual information of each pair"][0]["name"] == "adjacency and final"
    assert panels["Accuracy"] == [{"name": "validation accuracy", "values": [0.5, None, None]}]
    assert panels["Loss"][0]["values"] == [1.0, 0.123457, None]


def test_views_with_one_name_are_told_apart_by_number() -> None:
    assert curve_name("mi_1_2", ("knn", "knn")) == "knn 1 and knn 2"
    assert curve_name("loss_classifier_final", ("knn",)) == "final"
    assert curve_name("loss_classifier", ("knn",)) == "all"


def test_of_a_long_history_every_kth_iteration_is_drawn() -> None:
    found = curves_of([{"loss": float(k)} for k in range(2 * MOST_POINTS + 1)], ())
    assert found["every"] == 3
    assert found["iterations"][:2] == [1, 4]
    assert found["panels"][0]["curves"][0]["values"][:2] == [0.0, 3.0]
    assert len(found["iterations"]) <= MOST_POINTS


def test_the_record_is_in_tables() -> None:
    tables = {table["title"]: dict(table["rows"]) for table in tables_of(RECORD)}
    assert tables["Run"]["seed"] == "7"
    assert tables["Run"]["commit"] == "none"
    assert tables["Figures"] == {"accuracy": "0.5"}
    assert tables["Settings"] == {"tau": "0.2", "views": "adjacency, knn"}
    assert tables["Versions"] == {"python": "3.11"}
    nested = tables_of({"views": {"final": {"auc": 1.0, "fine": True}}})
    assert nested == [{"title": "Views", "rows": [["final.auc", "1"], ["final.fine", "yes"]]}]
