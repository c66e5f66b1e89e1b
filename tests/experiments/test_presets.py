"""Presets: precedence, mistakes, and the published values."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from cogsl.datasets import DATASETS
from cogsl.errors import InputError, SettingValueError, UnknownNameError, UnknownSettingError
from cogsl.experiments import presets
from cogsl.experiments.presets import divide, parse_assignments, read_settings, resolve
from cogsl.settings import coerce_settings
from tests.fakes import install

PRESET_FILES = sorted(Path(presets.__file__).with_name("presets").glob("*/*/*.toml"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of presets of the tiny method, in the place of the package's own."""
    install(monkeypatch)
    monkeypatch.setattr(presets, "files", lambda _: tmp_path)
    for preset in ("paper", "default"):
        (tmp_path / "presets" / "centroids" / preset).mkdir(parents=True)
    return tmp_path / "presets" / "centroids"


def test_later_layers_win(folder: Path) -> None:
    (folder / "paper" / "_common.toml").write_text("iterations = 1\nsharpness = 1\nnoise = 1")
    (folder / "paper" / "toy.toml").write_text("sharpness = 2\nnoise = 2")
    assert resolve("centroids", "toy", "paper", {"noise": "3"}) == {
        "iterations": 1,
        "sharpness": 2.0,
        "noise": 3.0,
    }


def test_values_get_their_settings_types(folder: Path) -> None:
    (folder / "paper" / "toy.toml").write_text('weights = [0, 1]\nbatch = "all"\nsharpness = 2')
    resolved = resolve("centroids", "toy", "paper")
    assert resolved == {"weights": (0.0, 1.0), "batch": None, "sharpness": 2.0}
    assert isinstance(resolved["sharpness"], float)


def test_the_default_preset_is_there_for_every_data_set(folder: Path) -> None:
    assert resolve("centroids", "toy") == {}
    (folder / "default" / "toy.toml").write_text("iterations = 9")
    assert resolve("centroids", "toy") == {"iterations": 9}
    assert resolve("centroids", "another") == {}


def test_a_missing_preset_says_where_there_is_one(folder: Path) -> None:
    for name in ("_common", "beta", "alpha"):
        (folder / "paper" / f"{name}.toml").write_text("")
    with pytest.raises(UnknownNameError, match=r"one for alpha, beta\. Use --preset default"):
        resolve("centroids", "toy", "paper")


def test_the_common_file_is_not_a_data_set(folder: Path) -> None:
    (folder / "paper" / "_common.toml").write_text("")
    with pytest.raises(UnknownNameError, match=r"it has none at all\. Use --preset default"):
        resolve("centroids", "_common", "paper")


@pytest.mark.usefixtures("folder")
def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'paper'"):
        resolve("centroids", "toy", "papper")
    with pytest.raises(UnknownNameError, match="did you mean 'centroids'"):
        resolve("centroid", "toy")
    with pytest.raises(UnknownSettingError, match="did you mean 'sharpness'"):
        resolve("centroids", "toy", overrides={"sharpnes": 1})
    with pytest.raises(SettingValueError, match="a whole number"):
        resolve("centroids", "toy", overrides={"iterations": "many"})


@pytest.mark.usefixtures("folder")
def test_a_config_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('iterations = 4\nflavour = "spicy"')
    assert read_settings(path, "centroids") == {"iterations": 4, "flavour": "spicy"}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"iterations = ", r"config\.toml' is not valid TOML: Invalid value"),
        (b"\xff\xfe", r"config\.toml' is not valid TOML"),
        (b"iteration = 3", r"In '.*config\.toml': Unknown key 'iteration'.*'iterations'"),
        (b"[centroids]\niterations = 3", "Unknown key 'centroids'"),
        (None, r"Cannot read the file '.*config\.toml': No such file"),
    ],
)
def test_a_faulty_config_file_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "config.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_settings(path, "centroids")


@pytest.mark.usefixtures("folder")
def test_settings_go_to_the_data_set_if_it_has_them_and_else_to_the_method() -> None:
    given = {"iterations": 4, "nodes": 50, "sharpness": 2, "wrong_edges": 0.5}
    of_method, of_dataset = divide("centroids", "synthetic", given)
    assert of_method == {"iterations": 4, "sharpness": 2}
    assert of_dataset == {"nodes": 50, "wrong_edges": 0.5}
    with pytest.raises(UnknownSettingError, match="Unknown key 'nodes' for Centroids;"):
        divide("centroids", "toy", given)


@pytest.mark.usefixtures("folder")
def test_a_config_file_may_hold_settings_of_the_data_set(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("iterations = 4\nnodes = 50")
    assert read_settings(path, "centroids", "synthetic") == {"iterations": 4, "nodes": 50}
    with pytest.raises(UnknownSettingError, match=r"In '.*config\.toml': Unknown key 'nodes'"):
        read_settings(path, "centroids", "toy")


def test_assignments_are_split_at_the_first_sign() -> None:
    assert parse_assignments(["a=1", " b =x=y", "a=2", "c="]) == {"a": "2", "b": "x=y", "c": ""}


@pytest.mark.parametrize("word", ["a", "=1", " = 1", ""])
def test_what_is_no_assignment_is_named(word: str) -> None:
    with pytest.raises(InputError, match=f"Got '{word}' instead"):
        parse_assignments([word])


@pytest.mark.parametrize("path", PRESET_FILES, ids=lambda p: "/".join(p.parts[-3:]))
def test_preset_files_belong_to_a_method_and_a_data_set(path: Path) -> None:
    method, preset = path.parts[-3:-1]
    assert preset in presets.PRESETS
    assert path.stem in {*DATASETS, "_common"}
    if path.stem != "_common":
        presets.find_method(method)(**resolve(method, path.stem, preset)).validate()


@pytest.mark.parametrize("path", PRESET_FILES, ids=lambda p: "/".join(p.parts[-3:]))
def test_preset_files_hold_only_what_differs_from_the_defaults(path: Path) -> None:
    method = presets.find_method(path.parts[-3])
    common = path.with_name("_common.toml")
    below: dict[str, Any] = dict(method().get_params())
    if common.exists() and path != common:
        below |= coerce_settings(method, tomllib.loads(common.read_text()))
    given = coerce_settings(method, tomllib.loads(path.read_text()))
    assert [name for name, value in given.items() if value == below[name]] == []
