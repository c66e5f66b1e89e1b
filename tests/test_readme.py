"""What README.md prints works as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=[f"block {n}" for n in range(1, len(BLOCKS) + 1)])
def test_the_python_works_as_printed(block: str, tmp_path: Path) -> None:
    source = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-c", block],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def test_the_first_python_is_at_most_ten_lines() -> None:
    lines = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert 1 <= len(lines) <= 10


def test_the_scripts_it_names_can_be_run() -> None:
    scripts = set(re.findall(r"\bscripts/\w+", README))
    assert {"scripts/run", "scripts/test"} <= scripts
    assert [script for script in scripts if not os.access(ROOT / script, os.X_OK)] == []


def test_its_links_and_pictures_lead_somewhere() -> None:
    targets = set(re.findall(r"\]\(([^)#]+)", README))
    local = {target for target in targets if not target.startswith("https://")}
    assert local
    assert sorted(target for target in local if not (ROOT / target).exists()) == []
