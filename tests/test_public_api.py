"""The public interface of the package."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

import cogsl

ROOT = Path(__file__).parents[1]
PUBLIC = {
    *("CoGSL", "CoGSLClassifier", "GCN", "Graph", "LearnStructure", "METHODS", "CogslError"),
    *("load_dataset", "__version__"),
}


def test_the_public_names_are_exactly_these() -> None:
    assert set(cogsl.__all__) == PUBLIC
    assert set(dir(cogsl)) >= PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_resolves_to_one_thing(name: str) -> None:
    assert getattr(cogsl, name) is getattr(cogsl, name)


def test_the_short_names_are_the_things_themselves() -> None:
    from cogsl import datasets, estimator, graph, methods, transform

    assert cogsl.Graph is graph.Graph
    assert cogsl.load_dataset is datasets.load
    assert cogsl.METHODS is methods.METHODS
    assert cogsl.METHODS["cogsl"] is cogsl.CoGSL
    assert cogsl.METHODS["gcn"] is cogsl.GCN
    assert cogsl.CoGSLClassifier is estimator.CoGSLClassifier
    assert cogsl.LearnStructure is transform.LearnStructure


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'CoGLS'"):
        cogsl.CoGLS  # type: ignore[attr-defined] # noqa: B018


def test_the_version_is_that_of_the_installed_package() -> None:
    try:
        installed = importlib.metadata.version("compact-gsl")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed here")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cogsl.__version__ == installed == project["version"]
