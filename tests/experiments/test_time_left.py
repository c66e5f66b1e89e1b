"""The time that is left, by hand."""

from __future__ import annotations

import pytest

from cogsl.experiments.time_left import TimeLeft


def test_before_any_run_has_ended_the_estimates_count() -> None:
    assert TimeLeft({"a": 10.0, "b": 20.0}).seconds(1) == 30.0


def test_estimates_are_scaled_by_how_wrong_they_were() -> None:
    time = TimeLeft({"a": 10.0, "b": 20.0, "c": 40.0})
    time.on_end("a", 30.0)  # three times as long
    assert time.seconds(1) == 180.0
    time.on_end("b", 15.0)  # 45 s for 30 in all
    assert time.seconds(1) == pytest.approx(60.0)
    time.on_end("c", 1.0)
    assert time.seconds(1) == 0.0


def test_what_was_not_done_here_says_nothing_of_the_speed() -> None:
    time = TimeLeft({"a": 10.0, "b": 20.0})
    time.on_end("a", None)
    assert time.seconds(1) == 20.0


def test_workers_share_the_rest_as_long_as_there_is_a_run_for_each() -> None:
    time = TimeLeft({"a": 10.0, "b": 20.0})
    assert time.seconds(2) == 15.0
    assert time.seconds(8) == 15.0


def test_runs_that_take_no_time_by_the_estimate_scale_nothing() -> None:
    time = TimeLeft({"a": 0.0, "b": 20.0})
    time.on_end("a", 5.0)
    assert time.seconds(1) == 20.0
