"""What tuning came to: what mattered, the best settings as a file, and one look at test labels."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogsl.evaluation.protocol import evaluate
from cogsl.evaluation.provenance import commit, content_hash, versions
from cogsl.experiments.presets import find_method
from cogsl.experiments.records import write_record
from cogsl.experiments.tuning import Trial, Tuning, best_of, digest, trials_of
from cogsl.files import write_text
from cogsl.metrics import METRICS

if TYPE_CHECKING:
    import optuna

    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier
    from cogsl.training.listener import Listener

LEAST_TRIALS = 10  # fewer say nothing about a dozen parameters
BEFORE, AFTER = "before", "after"
_OPENING = "opening "
Start = Callable[[str, int, int], "Listener"]
"""Of "before" or "after", a seed and the most iterations: who hears how the run goes on."""


def importances(tuning: Tuning, study: optuna.Study) -> dict[str, float]:
    """Return the share of each parameter in what trials are worth, by fANOVA, the largest first.

    Empty if fewer than ten trials were finished, or if all are worth the same.
    """
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    worths = [trial.worth for trial in trials_of(tuning, study) if trial.worth is not None]
    if len(worths) < LEAST_TRIALS or len(set(worths)) < 2:
        return {}
    evaluator = FanovaImportanceEvaluator(seed=tuning.seed)
    try:
        return dict(get_param_importances(study, evaluator=evaluator))
    except RuntimeError:  # no tree of the forest could be grown
        return {}


def settings_of_best(tuning: Tuning, best: Trial) -> dict[str, Any]:
    """Return the settings of the best trial that are not the method's defaults."""
    plain = find_method(tuning.method)().get_params()
    tuned = tuning.new_method(best.values).get_params()
    return {name: value for name, value in tuned.items() if value != plain[name]}


def write_best(path: Path, tuning: Tuning, best: Trial, n_trials: int) -> None:
    """Write the best settings as TOML, for ``--config``."""
    lines = [
        f"# The best of {n_trials} trials of {tuning.method} on validation nodes: number "
        f"{best.place + 1},",
        f"# accuracy {best.accuracy:.4f}, loss {best.loss:.4f}. What is not here is the default.",
        *(f"{name} = {_toml(value)}" for name, value in settings_of_best(tuning, best).items()),
    ]
    write_text(path, "\n".join(lines) + "\n")


def write_tuning(
    path: Path, tuning: Tuning, graph: Graph, study: optuna.Study, opening: Mapping[str, Any] | None
) -> None:
    """Write all trials, what mattered, and what the test nodes said, as JSON."""
    trials = trials_of(tuning, study)
    best = best_of(trials)
    record = {
        "study": study.study_name,
        "graph": graph.name,
        "validation_nodes": len(graph.val),
        "identity": tuning.identity(graph),
        "fixed": dict(tuning.fixed),
        "in_trials": dict(tuning.in_trials),
        "space": {name: asdict(p) for name, p in tuning.space.parameters.items()},
        "importances": importances(tuning, study),
        "best": None if best is None else best.place,
        "settings": {} if best is None else settings_of_best(tuning, best),
        "times_test_labels_were_opened": len(openings(study)),
        "test": opening,
        "versions": versions(),
        "commit": commit(),
        "trials": [asdict(trial) for trial in trials],
    }
    write_record(path, record)


def openings(study: optuna.Study) -> list[dict[str, Any]]:
    """Return each time that the test labels were opened, the first one first."""
    found = [v for name, v in study.user_attrs.items() if name.startswith(_OPENING)]
    return sorted(found, key=lambda opening: str(opening["at"]))


def known_comparison(
    tuning: Tuning, graph: Graph, study: optuna.Study, best: Trial, n_seeds: int
) -> dict[str, Any] | None:
    """Return what the test nodes said of these very settings, if they were asked before."""
    asked = _question(tuning, graph, best, n_seeds)
    there = [o for o in openings(study) if o["question"] == asked and o.get(AFTER)]
    return there[-1] if there else None


def compare(
    tuning: Tuning,
    graph: Graph,
    study: optuna.Study,
    best: Trial,
    n_seeds: int,
    on_start: Start | None = None,
) -> dict[str, Any]:
    """Run the method before and after tuning, with the same seeds, and read the test labels.

    The study keeps a record of it, also of one that was ended before there was a result.
    """
    key = _OPENING + uuid.uuid4().hex
    opening: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(),
        "question": _question(tuning, graph, best, n_seeds),
        "trial": best.place,
    }
    study.set_user_attr(key, opening)
    for name, method in _methods(tuning, best).items():
        if name == AFTER and best.place == 0:
            opening[AFTER] = opening[BEFORE]  # nothing was better than the method's own settings
            continue
        opening[name] = [
            _run(method(), graph, seed, name, on_start)
            for seed in range(tuning.seed, tuning.seed + n_seeds)
        ]
    study.set_user_attr(key, opening)
    return opening


def _run(
    method: NodeClassifier, graph: Graph, seed: int, name: str, on_start: Start | None
) -> dict[str, Any]:
    """Return the figures of one run."""
    listener = None if on_start is None else on_start(name, seed, method.max_iterations)
    record = evaluate(method, graph, seed=seed, listener=listener)
    kept = (*METRICS, *(f"val_{metric}" for metric in METRICS), "seconds")
    return {"seed": seed} | {key: record[key] for key in kept}


def _methods(tuning: Tuning, best: Trial) -> dict[str, Callable[[], NodeClassifier]]:
    """Return how to make the method before and after tuning."""
    return {
        BEFORE: lambda: tuning.new_method(tuning.space.defaults),
        AFTER: lambda: tuning.new_method(best.values),
    }


def _question(tuning: Tuning, graph: Graph, best: Trial, n_seeds: int) -> str:
    """Return a hash of all that decides what the test nodes say."""
    settings = [method().get_params() for method in _methods(tuning, best).values()]
    return digest([content_hash(graph), tuning.method, settings, tuning.seed, n_seeds])


def _toml(value: Any) -> str:
    """Return a setting as TOML writes it; what is None is the word that stands for it."""
    return json.dumps("none" if value is None else value)  # both write the rest alike
