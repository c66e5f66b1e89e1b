"""Trials, importances and comparisons as tables and lines: pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cogsl.cli.formatting import format_mean, format_seconds, format_value

if TYPE_CHECKING:
    from cogsl.experiments.search_space import Space
    from cogsl.experiments.tuning import Trial

_FEW_NODES = 200
_METRICS = {"macro_f1": "Macro-F1", "micro_f1": "Micro-F1", "auc": "AUC"}


def format_trial(trial: Trial, n_trials: int | None, best: Trial | None) -> str:
    """Return one plain line about a trial that ended, and which is the best so far."""
    of_all = "" if n_trials is None else f" of {n_trials}"
    head = f"Trial {trial.place + 1}{of_all}"
    if trial.worth is None:
        return f"{head} is left out: {trial.reason}"
    seconds = format_seconds(trial.seconds)
    return f"{head}: {_figures(trial)}, {seconds}; {format_best(best)}"


def format_best(best: Trial | None) -> str:
    """Return the best trial so far in a few words."""
    if best is None:
        return "no trial is finished"
    return f"best {100 * (best.accuracy or 0.0):.1f} % in trial {best.place + 1}"


def format_best_trials(trials: Sequence[Trial], space: Space, most: int) -> Table:
    """Return the best trials, and the one with the method's own settings, which is the first."""
    counted = sorted((t for t in trials if t.worth is not None), key=lambda t: -(t.worth or 0.0))
    own = space.settings(space.defaults)
    shown = counted[:most] + [t for t in counted[most:] if t.place == 0]
    table = Table(title="The best trials", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for title in ("Trial", "Accuracy", "Loss", "Time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("Settings that differ from the first trial's")
    for t in shown:
        changed = {k: v for k, v in space.settings(t.values).items() if v != own[k]}
        words = " ".join(f"{name}={format_value(value)}" for name, value in changed.items())
        accuracy, loss = 100 * (t.accuracy or 0.0), t.loss or 0.0
        cells = (str(t.place + 1), f"{accuracy:.1f}", f"{loss:.3f}", format_seconds(t.seconds))
        table.add_row(*cells, Text(words or "nothing"))
    table.caption = f"Validation nodes; {_counted(len(counted), len(trials))}"
    return table


def format_importances(
    found: Mapping[str, float], best: Trial, defaults: Mapping[str, Any]
) -> Table:
    """Return each parameter's share in what trials are worth, its default and its best value."""
    table = Table(title="What mattered", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for title in ("Parameter", "Share", "Default", "Best trial"):
        table.add_column(title, justify="right" if title == "Share" else "left", no_wrap=True)
    for name, share in found.items():
        values = (_word(defaults[name]), _word(best.values[name]))
        table.add_row(name, f"{100 * share:.0f} %", *values)
    table.caption = "fANOVA: the share of a parameter alone; rough, with so few trials."
    return table


def format_comparison(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> Table:
    """Return the figures of the test nodes before and after tuning, in percent."""
    from cogsl.evaluation.statistics import mean_and_deviation

    table = Table(title="Before and after", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for title in (*_METRICS.values(), "Runs"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, runs in (("Defaults", before), ("Best trial", after)):
        cells = [format_mean(*mean_and_deviation([r[m] for r in runs])) for m in _METRICS]
        table.add_row(name, *cells, str(len(runs)))
    table.add_row("Difference", *(_difference(before, after, m) for m in _METRICS), "")
    table.caption = "Test nodes, in percent; mean ± standard deviation, the same seeds."
    return table


def format_caution(n_nodes: int, best: Trial, first: Trial | None) -> str:
    """Return what a user must know about a choice by so many nodes; "" if there is nothing."""
    if first is None or first.accuracy is None or best.accuracy is None:
        return ""
    gained = round((best.accuracy - first.accuracy) * n_nodes, 1)
    line = f"The best trial has {gained:g} of {n_nodes} validation nodes more right than the first."
    if n_nodes >= _FEW_NODES:
        return line
    return f"{line} One node is {100 / n_nodes:.1f} points: so few nodes choose by chance, mostly."


def _figures(trial: Trial) -> str:
    return f"accuracy {100 * (trial.accuracy or 0.0):.1f} %, loss {trial.loss:.3f}"


def _counted(n_counted: int, n_all: int) -> str:
    left_out = n_all - n_counted
    return f"{n_counted} trials are finished" + (f", {left_out} left out." if left_out else ".")


def _word(value: Any) -> str:
    return "+".join(value) if isinstance(value, tuple) else format_value(value)


def _difference(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]], metric: str
) -> str:
    """Return the mean difference in points, with its 95 % interval if there are several runs."""
    from cogsl.evaluation.statistics import paired_difference

    pairs = [100 * r[metric] for r in after], [100 * r[metric] for r in before]
    if len(before) < 2:
        return f"{pairs[0][0] - pairs[1][0]:+.1f}"
    d = paired_difference(*pairs)
    return f"{d.mean:+.1f} [{d.low:+.1f}, {d.high:+.1f}]"
