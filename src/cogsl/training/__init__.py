"""Loops that know no model."""

from cogsl.training.alternation import adam, descend, held_still
from cogsl.training.averaging import RunningAverage
from cogsl.training.listener import Listener, SilentListener
from cogsl.training.selection import AccuracyRule, JointRule, KeepRule, LossRule, Patience
from cogsl.training.supervised import Outcome, train_supervised
from cogsl.training.validation import LabelledNodes

__all__ = [
    "AccuracyRule",
    "JointRule",
    "KeepRule",
    "LabelledNodes",
    "Listener",
    "LossRule",
    "Outcome",
    "Patience",
    "RunningAverage",
    "SilentListener",
    "adam",
    "descend",
    "held_still",
    "train_supervised",
]
