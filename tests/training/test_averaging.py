from __future__ import annotations

import torch

from cogsl.training import RunningAverage


def test_average_by_hand() -> None:
    average = RunningAverage(0.75)
    values = [torch.tensor([4.0, 0.0]), torch.tensor([8.0, 0.0]), torch.tensor([0.0, 1.0])]
    results = [average.update(value).tolist() for value in values]
    assert results == [[4.0, 0.0], [5.0, 0.0], [3.75, 0.25]]


def test_without_weight_of_the_past_it_is_the_last_value() -> None:
    average = RunningAverage(0.0)
    average.update(torch.tensor([4.0]))
    assert average.update(torch.tensor([7.0])).tolist() == [7.0]


def test_an_earlier_average_is_not_altered_by_later_values_or_by_its_input() -> None:
    average, value = RunningAverage(0.5), torch.tensor([2.0])
    first = average.update(value)
    second = average.update(torch.tensor([4.0]))
    average.update(torch.tensor([100.0]))
    value.zero_()
    assert first.tolist() == [2.0]
    assert second.tolist() == [3.0]
