"""From a method and a graph to figures: one flat record a run, and statistics over runs."""

from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.statistics import (
    PairedDifference,
    average_ranks,
    bootstrap_interval,
    half_width,
    holm,
    mean_and_deviation,
    mean_interval,
    paired_difference,
    paired_p_value,
)

__all__ = [
    "PairedDifference",
    "Record",
    "average_ranks",
    "bootstrap_interval",
    "evaluate",
    "half_width",
    "holm",
    "mean_and_deviation",
    "mean_interval",
    "paired_difference",
    "paired_p_value",
]
