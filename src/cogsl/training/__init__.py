"""Loops that know no model."""

from cogsl.training.alternation import adam, descend, held_still
from cogsl.training.averaging import RunningAverage, StateAverage
from cogsl.training.linear_probe import (
    SCALINGS,
    STRENGTHS,
    Probe,
    linear_probe,
    probe_seconds,
)
from cogsl.training.listener import Listener, SilentListener
from cogsl.training.selection import AccuracyRule, JointRule, KeepRule, LossRule, Patience
from cogsl.training.supervised import Outcome, train_supervised
from cogsl.training.unsupervised import ProbedOutcome, train_unsupervised
from cogsl.training.validation import LabelledNodes

__all__ = [
    "SCALINGS",
    "STRENGTHS",
    "AccuracyRule",
    "JointRule",
    "KeepRule",
    "LabelledNodes",
    "Listener",
    "LossRule",
    "Outcome",
    "Patience",
    "Probe",
    "ProbedOutcome",
    "RunningAverage",
    "SilentListener",
    "StateAverage",
    "adam",
    "descend",
    "held_still",
    "linear_probe",
    "probe_seconds",
    "train_supervised",
    "train_unsupervised",
]
