"""One seed becomes named, independent generators; a scope gives the caller's random state back."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Seeds:
    """Independent generators from one seed, one for each name.

    The stream of a name depends on the seed and the name alone, never on which other generators
    were made, or how often they were used.
    """

    seed: int

    def _sequence(self, name: str) -> np.random.SeedSequence:
        return np.random.SeedSequence([self.seed, zlib.crc32(name.encode())])

    def numpy(self, name: str) -> np.random.Generator:
        """Return the NumPy generator of ``name``."""
        return np.random.default_rng(self._sequence(name))

    def torch(self, name: str) -> torch.Generator:
        """Return the PyTorch CPU generator of ``name``."""
        state = self._sequence(name).generate_state(1, np.uint64)[0]
        return torch.Generator().manual_seed(int(state >> np.uint64(1)))


@contextmanager
def random_scope(seed: int) -> Iterator[None]:
    """Seed the global generators inside the scope and restore the caller's state after it.

    Our own samplers take a generator. The scope is for libraries that draw from global state.
    """
    python_state, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
    torch_state = torch.random.get_rng_state()
    try:
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002 - libraries read this one
        torch.manual_seed(seed)
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)  # noqa: NPY002
        torch.random.set_rng_state(torch_state)
