"""The loss functions of the paper, and of what it is compared with: pure functions."""

from cogsl.losses.classification import classification_loss
from cogsl.losses.contrast import LEAST_TAU, Workspace
from cogsl.losses.grace import grace_loss
from cogsl.losses.infonce import infonce
from cogsl.losses.objective import LossWeights, eta_schedule, mi_loss, view_objective

__all__ = [
    "LEAST_TAU",
    "LossWeights",
    "Workspace",
    "classification_loss",
    "eta_schedule",
    "grace_loss",
    "infonce",
    "mi_loss",
    "view_objective",
]
