"""What a run will need, held against what there is, before anything long starts."""

from __future__ import annotations

from dataclasses import dataclass

from cogsl.cost import Estimate, GraphSize, check_memory
from cogsl.evaluation.memory import resident_bytes
from cogsl.machine import free_memory
from cogsl.methods.base import NodeClassifier


@dataclass(frozen=True)
class Forecast:
    """The estimate of a run in this process.

    Parameters
    ----------
    size : the graph's.
    estimate : the method's, beside the graph.
    held : bytes that the process holds already.
    graph_is_loaded : the graph is among these.
    """

    size: GraphSize
    estimate: Estimate
    held: int
    graph_is_loaded: bool

    @property
    def peak_bytes(self) -> float:
        """Bytes of the whole process at its peak."""
        if self.graph_is_loaded:
            return self.held + self.estimate.peak_bytes
        run = self.size.graph_bytes + self.estimate.peak_bytes
        return self.held + max(run, self.size.making_bytes)

    def check(self, limit: int | None = None) -> None:
        """Raise ``MemoryLimitError`` if the run would need more than ``limit`` bytes.

        Without a limit it may use all memory that is free, where that can be known.
        """
        free = free_memory() if limit is None else None
        allowed = limit if free is None else self.held + free
        check_memory(self.peak_bytes, allowed, self.estimate.remedy)


def forecast(method: NodeClassifier, size: GraphSize, *, graph_is_loaded: bool = False) -> Forecast:
    """Return the forecast of a method's run on a graph of that size in this process."""
    return Forecast(size, method.estimate(size), resident_bytes() or 0, graph_is_loaded)
