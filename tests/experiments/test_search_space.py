"""Search spaces: every value is a setting, the method's own among them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from cogsl.errors import InputError, SettingValueError, UnknownNameError, UnknownSettingError
from cogsl.experiments.search_files import known_spaces, read_space
from cogsl.experiments.search_space import Choice, Range, Space, Values
from cogsl.methods import METHODS
from cogsl.settings import coerce_settings
from cogsl.views import VIEWS


def space_of(method: str = "cogsl", file: Path | None = None, **fixed: Any) -> Space:
    return read_space(method, fixed, file=file)


def ends_of(parameter: Choice | Range) -> tuple[Any, ...]:
    return parameter.values if isinstance(parameter, Choice) else (parameter.low, parameter.high)


@pytest.mark.parametrize("method", known_spaces())
def test_every_value_of_every_parameter_is_a_setting(method: str) -> None:
    space, kind = space_of(method), METHODS[method]
    for name, parameter in space.parameters.items():
        for value in ends_of(parameter):
            settings = space.settings(space.defaults | {name: value})
            kind(**coerce_settings(kind, settings)).validate()


@pytest.mark.parametrize("method", known_spaces())
def test_the_defaults_are_the_methods_own_settings(method: str) -> None:
    space, kind = space_of(method), METHODS[method]
    assert kind(**space.settings(space.defaults)).get_params() == kind().get_params()


def test_the_papers_lists_are_searched() -> None:
    printed: dict[str, set[float]] = {
        "estimator_lr": {0.1, 0.01, 0.001},
        "mu_1": {0.1, 0.5, 1.0},
        "mu_2": {0.1, 0.5, 1.0},
        "iterations": {100, 150, 200},
        "classifier_steps": {1, 5, 10},
        "mi_steps": {1, 5, 10},
        "view_steps": {1, 5, 10},
    }
    space = space_of()
    for name, values in printed.items():
        assert values <= set(ends_of(space.parameters[name])), name
    assert space.parameters["lam"] == Range(0.1, 0.9, 0.1)


def test_every_pair_of_views_is_searched_with_scopes_of_their_kind() -> None:
    space = space_of()
    pairs = ends_of(space.parameters["views"])
    assert {frozenset(pair) for pair in pairs} == {
        frozenset(pair) for pair in itertools.combinations(VIEWS, 2)
    }
    for pair in pairs:
        scopes = space.settings(space.defaults | {"views": pair, "hops": 2, "top": 300})["scope"]
        assert scopes == tuple(300 if view == "diffusion" else 2 for view in pair)


def test_a_default_that_is_in_no_list_is_added_in_its_order() -> None:
    assert ends_of(space_of().parameters["mi_steps"]) == (1, 2, 5, 10)
    assert ends_of(space_of().parameters["mu_1"]) == (0.1, 0.5, 1.0, 2.0)


def test_what_is_fixed_is_not_searched() -> None:
    space = space_of(estimator_lr=0.05, mu=(0.3,))
    assert not {"estimator_lr", "mu", "mu_1", "mu_2"} & space.parameters.keys()
    assert not {"estimator_lr", "mu"} & space.settings(space.defaults).keys()


def test_fixed_views_leave_only_their_own_scopes() -> None:
    space = space_of(views=("adjacency", "knn"))
    assert "hops" in space.parameters
    assert "top" not in space.parameters
    assert space.settings(space.defaults)["scope"] == (1, 1)  # not the diffusion's 40
    assert space.settings(space.defaults | {"hops": 2, "mu_1": 0.1})["scope"] == (2, 2)


def test_a_scope_cannot_be_fixed_while_views_are_searched() -> None:
    with pytest.raises(InputError, match=r"'scope' has an entry for each of 'views'.*--set, too"):
        space_of(scope=(1, 40))
    space = space_of(scope=(1, 40), views=("adjacency", "diffusion"))
    assert not {"hops", "top", "views"} & space.parameters.keys()


def test_three_views_need_their_mu_fixed() -> None:
    views = ("adjacency", "knn", "diffusion")
    with pytest.raises(InputError, match="no parameter for each entry of 'views'"):
        space_of(views=views)
    space = space_of(views=views, mu=(1.0,))
    assert space.settings(space.defaults)["scope"] == (1, 1, 40)


def test_values_come_back_from_a_study_as_they_were() -> None:
    space = space_of()
    values: Values = space.defaults | {"views": ("knn", "subgraph"), "lam": 0.3}
    stored = space.stored(values)
    assert stored["views"] == "knn+subgraph"
    assert space.restored(stored | {"lam": 0.1 + 0.2}) == values


def test_equal_entries_are_written_as_one_only_if_one_stands_for_all() -> None:
    space = space_of()
    same = space.settings(space.defaults | {"mu_1": 0.1, "mu_2": 0.1, "hops": 2})
    assert same["mu"] == (0.1,)
    assert space.settings(space.defaults | {"mu_1": 0.1, "mu_2": 0.5})["mu"] == (0.1, 0.5)


def test_another_default_is_another_space(tmp_path: Path) -> None:
    path = tmp_path / "space.toml"
    path.write_text("[parameters]\nhidden = [8, 16]\n")
    first = space_of("gcn", path)
    path.write_text("[parameters]\nhidden = [8, 16, 32]\n")
    assert space_of("gcn", path).digest != first.digest
    assert space_of("gcn").digest == space_of("gcn").digest


def test_a_method_without_a_space_is_told_of_those_that_have_one() -> None:
    with pytest.raises(UnknownNameError, match=r"'mlp' has no search space; cogsl, gcn have one"):
        space_of("mlp")


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("[parameters", InputError, "is not valid TOML"),
        ("", InputError, r"must have a table \[parameters\]"),
        ("[parameters]\nhiden = [1]", UnknownSettingError, "did you mean 'hidden'"),
        ("[parameters]\nhidden = 16", InputError, "a list of values or a range. Got 16"),
        ("[parameters]\nhidden = []", InputError, "a list of values or a range"),
        ("[parameters]\nhidden = ['big']", SettingValueError, "'hidden' setting of GCN must be"),
        ("[parameters]\nlr = { lo = 1 }", InputError, "must be written"),
        ("[parameters]\nlr=[1]\n[each.hidden]\nof = 'lr'", InputError, "'by_name' or 'by_place'"),
        (
            "[parameters]\nlr=[1]\n[each.hidden]\nof = 'lr'\nby_place = ['a']",
            InputError,
            "values of the parameter 'a'",
        ),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(
    tmp_path: Path, text: str, error: type[Exception], complaint: str
) -> None:
    path = tmp_path / "space.toml"
    path.write_text(text)
    with pytest.raises(error, match=complaint):
        space_of("gcn", path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot read the file '.*none\.toml'"):
        space_of("gcn", tmp_path / "none.toml")


def test_nothing_to_search_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "space.toml"
    path.write_text("[parameters]\nhidden = [8, 16]\n")
    with pytest.raises(InputError, match="Nothing is left to search"):
        space_of("gcn", path, hidden=8)
