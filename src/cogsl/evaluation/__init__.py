"""From a method and a graph to figures: one flat record a run, and statistics over runs."""

from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.statistics import (
    PairedDifference,
    holm,
    mean_and_deviation,
    paired_difference,
    paired_p_value,
)

__all__ = [
    "PairedDifference",
    "Record",
    "evaluate",
    "holm",
    "mean_and_deviation",
    "paired_difference",
    "paired_p_value",
]
