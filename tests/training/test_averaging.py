from __future__ import annotations

import torch

from cogsl.training import RunningAverage, StateAverage


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


def test_every_parameter_of_a_state_is_averaged() -> None:
    average = StateAverage(0.75)
    assert not average.state
    for number in (4.0, 8.0):
        first, second = torch.tensor([number]), torch.tensor([[-number]])
        average.update([{"a": first, "b": second}, {"a": second}])
    plain = [{name: value.tolist() for name, value in group.items()} for group in average.state]
    assert plain == [{"a": [5.0], "b": [[-5.0]]}, {"a": [[-5.0]]}]
