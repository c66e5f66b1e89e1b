"""The package keeps the rules of the house, and each rule finds the code that breaks it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house_rules import (
    DATASET_NAMES,
    EQUATIONS,
    RULES,
    Module,
    Rule,
    dataset_names,
    densifyings,
    equation_homes,
    homeless_equations,
    modules_of,
    numbers_in,
    pickles,
    prints,
    wrong_edges,
)

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cogsl"

# The rules held against the package ---------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: Rule) -> None:
    modules = modules_of(SOURCE)
    assert modules
    assert rule(modules) == []


def test_the_list_of_data_set_names_is_complete() -> None:
    from cogsl.datasets import DATASETS

    assert set(DATASETS) == DATASET_NAMES


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("cogsl", ["torch", "torch_geometric", "scipy", "sklearn", "matplotlib"]),
        ("cogsl.cli", ["torch", "torch_geometric", "sklearn", "matplotlib"]),
    ],
)
def test_importing_it_loads_nothing_heavy(module: str, heavy: list[str]) -> None:
    assert _loaded_by(f"import {module}", heavy) == []


def test_what_is_heavy_would_be_seen() -> None:
    assert _loaded_by("import scipy.sparse", ["torch", "scipy"]) == ["scipy"]


def _loaded_by(statement: str, names: list[str]) -> list[str]:
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r}); {statement}\n"
    code += f"print(*[name for name in {names!r} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return run.stdout.split()


# The map of the paper -----------------------------------------------------------------------------


def map_rows() -> list[tuple[str, list[str], list[str]]]:
    """Return (equations, dotted names, tests) of each row of docs/paper_map.md."""
    rows = []
    for line in (ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        homes = re.findall(r"`(cogsl\.[\w.]+)`", line)
        if line.startswith("|") and homes:
            rows.append((cells[0], homes, re.findall(r"`(tests/[^`]+)`", line)))
    return rows


def resolve(dotted: str) -> object:
    """Import the longest prefix that is a module, and look the rest up in it."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        prefix = ".".join(parts[:cut])
        try:
            found: object = importlib.import_module(prefix)
        except ModuleNotFoundError as error:
            if not (error.name and prefix.startswith(error.name)):
                raise
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(dotted)


def test_the_map_has_a_row_for_every_equation_and_the_algorithm() -> None:
    first_cells = [equations for equations, _, _ in map_rows()]
    assert sorted(n for cell in first_cells for n in numbers_in(cell)) == EQUATIONS
    assert "Algorithm 1" in first_cells


@pytest.mark.parametrize("row", map_rows(), ids=lambda row: row[0])
def test_the_map_names_homes_and_tests_that_exist(row: tuple[str, list[str], list[str]]) -> None:
    _, homes, tests = row
    for home in homes:
        resolve(home)
    assert tests
    for test in tests:
        path, _, function = test.partition("::")
        assert (ROOT / path).is_file(), f"{path} does not exist"
        if function:
            assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_the_map_and_the_docstrings_agree() -> None:
    said = equation_homes(modules_of(SOURCE))
    for equations, homes, _ in map_rows():
        for number in numbers_in(equations):
            assert set(said.get(number, [])) <= set(homes), f"Eq. ({number})"


# The rules held against made-up sources -----------------------------------------------------------


def package(folder: Path, files: dict[str, str]) -> list[Module]:
    """Write a package ``cogsl`` of the given files, e.g. ``{"views/knn": "..."}``, and parse it."""
    source = folder / "cogsl"
    for name, text in {"__init__": "", **files}.items():
        path = source / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return modules_of(source)


@pytest.mark.parametrize(
    ("importer", "statement"),
    [
        ("errors", "import cogsl.graph"),
        ("sparse/ops", "from cogsl.graph import Graph"),
        ("sparse/ops", "from cogsl import graph"),
        ("sparse/ops", "from ..graph import Graph"),
        ("sparse/ops", "from .. import graph"),
        ("graph", "def late():\n    from cogsl.views import knn"),
        ("graph", "import importlib\nimportlib.import_module('cogsl.views.knn')"),
        ("views/knn", "from cogsl.datasets import base"),
        ("attacks/noise", "from cogsl.datasets.base import Dataset"),
        ("datasets/base", "from cogsl.views import knn"),
        ("views/knn", "from cogsl.attacks import noise"),
        ("nn/gcn", "from cogsl.methods.gcn import GCN"),
        ("losses/infonce", "from cogsl.methods.base import NodeClassifier"),
        ("training/history", "from cogsl.methods import base"),
        ("methods/cogsl", "from cogsl.methods.gcn import GCN"),
        ("methods/cogsl", "from . import gcn"),
        ("methods/cogsl", "from cogsl.methods import METHODS"),
        ("methods/base", "from cogsl.methods.gcn import GCN"),
        ("methods/base_network", "from cogsl.methods.gcn import GCN"),
        ("methods/gcn_settings", "from cogsl.methods.gcn import GCN"),
        ("methods/gcn_settings", "from cogsl.methods.cogsl_settings import Settings"),
        ("evaluation/protocol", "from cogsl.methods import METHODS"),
        ("evaluation/protocol", "from cogsl.methods.gcn import GCN"),
        ("report/table", "from cogsl.methods.base import NodeClassifier"),
        ("cli/run", "from cogsl import CoGSL"),
        ("cli/run", "import cogsl\nmodel = cogsl.CoGSL()"),
        ("cli/run", "import cogsl as c"),
        ("attic", "import math"),
        ("cli/run", "import cogsl.attic"),
    ],
)
def test_a_wrong_edge_is_found(tmp_path: Path, importer: str, statement: str) -> None:
    others = {"graph": "", "views/knn": "", "attacks/noise": "", "datasets/base": ""}
    others |= {f"methods/{name}": "" for name in ("gcn", "base", "base_network", "cogsl")}
    complaints = wrong_edges(package(tmp_path, others | {importer: statement}))
    assert len(complaints) == 1
    assert complaints[0].startswith("cogsl." + importer.replace("/", "."))


@pytest.mark.parametrize(
    ("importer", "statement"),
    [
        ("graph", "from cogsl.errors import GraphError\nimport numpy as np"),
        ("views/scope", "from cogsl.views.base import View\nfrom .knn import KNN"),
        ("methods/cogsl", "from cogsl.methods.base import NodeClassifier\nfrom . import base"),
        ("methods/cogsl", "from cogsl.methods.base_network import Network"),
        ("methods/base_network", "from cogsl.methods.base import NodeClassifier"),
        ("methods/cogsl", "from cogsl.methods.cogsl_settings import Settings"),
        ("methods/cogsl_steps", "from cogsl.methods.cogsl_settings import Settings"),
        ("methods/__init__", "from cogsl.methods.gcn import GCN\nfrom . import cogsl"),
        ("evaluation/protocol", "from cogsl.methods.base import NodeClassifier"),
        ("cli/run", "from cogsl import __version__\nfrom cogsl.report import table"),
        ("cli/run", "import cogsl\nversion = cogsl.__version__"),
        ("__init__", "from cogsl.methods.cogsl import CoGSL"),
    ],
)
def test_a_right_edge_passes(tmp_path: Path, importer: str, statement: str) -> None:
    others = {f"methods/{name}": "" for name in ("gcn", "base", "base_network", "cogsl")}
    assert wrong_edges(package(tmp_path, others | {importer: statement})) == []


@pytest.mark.parametrize(
    ("rule", "room", "bad", "home"),
    [
        (dataset_names, "graph", "if name == 'cora':\n    k = 3", "datasets/cora"),
        (dataset_names, "graph", "K = {'wine': 3}", "datasets/wine"),
        (prints, "graph", "print('hello')", "cli/run"),
        (prints, "graph", "say = print", "cli/run"),
        (densifyings, "graph", "x = m.toarray()", "sparse/ops"),
        (densifyings, "graph", "x = m.todense()", "sparse/ops"),
        (densifyings, "graph", "x = m.to_dense()", "sparse/ops"),
        (pickles, "graph", "import pickle", None),
        (pickles, "graph", "from joblib import load", None),
        (pickles, "graph", "import torch\ntorch.load('x')", None),
        (pickles, "graph", "from torch import load", None),
        (pickles, "graph", "np.load('x', allow_pickle=True)", None),
        (pickles, "graph", "np.load('x', allow_pickle=trust)", None),
    ],
)
def test_a_broken_rule_is_found(
    tmp_path: Path, rule: Rule, room: str, bad: str, home: str | None
) -> None:
    assert len(rule(package(tmp_path / "bad", {room: bad}))) == 1
    if home:
        assert rule(package(tmp_path / "good", {home: bad})) == []


def test_docstrings_and_harmless_look_alikes_pass(tmp_path: Path) -> None:
    source = """
        "wine"
        def f():
            "cora"
            return "wine and cora", np.load("x", allow_pickle=False), blueprint("x"), torch.loads
    """
    lines = "\n".join(line[8:] for line in source.splitlines())
    modules = package(tmp_path, {"graph": lines})
    assert dataset_names(modules) + prints(modules) + densifyings(modules) + pickles(modules) == []


def test_equations_are_read_from_functions_classes_and_methods(tmp_path: Path) -> None:
    losses = '''
"""Implements Eq. (19), says a module, which is not a home."""
class A:
    """Text. Implements Eq. (2)-(4)."""
    def b(self):
        """Implements Eq. (7), (9) and
        (13). See also Eq. (1)."""
'''
    homes = equation_homes(package(tmp_path, {"losses": losses}))
    a, b = ["cogsl.losses.A"], ["cogsl.losses.A.b"]
    assert homes == {2: a, 3: a, 4: a, 7: b, 9: b, 13: b}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("(1)-(9)", "(2)-(9)"), "Eq. (1) has no home"),
        (("(13)-(19)", "(13)-(18)"), "Eq. (19) has no home"),
        (("(13)-(19)", "(9), (13)-(19)"), "Eq. (9) has 2 homes: cogsl.losses.f, cogsl.losses.g"),
        (("(13)-(19)", "(12)-(19)"), "Eq. (12) is not one of ours: cogsl.losses.g"),
    ],
)
def test_a_homeless_equation_is_found(
    tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    losses = 'def f():\n    "Implements Eq. (1)-(9)"\ndef g():\n    "Implements Eq. (13)-(19)"\n'
    assert homeless_equations(package(tmp_path / "good", {"losses": losses})) == []
    broken = package(tmp_path / "bad", {"losses": losses.replace(*change)})
    assert homeless_equations(broken) == [complaint]
