"""Work for executors to do; other processes must be able to import it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from cogsl.errors import InputError
from cogsl.experiments.grid import Answer, Job


def square(number: int) -> int:
    return number * number


def threads(_: int) -> int:
    return torch.get_num_threads()


def fail_on_three(number: int) -> int:
    if number == 3:
        raise InputError("three")
    return number


def crash_on_three(number: int) -> int:
    if number == 3:
        raise ZeroDivisionError
    return number


@dataclass(frozen=True)
class DieOnce:
    """Kills its process the first time that it is given a number; counts the others' runs."""

    folder: Path
    victim: int
    always: bool = False

    def __call__(self, number: int) -> int:
        marker = self.folder / f"died-{number}"
        if number == self.victim and (self.always or not marker.exists()):
            marker.touch()
            os._exit(9)
        time.sleep(0.05)
        return number * number


def slow_square(number: int) -> int:
    time.sleep(0.5)
    return number * number


@dataclass(frozen=True)
class TellAndSleep:
    """Leaves a file with its process's number as the name, and does nothing for long."""

    folder: Path

    def __call__(self, number: int) -> int:
        (self.folder / str(os.getpid())).touch()
        time.sleep(60)
        return number


@dataclass(frozen=True)
class OnNodes:
    """Does a job, and leaves a line about the node of a Ray cluster that it is done on.

    On one of the nodes it goes to sleep instead, and on the others it waits until that has a job.
    """

    work: Callable[[Job], Answer]
    log: Path
    asleep: str

    def __call__(self, job: Job) -> Answer:
        import ray

        node = ray.get_runtime_context().get_node_id()
        with self.log.open("a") as file:
            file.write(f"{job.key} {node}\n")
        for _ in range(600):
            if node != self.asleep and self.asleep in self.log.read_text():
                break
            time.sleep(0.1)
        return self.work(job)
