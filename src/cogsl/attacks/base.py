"""What every attack is: a graph in, a worse one out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from cogsl.errors import AttackError
from cogsl.graph import Graph
from cogsl.seeding import Seeds
from cogsl.settings import setting, validate_settings


@dataclass(frozen=True, kw_only=True)
class Attack(ABC):
    """Changes a graph before any method sees it (poisoning); the given graph stays as it is.

    The same seed gives the same attack, whatever method is trained on it.
    """

    ratio: float = setting(0.1, "how strong the attack is; 0 changes nothing", low=0.0)

    def __post_init__(self) -> None:
        validate_settings(self)

    def apply(self, graph: Graph, *, seed: int) -> Graph:
        """Return the attacked graph, with the same nodes, labels and split."""
        return self._attack(graph, Seeds(seed).numpy(f"attack {type(self).__name__}"))

    @abstractmethod
    def _attack(self, graph: Graph, generator: np.random.Generator) -> Graph:
        """Return the attacked graph, drawn with ``generator`` only."""


def check_budget(wanted: int, most: int, what: str, *, n_edges: int) -> None:
    """Raise an error if an attack on edges asks for more than there are.

    Parameters
    ----------
    wanted, most : how many are to be changed, and how many can be.
    what : these, in words.
    n_edges : of the graph, by which the ratio is meant.
    """
    if wanted > most:
        raise AttackError(
            f"The attack wants {wanted:,} {what}, and the graph has {most:,}. Lower 'ratio' to "
            f"{most / n_edges:.3f} or less."
        )
