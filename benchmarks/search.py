"""Which settings are best, judged by validation nodes alone.

    python -m benchmarks.search --dataset wine --splits 30 --jobs 2

The validation nodes of a split are halved by chance; a method chooses its iteration with one half
and is judged on the other, then the other way round. The labels of all other nodes but those it is
trained on are hidden, as in every evaluation, and none of them is read. The splits are not those
of ``benchmarks.accuracy``, though they are drawn from the same nodes.
"""

from __future__ import annotations

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

CANDIDATES = Path(__file__).with_name("candidates.toml")
FIRST_SPLIT = 100  # those of the reported accuracy count from 0


@dataclass(frozen=True)
class Trial:
    """One run: a candidate on one half of the validation nodes of one split."""

    dataset: str
    candidate: str
    split_seed: int
    half: int
    overrides: tuple[tuple[str, str], ...] = ()


def halves_of(graph: Graph, split_seed: int) -> tuple[Graph, Graph]:
    """Return the graph twice: one half of its validation nodes validates, the other one judges."""
    import numpy as np

    nodes = np.random.default_rng(split_seed).permutation(graph.val)
    one, other = nodes[: len(nodes) // 2], nodes[len(nodes) // 2 :]
    return graph.with_split(graph.train, one, other), graph.with_split(graph.train, other, one)


def read_candidates(path: Path = CANDIDATES) -> dict[str, dict[str, Any]]:
    """Return the settings of every candidate."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def method_of(trial: Trial) -> NodeClassifier:
    """Return a candidate's method, unfitted; its own settings win over the trial's."""
    from cogsl.experiments.presets import divide, find_method, resolve

    named = {"method": "cogsl", "preset": "default", **read_candidates()[trial.candidate]}
    name, preset = named.pop("method"), named.pop("preset")
    common = divide("cogsl", trial.dataset, dict(trial.overrides))[0] if name == "cogsl" else {}
    return find_method(name)(**resolve(name, trial.dataset, preset, {**common, **named}))


def graph_of(trial: Trial) -> Graph:
    """Return the graph of a trial's split; one that is drawn by settings is drawn for each."""
    from cogsl import datasets
    from cogsl.experiments.presets import divide

    seed, settings = trial.split_seed, divide("cogsl", trial.dataset, dict(trial.overrides))[1]
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


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return one row a candidate: accuracy on the judging half, and the difference to the first."""
    from cogsl.evaluation.statistics import mean_and_deviation

    table = Table(title=f"{dataset}: accuracy of the validation nodes that judge")
    by_candidate: dict[str, dict[int, list[float]]] = {}
    for record in records:
        by_split = by_candidate.setdefault(record["candidate"], {})
        by_split.setdefault(record["split_seed"], []).append(100 * record["accuracy"])
    figures = {
        name: [sum(both) / len(both) for both in by_split.values()]
        for name, by_split in by_candidate.items()
    }
    first = next(iter(figures))
    for head in ("", "accuracy", f"over {first} (95 %)", "s/run"):
        table.add_column(head)
    for name, values in figures.items():
        difference = format_difference(values, figures[first]) if name != first else ""
        seconds = [r["seconds"] for r in records if r["candidate"] == name]
        cells = (f"{mean_and_deviation(values)[0]:.2f}", difference)
        table.add_row(name, *cells, f"{mean_and_deviation(seconds)[0]:.1f}")
    return table


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    candidate: Annotated[list[str] | None, typer.Option(help="all if none")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value for CoGSL or the data set")
    ] = None,
    splits: Annotated[int, typer.Option(help="splits of each data set")] = 30,
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
) -> None:
    """Run every candidate and print one table a data set."""
    from cogsl.experiments.presets import parse_assignments

    overrides = tuple(parse_assignments(set_ or []).items())
    todo = {
        each: [
            Trial(each, name, FIRST_SPLIT + k, half, overrides)
            for name in candidate or read_candidates()
            for k in range(splits)
            for half in (0, 1)
        ]
        for each in dataset
    }
    run_grid(run_trial, todo, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
