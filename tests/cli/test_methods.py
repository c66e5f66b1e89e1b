"""`cogsl methods` and `cogsl run --method all` from the outside."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.cost import Cost, Estimate, GraphSize
from cogsl.errors import DivergedError
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.seeding import Seeds
from cogsl.settings import setting
from cogsl.training.listener import Listener
from tests.fakes import Centroids, install


@dataclass(kw_only=True, eq=False)
class Huge(Centroids):
    """A method that fits nowhere."""

    def estimate(self, size: GraphSize) -> Estimate:
        cost = Cost(1.0, 2.0**60)
        return Estimate(cost, cost, 1, cost, "Buy memory.")


@dataclass(kw_only=True, eq=False)
class Failing(Centroids):
    """A method that comes to nothing."""

    own: int = setting(1, "a setting that no other has", low=0)

    def _fit(self, graph: Graph, seeds: Seeds, listener: Listener) -> None:
        if self.own == 1:
            raise DivergedError("It went wrong.")
        if self.own == 2:
            raise KeyboardInterrupt
        super()._fit(graph, seeds, listener)


@pytest.fixture
def three_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be only the three made-up methods, in an empty folder."""
    install(monkeypatch)
    for name in reversed(list(METHODS)):  # they are put back the other way round
        monkeypatch.delitem(METHODS, name)
    for name, method in {"huge": Huge, "failing": Failing, "centroids": Centroids}.items():
        monkeypatch.setitem(METHODS, name, method)
    monkeypatch.chdir(tmp_path)


def run_all(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", "toy", "--method", "all", *arguments])


def records(folder: Path) -> list[tuple[str, int]]:
    found = (json.loads(path.read_text()) for path in folder.glob("*.json"))
    return sorted((record["method"], record["seed"]) for record in found)


def test_every_method_is_listed_with_what_it_is() -> None:
    result = CliRunner().invoke(app, ["methods"])
    assert result.exit_code == 0
    lines = (line for line in result.stdout.splitlines() if line.split()[:1])
    rows = {line.split()[0]: line for line in lines if line.split()[0] in METHODS}
    assert list(rows) == list(METHODS)
    for name, method in METHODS.items():
        assert str(method.about.year) in rows[name]
        assert (" yes " in rows[name]) == method.learns_graph


@pytest.mark.usefixtures("three_methods")
def test_methods_that_do_not_fit_or_fail_are_left_out_and_the_others_run(tmp_path: Path) -> None:
    result = run_all("--seeds", "2")
    assert result.exit_code == 0, result.output
    assert records(tmp_path / "runs") == [("centroids", 0), ("centroids", 1)]
    assert "huge is left out: The run would need" in result.stderr
    assert "failing is left out: It went wrong." in result.stderr
    assert "centroids, seed 1: Macro-F1" in result.stderr


@pytest.mark.usefixtures("three_methods")
def test_a_setting_goes_to_the_methods_that_have_it(tmp_path: Path) -> None:
    result = run_all("--set", "own=0", "iterations=5")
    assert result.exit_code == 0, result.output
    assert records(tmp_path / "runs") == [("centroids", 0), ("failing", 0)]
    assert result.stderr.count("kept iteration 1/5") == 2
    table = result.stdout.splitlines()
    assert table[0].strip() == "toy, split seed 0"
    assert [line.split()[0] for line in table[3:5]] == ["failing", "centroids"]


@pytest.mark.usefixtures("three_methods")
def test_ctrl_c_ends_all_methods_and_keeps_what_is_finished(tmp_path: Path) -> None:
    result = run_all("--set", "own=2")
    assert result.exit_code == 130
    assert "Interrupted: 0 of 3 runs are finished." in result.stderr
    assert records(tmp_path / "runs") == []


@pytest.mark.usefixtures("three_methods")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--set", "onw=1"), "No method has a key 'onw'; did you mean 'own'?"),
        (("--config", "a.toml"), "--set with --method all"),
    ],
)
def test_mistakes_are_one_red_line(arguments: tuple[str, ...], complaint: str) -> None:
    result = run_all(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1
