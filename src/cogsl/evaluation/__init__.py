"""From a method and a graph to figures: one flat record a run, and statistics over runs."""

from cogsl.evaluation.protocol import Record, evaluate
from cogsl.evaluation.statistics import PairedDifference, mean_and_deviation, paired_difference

__all__ = ["PairedDifference", "Record", "evaluate", "mean_and_deviation", "paired_difference"]
