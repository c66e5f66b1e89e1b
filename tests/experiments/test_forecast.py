"""What a run will need, held against what there is."""

from __future__ import annotations

import pytest

from cogsl.cost import GraphSize
from cogsl.errors import MemoryLimitError
from cogsl.experiments.forecast import Forecast, forecast
from tests.fakes import Centroids

SIZE = GraphSize(nodes=1000, entries=4000, features=10, classes=2, train=10)


def make(*, loaded: bool, held: int = 5_000_000) -> Forecast:
    return Forecast(SIZE, Centroids().estimate(SIZE), held, loaded)


def test_the_peak_is_what_is_held_the_graph_and_the_run() -> None:
    assert make(loaded=True).peak_bytes == 5_000_000 + 2_000_000
    assert make(loaded=False).peak_bytes == 5_000_000 + SIZE.graph_bytes + 2_000_000


def test_a_run_that_needs_more_than_the_limit_is_refused_with_a_remedy() -> None:
    needed = make(loaded=True)
    needed.check(8_000_000)
    with pytest.raises(MemoryLimitError, match=r"about 7 MiB of memory, and 6 MiB may be.*Wait"):
        needed.check(6_500_000)


def test_without_a_limit_the_free_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = make(loaded=True)
    monkeypatch.setattr("cogsl.experiments.forecast.free_memory", lambda: 3_000_000)
    needed.check()
    monkeypatch.setattr("cogsl.experiments.forecast.free_memory", lambda: 1_000_000)
    with pytest.raises(MemoryLimitError):
        needed.check()
    monkeypatch.setattr("cogsl.experiments.forecast.free_memory", lambda: None)
    needed.check()


def test_a_forecast_counts_what_this_process_holds() -> None:
    assert forecast(Centroids(), SIZE).held > 10_000_000
