"""Optuna's TPE, seeded anew for each trial, so that a study that goes on draws the same trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState


class SeededTPE(BaseSampler):
    """A tree-structured Parzen estimator of all parameters together.

    What it draws depends on the trial's seed and on the trials that are finished, and on nothing
    that a process would have to remember.

    Parameters
    ----------
    seed_of : of a study and one of its trials.
    """

    def __init__(self, seed_of: Callable[[Study, FrozenTrial], int]) -> None:
        self._seed_of = seed_of
        self._tpe = TPESampler(seed=0, multivariate=True)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Begin anew."""
        self._tpe = TPESampler(seed=self._seed_of(study, trial), multivariate=True)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that are drawn together."""
        return self._tpe.infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Draw them."""
        return self._tpe.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw a parameter by itself, as in the first trials."""
        return self._tpe.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Learn of a trial's end."""
        self._tpe.after_trial(study, trial, state, values)
