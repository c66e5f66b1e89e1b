"""What the machine can give."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from cogsl import machine
from cogsl.errors import InputError

STAT = "cpu  {work} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3\n"


class FakeMachine:
    """A /proc in a folder, in which some ticks pass while somebody sleeps."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
        self.folder, self.then = folder, (0, 0)
        monkeypatch.setattr(machine, "_PROC", folder)
        monkeypatch.setattr(machine, "_CGROUP", folder)
        monkeypatch.setattr("cogsl.machine.os.cpu_count", lambda: processors)
        monkeypatch.setattr(machine, "usable_processors", lambda: processors)
        monkeypatch.setattr("cogsl.machine.time.sleep", lambda _: self.write(*self.then))
        self.write(100, 100)

    def write(self, work: int, idle: int) -> None:
        (self.folder / "stat").write_text(STAT.format(work=work, idle=idle))


@pytest.mark.parametrize(
    ("processors", "work", "idle", "threads"),
    [
        (4, 0, 40, 4),  # nobody works
        (4, 10, 30, 3),  # one processor of four
        (4, 40, 0, 1),  # all of them
        (2, 11, 9, 1),  # about one of two
        (2, 2, 18, 2),  # a tenth of the time does not count
        (1, 0, 10, 1),
    ],
)
def test_threads_are_the_processors_that_nobody_else_needs(
    processors: int,
    work: int,
    idle: int,
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeMachine(tmp_path, monkeypatch, processors)
    fake.then = (100 + work, 100 + idle)
    assert machine.idle_threads() == threads


def test_without_proc_the_load_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_PROC", tmp_path)
    monkeypatch.setattr(machine, "usable_processors", lambda: 8)
    monkeypatch.setattr("cogsl.machine.os.getloadavg", lambda: (2.9, 0.0, 0.0), raising=False)
    assert machine.idle_threads() == 5


def test_free_memory_is_what_is_available_or_what_a_container_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_PROC", tmp_path)
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    assert machine.free_memory() is None
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000 kB\n")
    assert machine.free_memory() == 2000 * 1024
    (tmp_path / "memory.current").write_text("1000000")
    (tmp_path / "memory.max").write_text("max")
    assert machine.free_memory() == 2000 * 1024
    (tmp_path / "memory.max").write_text("1500000")
    assert machine.free_memory() == 500000


def test_this_machine_has_a_processor_for_us() -> None:
    assert 1 <= machine.idle_threads() <= machine.usable_processors()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8GiB", 8 << 30),
        ("500 MB", 500 << 20),
        ("1.5g", 3 << 29),
        ("2e9", 2 * 10**9),
        ("64k", 1 << 16),
        ("1t", 1 << 40),
    ],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert machine.parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "8 apples", "-1GiB", "0", "1..2g"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="8GiB"):
        machine.parse_bytes(text)


@pytest.mark.parametrize(
    ("size", "text"), [(640 << 20, "640 MiB"), (5 << 29, "2.5 GiB"), (1 << 20, "1 MiB")]
)
def test_sizes_are_written(size: int, text: str) -> None:
    assert machine.format_bytes(size) == text


def test_one_thread_and_then_as_many_as_before() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with machine.one_thread() as outside:
            assert (torch.get_num_threads(), outside) == (1, 2)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
