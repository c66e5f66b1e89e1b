"""Tuning: what is searched, and the trials of a study."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cogsl
from cogsl.evaluation.protocol import hide_test_labels
from cogsl.evaluation.provenance import content_hash
from cogsl.experiments import studies
from cogsl.experiments.presets import find_method
from cogsl.experiments.search_files import read_space
from cogsl.experiments.search_space import Space, Values
from cogsl.settings import coerce_settings

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What is tuned, and how.

    Parameters
    ----------
    method : its name.
    space : what is drawn.
    fixed : settings that are the same in every trial, and afterwards.
    in_trials : settings of the trials alone, e.g. fewer iterations.
    seed : of what is drawn, and of the first run of each trial.
    seeds_per_trial : runs of each trial, one a seed.
    """

    method: str
    space: Space
    fixed: Mapping[str, Any] = field(default_factory=dict)
    in_trials: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    seeds_per_trial: int = 1

    def new_method(self, values: Values, *, in_trial: bool = False) -> NodeClassifier:
        """Return the method, unfitted, with drawn values, in a trial or after all of them."""
        kind = find_method(self.method)
        drawn = coerce_settings(kind, self.space.settings(values))
        return kind(**{**self.fixed, **drawn, **(self.in_trials if in_trial else {})})

    def identity(self, graph: Graph) -> dict[str, Any]:
        """Return what a study is made for; test labels are no part of it."""
        settings = self.new_method(self.space.defaults, in_trial=True).get_params()
        return {
            "graph": content_hash(hide_test_labels(graph)),
            "method": self.method,
            "space": self.space.digest,
            "settings": digest([settings, dict(self.fixed)]),
            "seeds": [self.seed, self.seeds_per_trial],
            "version": cogsl.__version__,
        }


@dataclass(frozen=True)
class Trial:
    """A finished trial.

    Parameters
    ----------
    place : in the study, from 0; the trial at 0 has the method's own settings.
    values : what was drawn.
    worth : what is maximised; None if the trial was left out.
    accuracy, loss : of the validation nodes, means over the runs.
    seconds : of all its runs.
    reason : why it was left out.
    """

    place: int
    values: Values
    worth: float | None
    accuracy: float | None
    loss: float | None
    seconds: float
    reason: str = ""


def prepare(
    method: str,
    *,
    fixed: Mapping[str, object] | None = None,
    in_trials: Mapping[str, object] | None = None,
    space_file: Path | None = None,
    seed: int = 0,
    seeds_per_trial: int = 1,
) -> Tuning:
    """Check everything that can be checked without a graph, and return what to tune."""
    kind = find_method(method)
    still, short = coerce_settings(kind, fixed or {}), coerce_settings(kind, in_trials or {})
    space = read_space(method, still, held=tuple(short), file=space_file)
    tuning = Tuning(
        method=method,
        space=space,
        fixed=still,
        in_trials=short,
        seed=seed,
        seeds_per_trial=seeds_per_trial,
    )
    for in_trial in (False, True):
        tuning.new_method(space.defaults, in_trial=in_trial).validate()
    return tuning


def trials_of(tuning: Tuning, study: optuna.Study) -> list[Trial]:
    """Return the finished trials in their order."""
    done = studies.finished(study)
    return [_trial_of(tuning, place, trial) for place, trial in done.items()]


def best_of(trials: list[Trial]) -> Trial | None:
    """Return the trial of the highest worth, of equals the first; None if all were left out."""
    counted = [trial for trial in trials if trial.worth is not None]
    return max(counted, key=lambda trial: trial.worth or 0.0, default=None)


def digest(thing: object) -> str:
    """Return a hash of something that JSON can write."""
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()


def _trial_of(tuning: Tuning, place: int, trial: FrozenTrial) -> Trial:
    worth = trial.value if trial.state.name == "COMPLETE" else None
    return new_trial(tuning, place, trial.params, trial.user_attrs[studies.FIGURES], worth)


def new_trial(
    tuning: Tuning, place: int, stored: Values, figures: Mapping[str, Any], worth: float | None
) -> Trial:
    """Return a trial from what the study holds of it."""
    return Trial(
        place=place,
        values=tuning.space.restored(stored),
        worth=worth,
        accuracy=figures.get("accuracy"),
        loss=figures.get("loss"),
        seconds=figures["seconds"],
        reason=figures.get("reason", ""),
    )
