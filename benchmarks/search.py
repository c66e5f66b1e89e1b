"""Which settings are best, judged by validation nodes alone.

    python -m benchmarks.search --dataset wine --splits 30 --jobs 2
    python -m benchmarks.search --dataset wine --method gat --write-preset

The candidates of a method are the tables of ``candidates/<method>.toml``. With ``--write-preset``
the best one becomes the method's ``paper`` preset for the data set.

The validation nodes of a split are halved by chance; a method chooses its iteration with one half
and is judged on the other, then the other way round. The labels of all other nodes but those it is
trained on are hidden, as in every evaluation, and none of them is read. Where splits are drawn they
are not those of ``benchmarks.accuracy``, though they are drawn from the same nodes; a public split
is the same there and here, and only its halving differs.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, run_grid

if TYPE_CHECKING:
    from cogsl.graph import Graph
    from cogsl.methods.base import NodeClassifier

CANDIDATES = Path(__file__).with_name("candidates")
PRESETS = Path(__file__).parents[1] / "src" / "cogsl" / "experiments" / "presets"
FIRST_SPLIT = 100  # those of the reported accuracy count from 0


@dataclass(frozen=True)
class Trial:
    """One run: a candidate on one half of the validation nodes of one split."""

    dataset: str
    candidate: str
    split_seed: int
    half: int
    overrides: tuple[tuple[str, str], ...] = ()
    method: str = "cogsl"  # whose candidates they are


def halves_of(graph: Graph, split_seed: int) -> tuple[Graph, Graph]:
    """Return the graph twice: one half of its validation nodes validates, the other one judges."""
    import numpy as np

    nodes = np.random.default_rng(split_seed).permutation(graph.val)
    one, other = nodes[: len(nodes) // 2], nodes[len(nodes) // 2 :]
    return graph.with_split(graph.train, one, other), graph.with_split(graph.train, other, one)


def read_candidates(method: str = "cogsl") -> dict[str, dict[str, Any]]:
    """Return the settings of every candidate of a method."""
    return tomllib.loads((CANDIDATES / f"{method}.toml").read_text(encoding="utf-8"))


def method_of(trial: Trial) -> NodeClassifier:
    """Return a candidate's method, unfitted; its own settings win over the trial's."""
    from cogsl.experiments.presets import divide, find_method, resolve

    candidate = read_candidates(trial.method)[trial.candidate]
    named = {"method": trial.method, "preset": "default", **candidate}
    name, preset = named.pop("method"), named.pop("preset")
    given = divide(trial.method, trial.dataset, dict(trial.overrides))[0]
    common = given if name == trial.method else {}
    return find_method(name)(**resolve(name, trial.dataset, preset, {**common, **named}))


def graph_of(trial: Trial) -> Graph:
    """Return the graph of a trial's split; one that is drawn by settings is drawn for each."""
    from cogsl import datasets
    from cogsl.experiments.presets import divide

    overrides = dict(trial.overrides)
    seed, settings = trial.split_seed, divide(trial.method, trial.dataset, overrides)[1]
    if datasets.settings_class(trial.dataset):
        settings = {"graph_seed": seed} | settings
    return datasets.load(trial.dataset, split_seed=seed, settings=settings)


def run_trial(trial: Trial) -> dict[str, Any]:
    """Run one trial and return its figures, as shares."""
    import torch

    from cogsl.evaluation import evaluate

    torch.set_num_threads(1)
    method = method_of(trial)
    judged = halves_of(graph_of(trial), trial.split_seed)[trial.half]
    record = evaluate(method, judged, seed=trial.split_seed)
    kept = ("accuracy", "macro_f1", "auc", "best_iter", "seconds", "commit")
    return asdict(trial) | {key: record[key] for key in kept}


def accuracies(records: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return each candidate's accuracy in percent, the mean of both halves, split by split."""
    by_candidate: dict[str, dict[int, list[float]]] = {}
    for record in records:
        by_split = by_candidate.setdefault(record["candidate"], {})
        by_split.setdefault(record["split_seed"], []).append(100 * record["accuracy"])
    return {
        name: [sum(both) / len(both) for both in by_split.values()]
        for name, by_split in by_candidate.items()
    }


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return one row a candidate: accuracy on the judging half, and the difference to the first."""
    from cogsl.evaluation.statistics import mean_and_deviation

    table = Table(title=f"{dataset}: accuracy of the validation nodes that judge")
    figures = accuracies(records)
    first = next(iter(figures))
    for head in ("", "accuracy", f"over {first} (95 %)", "s/run"):
        table.add_column(head)
    for name, values in figures.items():
        difference = format_difference(values, figures[first]) if name != first else ""
        seconds = [r["seconds"] for r in records if r["candidate"] == name]
        cells = (f"{mean_and_deviation(values)[0]:.2f}", difference)
        table.add_row(name, *cells, f"{mean_and_deviation(seconds)[0]:.1f}")
    return table


def best_of(records: list[dict[str, Any]]) -> str:
    """Return the candidate with the highest mean accuracy; of equals, the first."""
    figures = accuracies(records)
    return max(figures, key=lambda name: sum(figures[name]) / len(figures[name]))


def write_preset(
    method: str, dataset: str, records: list[dict[str, Any]], folder: Path = PRESETS
) -> Path:
    """Write the best candidate's settings as the method's preset for the data set."""
    from cogsl.files import write_text

    name, runs = best_of(records), len(records)
    lines = [f"# {name!r}: the best of {len(accuracies(records))} candidates on validation nodes,"]
    lines.append(f"# {runs} runs; python -m benchmarks.search --method {method}.")
    common = dict(records[0]["overrides"])
    if common:
        words = ", ".join(f"{key} = {value}" for key, value in common.items())
        lines.append(f"# All candidates were searched with {words}, which is not taken over.")
    lines += [f"{key} = {_toml(value)}" for key, value in read_candidates(method)[name].items()]
    path = folder / method / "paper" / f"{dataset}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n".join(lines) + "\n")
    return path


def _toml(value: Any) -> str:
    return json.dumps(value)  # numbers, words, true and lists are written alike in both


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    method: Annotated[str, typer.Option(help="whose candidates")] = "cogsl",
    candidate: Annotated[list[str] | None, typer.Option(help="all if none")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value for the method or the data set")
    ] = None,
    splits: Annotated[int, typer.Option(help="splits of each data set")] = 30,
    summary: Annotated[Path | None, typer.Option(help="file that the records are put into")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
    write: Annotated[
        bool, typer.Option("--write-preset", help="make the best one the paper preset")
    ] = False,
) -> None:
    """Run every candidate and print one table a data set."""
    from cogsl.experiments.presets import parse_assignments

    overrides = tuple(parse_assignments(set_ or []).items())
    todo = {
        each: [
            Trial(each, name, FIRST_SPLIT + k, half, overrides, method)
            for name in candidate or read_candidates(method)
            for k in range(splits)
            for half in (0, 1)
        ]
        for each in dataset
    }

    def show(name: str, records: list[dict[str, Any]]) -> Table:
        table = format_table(name, records)
        if write:
            path = write_preset(method, name, records)
            table.caption = f"Best: {best_of(records)}; written to {path.relative_to(PRESETS)}."
        return table

    group = ("dataset", "method", "candidate", "overrides")
    run_grid(run_trial, todo, show, jobs=jobs, summary=summary, group=group)


if __name__ == "__main__":
    typer.run(main)
