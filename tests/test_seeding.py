from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from cogsl.seeding import Seeds, random_scope


def draws(seeds: Seeds, name: str) -> list[float]:
    """Return the first numbers of both generators of a name."""
    from_numpy = seeds.numpy(name).random(3)
    from_torch = torch.rand(3, generator=seeds.torch(name), dtype=torch.float64)
    return [*from_numpy.tolist(), *from_torch.tolist()]


def global_state() -> list[Any]:
    """Return what the three global generators would draw next, without drawing."""
    from_numpy: dict[str, Any] = np.random.get_state(legacy=False)  # noqa: NPY002
    torch_state = torch.random.get_rng_state().tolist()
    return [
        random.getstate(),
        from_numpy["state"]["key"].tolist(),
        from_numpy["state"]["pos"],
        torch_state,
    ]


def global_draws() -> list[float]:
    """Draw from the three global generators."""
    return [random.random(), float(np.random.rand()), float(torch.rand(()))]  # noqa: NPY002


def test_stream_depends_on_seed_and_name_alone() -> None:
    seeds = Seeds(4)
    alone = draws(Seeds(4), "b")
    draws(seeds, "a")
    draws(seeds, "c")
    assert draws(seeds, "b") == alone


def test_using_one_generator_does_not_move_another() -> None:
    seeds = Seeds(0)
    used, other = seeds.torch("used"), seeds.torch("other")
    torch.rand(1000, generator=used)
    expected = torch.rand(5, generator=Seeds(0).torch("other"))
    assert torch.equal(torch.rand(5, generator=other), expected)


@pytest.mark.parametrize("other", [(0, "b"), (1, "a"), (2**40, "a")])
def test_another_seed_or_name_gives_another_stream(other: tuple[int, str]) -> None:
    first, second = draws(Seeds(0), "a"), draws(Seeds(other[0]), other[1])
    assert not set(first) & set(second)


def test_streams_of_two_names_are_uncorrelated() -> None:
    first, second = (Seeds(0).numpy(name).normal(size=20_000) for name in "ab")
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / np.sqrt(20_000)
    left, right = (torch.randn(20_000, generator=Seeds(0).torch(name)) for name in "ab")
    assert abs(float(torch.corrcoef(torch.stack([left, right]))[0, 1])) < 5 / np.sqrt(20_000)


def test_generators_leave_the_global_ones_alone() -> None:
    before = global_state()
    draws(Seeds(0), "a")
    assert global_state() == before


@pytest.mark.parametrize("seed", [0, 7, 2**32 + 7])
def test_scope_seeds_every_global_generator(seed: int) -> None:
    with random_scope(seed):
        first = global_draws()
    global_draws()
    with random_scope(seed):
        assert global_draws() == first
    with random_scope(seed + 1):
        assert not set(global_draws()) & set(first)


def test_scope_restores_the_callers_state() -> None:
    before = global_state()
    with random_scope(3):
        global_draws()
        assert global_state() != before
    assert global_state() == before


def test_scope_restores_the_callers_state_after_an_exception() -> None:
    before = global_state()

    def draw_and_fail() -> None:
        with random_scope(3):
            global_draws()
            raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        draw_and_fail()
    assert global_state() == before


def test_scope_inside_a_scope_restores_the_outer_one() -> None:
    with random_scope(1):
        undisturbed = global_draws()
    with random_scope(1):
        with random_scope(2):
            global_draws()
        assert global_draws() == undisturbed
