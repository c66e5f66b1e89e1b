"""The set-up script's errors and the pinned versions."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def set_up(python: str, venv: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "setup", *arguments],
        env=os.environ | {"PYTHON": python, "COGSL_VENV": str(venv)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def fake_python(folder: Path, refuses: str) -> str:
    """Write an interpreter that fails each command that mentions ``refuses``."""
    path = folder / "python"
    cases = f'*{refuses}*) exit 1 ;;\n--version) echo "Python 3.9.2" ;;'
    path.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}\nesac\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("refuses", "message"),
    [
        ("version_info", "is Python 3.9.2, but Python 3.11 or newer is needed"),
        ("ensurepip", "cannot make virtual environments"),
    ],
)
def test_an_interpreter_that_will_not_do_is_named(
    tmp_path: Path, refuses: str, message: str
) -> None:
    python = fake_python(tmp_path, refuses)
    run = set_up(python, tmp_path / "venv")
    assert run.returncode == 1
    assert f"'{python}' {message}" in run.stderr
    assert not (tmp_path / "venv").exists()


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    run = set_up("no-such-python", tmp_path / "venv")
    assert run.returncode == 1
    assert "there is no 'no-such-python'" in run.stderr


def test_an_unknown_kind_of_set_up_is_named(tmp_path: Path) -> None:
    run = set_up("python3", tmp_path / "venv", "dve")
    assert run.returncode == 1
    assert "unknown kind of set-up 'dve'" in run.stderr


@pytest.mark.parametrize("script", ["setup", "run", "test", "check"])
def test_a_script_is_plain_sh_and_can_be_run(script: str) -> None:
    path = ROOT / "scripts" / script
    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", path], check=True, timeout=60)


def test_each_direct_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = {_name(line) for lines in (project["dependencies"], *extras) for line in lines}
    assert wanted - {_name(line) for line in pins()} == {project["name"]}


def test_each_pin_is_one_exact_public_version() -> None:
    assert [pin for pin in pins() if not re.fullmatch(r"[\w.-]+==[\d.]+", pin)] == []


def pins() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _name(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()
