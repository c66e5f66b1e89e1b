"""A process is known to be gone only if it is."""

from __future__ import annotations

import json
import subprocess
import sys

from cogsl.experiments.workers import has_died, this_worker


def test_this_process_is_there() -> None:
    assert not has_died(this_worker())


def test_a_process_that_ended_is_gone() -> None:
    code = "import json; from cogsl.experiments import workers; "
    command = [sys.executable, "-c", code + "print(json.dumps(workers.this_worker()))"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert has_died(json.loads(done.stdout))


def test_another_process_with_the_same_number_is_not_the_same() -> None:
    assert has_died(this_worker() | {"born": -1})


def test_of_another_machine_nothing_is_known() -> None:
    assert not has_died(this_worker() | {"host": "elsewhere", "pid": 2**22 + 1})
    assert not has_died({})
