"""The command as a whole: help, version, and how fast it starts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import cogsl
from cogsl.cli import app

HEAVY = {"torch", "sklearn", "scipy", "numpy", "torch_geometric", "optuna"}


def test_help_names_the_commands() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "run" in result.stdout
    assert "datasets" in result.stdout


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"cogsl {cogsl.__version__}\n"


def test_every_option_of_run_is_in_its_help() -> None:
    result = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "200"})
    options = "method seeds seed split-seed preset set config output threads data-root"
    for option in (*options.split(), "help-settings"):
        assert f"--{option}" in result.stdout


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["datasets", "--help"], ["tune", "--help"]]
)
def test_help_loads_no_heavy_library(arguments: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['cogsl', *sys.argv[1:]]\n"
        "from cogsl.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "typer" in loaded
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_takes_less_than_a_second_of_computing(arguments: list[str]) -> None:
    code = (
        "import sys, time\n"
        "from cogsl.cli import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(str(time.process_time()))"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stderr) < 1.0  # the process's own time: the machine may be busy
