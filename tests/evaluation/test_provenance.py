"""Content hash, versions and commit."""

from __future__ import annotations

import dataclasses
import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import cogsl
from cogsl.evaluation import provenance
from cogsl.evaluation.provenance import content_hash
from cogsl.graph import Graph
from tests.fakes import toy_graph


def changed_edges(graph: Graph) -> Graph:
    return dataclasses.replace(graph, adjacency=sp.csr_array(graph.adjacency.shape))


def changed_weights(graph: Graph) -> Graph:
    return dataclasses.replace(graph, adjacency=2.0 * graph.adjacency)


def changed_features(graph: Graph) -> Graph:
    features = np.array(graph.features)
    features[3, 0] += 1e-6
    return dataclasses.replace(graph, features=features)


def changed_labels(graph: Graph) -> Graph:
    return dataclasses.replace(graph, labels=1 - graph.labels)


def changed_split(graph: Graph) -> Graph:
    return graph.with_split(graph.train, graph.test, graph.val)


@pytest.mark.parametrize(
    "change", [changed_edges, changed_weights, changed_features, changed_labels, changed_split]
)
def test_every_part_of_a_graph_counts(change: object) -> None:
    assert callable(change)
    assert content_hash(change(toy_graph())) != content_hash(toy_graph())


def test_equal_graphs_have_equal_hashes_under_any_name() -> None:
    renamed = dataclasses.replace(toy_graph(), name="another name")
    assert content_hash(renamed) == content_hash(toy_graph())


def test_sparse_features_are_hashed_too() -> None:
    graph = toy_graph()
    sparse = dataclasses.replace(graph, features=sp.csr_array(np.eye(12, dtype=np.float32)))
    other = dataclasses.replace(graph, features=sp.csr_array(np.eye(12, 13, dtype=np.float32)))
    assert len({content_hash(g) for g in (graph, sparse, other)}) == 3


def test_versions_are_those_of_this_process() -> None:
    versions = provenance.versions()
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == np.__version__
    assert versions["cogsl"] == cogsl.__version__
    assert provenance._version("no-such-distribution") is None


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def pretend_package_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = folder / "src" / "cogsl" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("")
    monkeypatch.setattr(cogsl, "__file__", str(package))


@pytest.fixture
def _fresh_commit() -> object:
    provenance.commit.cache_clear()
    yield
    provenance.commit.cache_clear()


@pytest.mark.usefixtures("_fresh_commit")
def test_the_commit_is_that_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_package_at(tmp_path, monkeypatch)
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert provenance.commit() == head
    (tmp_path / "src" / "cogsl" / "__init__.py").write_text("changed = True\n")
    provenance.commit.cache_clear()
    assert provenance.commit() == f"{head}-dirty"


@pytest.mark.usefixtures("_fresh_commit")
def test_a_package_below_another_checkout_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_package_at(tmp_path / "venv", monkeypatch)
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "not ours")
    assert provenance.commit() is None


@pytest.mark.usefixtures("_fresh_commit")
def test_without_a_checkout_or_git_there_is_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_package_at(tmp_path, monkeypatch)
    assert provenance.commit() is None
    provenance.commit.cache_clear()
    monkeypatch.setenv("PATH", "")
    assert provenance.commit() is None
