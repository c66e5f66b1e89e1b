"""`cogsl run` from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from cogsl.cli import app
from cogsl.errors import DataUnavailableError
from cogsl.experiments import runner
from tests.fakes import Centroids, install

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run the command in an empty folder, with the tiny method and data set known."""
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["run", *arguments, "--method", "centroids"])

    return invoke


def records(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def assert_one_red_line(result: Result, *parts: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


def test_a_run_prints_a_table_and_leaves_a_record(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("toy")
    assert result.exit_code == 0, result.output
    assert "centroids on toy, preset default, split seed 0" in result.stdout
    assert "83.3" in result.stdout  # five of six test nodes, see the protocol's tests
    assert "±" not in result.stdout.split("Test nodes")[0]
    (record,) = records(tmp_path / "runs")
    assert record["accuracy"] == pytest.approx(5 / 6)


def test_elsewhere_than_on_a_terminal_each_run_is_one_line(invoke: Invoke) -> None:
    result = invoke("toy", "--seeds", "3", "--seed", "5", "--set", "noise=0.3")
    lines = result.stderr.splitlines()
    names = [line.split(":")[0] for line in lines[:4]]
    assert names == ["Estimate", "Seed 5", "Seed 6", "Seed 7"]
    assert len(lines) == 5
    assert lines[4].startswith("Records of 3 runs in ")
    assert "±" in result.stdout.split("Test nodes")[0]


def test_seeds_split_seed_and_output_are_used(invoke: Invoke, tmp_path: Path) -> None:
    invoke("toy", "--seeds", "2", "--seed", "7", "--split-seed", "3", "--output", "a/b")
    found = records(tmp_path / "a" / "b")
    assert [(r["seed"], r["split_seed"]) for r in found] == [(7, 3), (8, 3)]


def test_set_wins_over_config_and_config_over_defaults(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("iterations = 7\nsharpness = 0.5")
    result = invoke("toy", "--config", "mine.toml", "--set", "sharpness=0.25")
    assert result.exit_code == 0, result.output
    settings = records(tmp_path / "runs")[0]["settings"]
    assert isinstance(settings, dict)
    assert (settings["iterations"], settings["sharpness"], settings["noise"]) == (7, 0.25, 0.0)


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "iterations=4", "--set", "weights=0.1,0.2"),
        ("--set", "iterations=4", "weights=0.1,0.2"),
    ],
)
def test_several_settings_may_follow_set(
    invoke: Invoke, tmp_path: Path, words: tuple[str, ...]
) -> None:
    result = invoke("toy", *words)
    assert result.exit_code == 0, result.output
    settings = records(tmp_path / "runs")[0]["settings"]
    assert isinstance(settings, dict)
    assert (settings["iterations"], settings["weights"]) == (4, [0.1, 0.2])


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["tooy"], ["Unknown data set 'tooy'", "did you mean 'toy'?"]),
        ([], ["data set is missing", "cogsl datasets"]),
        (["toy", "--set", "sharpnes=1"], ["Unknown key 'sharpnes'", "did you mean 'sharpness'?"]),
        (["toy", "--set", "flavour=spicey"], ["'flavour'", "did you mean 'spicy'?"]),
        (["toy", "--set", "iterations=0"], ["'iterations'", ">= 1", "Got 0"]),
        (["toy", "--set", "iterations"], ["key=value", "'iterations'"]),
        (["toy", "more"], ["key=value", "'more'"]),
        (["toy", "--preset", "papper"], ["Unknown preset", "did you mean 'paper'?"]),
        (["toy", "--preset", "paper"], ["no 'paper' preset for 'toy'", "--preset default"]),
        (["toy", "--config", "none.toml"], ["none.toml", "No such file"]),
        (["toy", "--output", "/dev/null/runs"], ["output folder '/dev/null/runs'"]),
    ],
)
def test_a_users_mistake_is_one_red_line_and_no_work(
    invoke: Invoke,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    parts: list[str],
) -> None:
    monkeypatch.setattr(runner, "load_graph", lambda _: pytest.fail("data were read"))
    assert_one_red_line(invoke(*arguments), *parts)
    assert list(tmp_path.rglob("*.json")) == []


def test_an_unknown_method_gets_a_suggestion(invoke: Invoke) -> None:
    result = CliRunner().invoke(app, ["run", "toy", "--method", "centroid"])
    assert_one_red_line(result, "Unknown method 'centroid'", "did you mean 'centroids'?")


def test_data_that_cannot_be_had_are_one_red_line(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(_: object) -> None:
        raise DataUnavailableError("Fetch [this]\nand put it there.")

    monkeypatch.setattr(runner, "load_graph", unavailable)
    assert_one_red_line(invoke("toy"), "Error: Fetch [this] and put it there.")


def interrupt_at(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C in the middle of one seed's training."""
    fit = Centroids.fit

    def interrupted(self: Centroids, graph: object, *, seed: int, listener: object) -> Centroids:
        if seed == seed_of_interrupt:
            raise KeyboardInterrupt
        return fit(self, graph, seed=seed, listener=listener)  # type: ignore[arg-type]

    seed_of_interrupt = seed
    monkeypatch.setattr(Centroids, "fit", interrupted)


def test_ctrl_c_shows_and_keeps_the_finished_runs(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(2, monkeypatch)
    result = invoke("toy", "--seeds", "5")
    assert result.exit_code == 130
    assert [r["seed"] for r in records(tmp_path / "runs")] == [0, 1]
    assert "83.3 ± 0.0" in result.stdout
    assert "2 of 5 runs are finished" in result.stderr
    assert str(tmp_path / "runs") in result.stderr
    assert "Traceback" not in result.output


def test_ctrl_c_in_the_first_run_leaves_nothing_to_show(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(0, monkeypatch)
    result = invoke("toy")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert list((tmp_path / "runs").iterdir()) == []


def test_ctrl_c_before_the_runs_ends_cleanly(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "load_graph", interrupted)
    result = invoke("toy")
    assert result.exit_code == 130
    assert "Traceback" not in result.output


def test_threads_are_set(invoke: Invoke) -> None:
    before = torch.get_num_threads()
    try:
        assert invoke("toy", "--threads", str(before + 1)).exit_code == 0
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)


def test_settings_are_listed_without_a_data_set(invoke: Invoke) -> None:
    result = invoke("--help-settings")
    assert result.exit_code == 0
    for word in ("sharpness", "factor on the distances", "1/tau", "plain | spicy"):
        assert word in result.stdout


def test_a_data_set_is_set_beside_the_method_from_config_and_command_line(
    invoke: Invoke, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text("nodes = 300\nclasses = 3\niterations = 7")
    words = ("nodes=400", "val_nodes=30", "test_nodes=all", "sharpness=0.5")
    result = invoke("synthetic", "--config", "mine.toml", "--set", *words)
    assert result.exit_code == 0, result.output
    (record,) = records(tmp_path / "runs")
    drawn, settings = record["dataset_settings"], record["settings"]
    assert isinstance(drawn, dict)
    assert isinstance(settings, dict)
    assert (drawn["nodes"], drawn["classes"], drawn["test_nodes"]) == (400, 3, None)
    assert (settings["iterations"], settings["sharpness"]) == (7, 0.5)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("nods=5", ["Unknown key 'nods' for Centroids or Synthetic", "did you mean 'nodes'?"]),
        ("wrong_edges=2", ["'wrong_edges' setting of Synthetic", "[0, 1]", "Got 2.0"]),
        ("nodes=100", ["'train_per_class' setting of Synthetic", "at most 10", "Got 20"]),
    ],
)
def test_a_mistake_in_the_data_sets_settings_is_one_red_line_and_no_work(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, word: str, parts: list[str]
) -> None:
    monkeypatch.setattr(runner, "load_graph", lambda _: pytest.fail("data were drawn"))
    assert_one_red_line(invoke("synthetic", "--set", word), *parts)


def test_a_data_sets_settings_are_listed_below_the_methods(invoke: Invoke) -> None:
    result = invoke("synthetic", "--help-settings")
    assert result.exit_code == 0
    first, _, second = result.stdout.partition("Settings of Synthetic")
    assert "sharpness" in first
    for word in ("wrong_edges", "mean_degree", "share of the true edges", "number of nodes"):
        assert word in second
        assert word not in first


@pytest.mark.parametrize("dataset", ["toy", "wine", "nonesuch"])
def test_other_data_sets_have_no_table_of_settings(invoke: Invoke, dataset: str) -> None:
    assert invoke(dataset, "--help-settings").stdout == invoke("--help-settings").stdout


# What it will need ------------------------------------------------------------------------------


def test_before_a_run_one_line_says_what_it_will_need(invoke: Invoke) -> None:
    result = invoke("toy", "--seeds", "2", "--set", "iterations=10")
    # The fake takes 0.5 s, 2 s an iteration and 0.5 s again.
    assert result.stderr.startswith("Estimate: about 42.0 s and ")
    assert result.stderr.splitlines()[0].endswith(" of memory.")


def test_a_run_above_the_memory_limit_is_refused_before_it_starts(
    invoke: Invoke, tmp_path: Path
) -> None:
    assert_one_red_line(invoke("toy", "--memory-limit", "1MiB"), "1 MiB may be used", "Wait.")
    assert records(tmp_path / "runs") == []
    assert invoke("toy", "--memory-limit", "64GiB").exit_code == 0


def test_a_graph_that_would_not_fit_is_not_even_drawn(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "load_graph", lambda plan: pytest.fail("the graph was drawn"))
    result = invoke("synthetic", "--set", "nodes=1000000", "--memory-limit", "500MiB")
    assert_one_red_line(result, "500 MiB may be used")


def test_what_is_no_size_is_refused(invoke: Invoke) -> None:
    assert_one_red_line(invoke("toy", "--memory-limit", "much"), "8GiB", "'much'")


def test_threads_are_those_that_are_idle_unless_somebody_decided(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", set_to.append)
    monkeypatch.setattr("cogsl.cli.run.idle_threads", lambda: 7)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    invoke("toy")
    invoke("toy", "--threads", "3")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    invoke("toy")
    assert set_to == [7, 3]
