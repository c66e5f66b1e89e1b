"""`cogsl tune` from the outside."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from cogsl.cli import app, tuning_progress
from cogsl.cli.tuning_progress import show_trials
from cogsl.cli.tuning_tables import format_caution
from cogsl.evaluation import Record, evaluate
from cogsl.experiments import trials, tuning_outcome
from cogsl.experiments.tuning import Trial
from cogsl.methods import METHODS
from tests.experiments.tuned import SPACE
from tests.fakes import Centroids, install


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The arguments that tune the tiny method on the tiny graph, in a folder of the test's own."""
    install(monkeypatch)
    (tmp_path / "space.toml").write_text(SPACE)
    output = str(tmp_path / "tuned")
    return (*("toy", "--method", "centroids", "--output", output), *_space(tmp_path))


def _space(folder: Path) -> tuple[str, ...]:
    return ("--space", str(folder / "space.toml"), "--threads", "1")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tune", *arguments])


def record_of(folder: Path) -> Record:
    record: Record = json.loads((folder / "tuned" / "tuning.json").read_text())
    return record


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The methods whose test figures were looked at."""
    seen = list[object]()

    def watched(method: Centroids, *given: object, **named: object) -> Record:
        seen.append(method)
        return evaluate(method, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(tuning_outcome, "evaluate", watched)
    return seen


def test_trials_importances_files_and_one_look_at_test_labels(
    toy: tuple[str, ...], tmp_path: Path, evaluated: list[object]
) -> None:
    result = invoke(*toy, "--trials", "10", "--test-seeds", "2")
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()
    assert [bool(re.match(rf"Trial {k} of 10: acc", lines[k - 1])) for k in range(1, 11)] == (
        [True] * 10
    )
    assert "left" in lines[0]
    assert "left" not in lines[9]
    assert len(lines) == 11  # the last one is of the file; none is Optuna's
    for words in ("The best trials", "What mattered", "Before and after"):
        assert words in result.stdout
    assert "Test labels were opened once in this study" in result.stdout
    assert "of 4 validation nodes more right" in result.stdout
    record = record_of(tmp_path)
    assert record["times_test_labels_were_opened"] == 1
    assert len(record["trials"]) == 10
    assert record["importances"].keys() == {"sharpness", "noise", "flavour"}
    assert len(evaluated) in (2, 4)


def test_a_finished_study_is_shown_again_and_its_test_labels_stay_closed(
    toy: tuple[str, ...], tmp_path: Path, evaluated: list[object]
) -> None:
    first = invoke(*toy, "--trials", "3")
    n_evaluated = len(evaluated)
    again = invoke(*toy, "--trials", "3")
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert n_evaluated > 0
    assert len(evaluated) == n_evaluated
    assert record_of(tmp_path)["test"] is not None


def test_with_no_test_seeds_they_are_never_opened(
    toy: tuple[str, ...], tmp_path: Path, evaluated: list[object]
) -> None:
    result = invoke(*toy, "--trials", "2", "--test-seeds", "0")
    assert result.exit_code == 0, result.output
    assert evaluated == []
    assert record_of(tmp_path)["times_test_labels_were_opened"] == 0


def test_few_trials_say_that_nothing_can_be_said_of_what_mattered(toy: tuple[str, ...]) -> None:
    assert "needs 10 finished trials" in invoke(*toy, "--trials", "2").stdout


def test_the_best_settings_run_with_config(toy: tuple[str, ...], tmp_path: Path) -> None:
    assert invoke(*toy, "--trials", "4", "--set", "weights=1,1", "iterations=2").exit_code == 0
    config, output = str(tmp_path / "tuned" / "best.toml"), str(tmp_path / "runs")
    arguments = ["run", "toy", "--method", "centroids", "--config", config, "--output", output]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    (path,) = (tmp_path / "runs").glob("*.json")
    settings, tuned = json.loads(path.read_text())["settings"], record_of(tmp_path)["settings"]
    assert tuned["weights"] == [1.0, 1.0]
    assert tuned.items() <= settings.items()


def test_minutes_alone_are_a_budget(toy: tuple[str, ...]) -> None:
    result = invoke(*toy, "--minutes", "0")
    assert result.exit_code == 0, result.output
    assert "Trial 1: accuracy" in result.stderr
    assert "1 trials are finished" in result.stdout


def test_ctrl_c_keeps_what_is_finished_and_opens_no_test_label(
    toy: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    evaluated: list[object],
) -> None:
    real = trials.validation_figures
    calls = list[int]()

    def impatient(method: Centroids, graph: object) -> tuple[float, float]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(method, graph)  # type: ignore[arg-type]

    monkeypatch.setattr(trials, "validation_figures", impatient)
    result = invoke(*toy, "--trials", "5")
    assert result.exit_code == 130
    assert "the same command goes on" in result.stderr
    assert "2 trials are finished" in result.stdout
    assert evaluated == []
    assert (tmp_path / "tuned" / "best.toml").exists()
    assert "5 trials are finished" in invoke(*toy, "--trials", "5").stdout


def test_trials_that_do_not_fit_are_left_out_with_a_line(toy: tuple[str, ...]) -> None:
    result = invoke(*toy, "--trials", "2", "--memory-limit", "1MiB")
    assert result.exit_code == 0
    assert "Trial 2 of 2 is left out: The run would need about" in result.stderr
    assert "No trial is finished" in result.stderr


def files_of(folder: Path) -> tuple[str, ...]:
    """Write tables of 40 nodes in two groups, and return the arguments that read them."""
    rows = [f"n{k},{k % 2 + 0.01 * (k % 7)},{k % 5},{'ab'[k % 2]}" for k in range(40)]
    (folder / "nodes.csv").write_text("\n".join(["id,x,z,y", *rows]))
    edges = [f"n{k},n{(k + 2) % 40}" for k in range(40)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *edges]))
    return (
        *("--nodes", str(folder / "nodes.csv"), "--edges", str(folder / "edges.csv")),
        *("--label-column", "y", "--output", str(folder / "tuned"), "--threads", "1"),
    )


def test_cogsl_is_tuned_on_files(tmp_path: Path) -> None:
    short = ("--set", "mi_hidden=4", "knn_neighbours=3", "--in-trials", "iterations=2")
    result = invoke(*files_of(tmp_path), "--trials", "2", *short)
    assert result.exit_code == 0, result.output
    record = record_of(tmp_path)
    assert record["study"] == "cogsl-nodes"
    assert record["validation_nodes"] == 8  # a fifth of the labelled ones
    assert record["test"] is None
    assert "Before and after" not in result.stdout


def test_test_nodes_of_files_are_set_aside_if_one_likes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "centroids", Centroids)
    (tmp_path / "space.toml").write_text(SPACE)
    shares = ("--val-share", "0.25", "--test-share", "0.5", "--method", "centroids")
    result = invoke(*files_of(tmp_path), *shares, "--trials", "1", *_space(tmp_path)[:2])
    assert result.exit_code == 0, result.output
    assert record_of(tmp_path)["validation_nodes"] == 10
    assert "Before and after" in result.stdout


def test_a_study_of_other_seeds_is_refused(toy: tuple[str, ...]) -> None:
    assert invoke(*toy, "--trials", "1").exit_code == 0
    result = invoke(*toy, "--trials", "2", "--seed", "1")
    assert result.exit_code == 2
    assert "'centroids-toy' was made for other seeds" in result.stderr
    assert invoke(*toy, "--trials", "1", "--seed", "1", "--study", "other").exit_code == 0


def test_storage_may_be_elsewhere(toy: tuple[str, ...], tmp_path: Path) -> None:
    result = invoke(*toy, "--trials", "1", "--storage", f"sqlite:///{tmp_path / 'shared.db'}")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "shared.db").exists()
    assert not (tmp_path / "tuned" / "study.db").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "Give a data set by its name, or files"),
        (("whine",), "did you mean 'wine'?"),
        (("wine", "--method", "mlp"), "'mlp' has no search space; cogsl, gcn have one"),
        (("wine", "--set", "tua=1"), "did you mean 'tau'?"),
        (("wine", "--set", "scope=1,40"), "Fix 'views' with --set, too."),
        (("wine", "--in-trials", "iterations=no"), "'iterations' setting of CoGSL must be"),
        (("wine", "--space", "none.toml"), "Cannot read the file 'none.toml'"),
        (("wine", "--storage", "nowhere"), "must be the address of a database"),
        (("wine", "--memory-limit", "much"), "A size must be written like 8GiB"),
    ],
)
def test_mistakes_get_one_line(arguments: tuple[str, ...], complaint: str, tmp_path: Path) -> None:
    result = invoke(*arguments, "--output", str(tmp_path), "--trials", "1")
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


def test_without_optuna_it_says_what_to_install(
    toy: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    result = invoke(*toy, "--trials", "1")
    assert result.exit_code == 2
    assert "Tuning needs the library 'optuna'" in result.stderr
    assert "compact-gsl[tune]" in result.stderr


def test_a_terminal_shows_bars_and_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120, highlight=False)
    monkeypatch.setattr(tuning_progress, "new_console", lambda **_: console)
    first = Trial(0, {}, 0.8, 0.8, 0.5, 1.0)
    with show_trials(3, None, 0) as display:
        display.on_trial_start(0, 7)
        display.on_trial_end(first, first)
        display.on_trial_end(Trial(1, {}, None, None, None, 1.0, "It grew."), first)
        display.on_trial_start(2, 7).on_iteration({"val_accuracy": 0.875})
    for words in ("1/7", "2/3", "best 80.0 % in trial 1", "2 of 3 is left out: It grew."):
        assert words in screen.getvalue()
    with show_trials(3, None, 3) as display:
        display.on_test_start("before", 4, 9)
    assert "Before, seed 4" in screen.getvalue()


def test_a_choice_by_few_nodes_comes_with_a_caution() -> None:
    first, best = Trial(0, {}, 0.8, 0.80, 0.5, 1.0), Trial(3, {}, 0.9, 0.90, 0.5, 1.0)
    line = format_caution(20, best, first)
    assert line.startswith("The best trial has 2 of 20 validation nodes more right")
    assert "One node is 5.0 points" in line
    assert "by chance" not in format_caution(500, best, first)
    assert format_caution(20, best, None) == ""
