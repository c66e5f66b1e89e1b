"""Does tuning help? ``python -m benchmarks.tuning --dataset breast_cancer --splits 10``.

CoGSL is tuned on the validation nodes of each split, as ``cogsl tune`` does it, and run before and
after with the same seeds. The test labels of a split are opened once, after its trials. A study
that was ended goes on where it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from benchmarks.grid import format_difference, run_grid

if TYPE_CHECKING:
    from cogsl.experiments.tuning import Trial

METRICS = ("macro_f1", "micro_f1", "auc")


@dataclass(frozen=True)
class Case:
    """One study: a split of a data set."""

    dataset: str
    split_seed: int
    n_trials: int
    n_seeds: int
    folder: Path
    fixed: tuple[tuple[str, str], ...] = ()
    in_trials: tuple[tuple[str, str], ...] = ()


def run_case(case: Case) -> dict[str, Any]:
    """Tune on one split and return what it came to."""
    import torch

    from cogsl import datasets
    from cogsl.evaluation.provenance import commit
    from cogsl.experiments import tuning_outcome as outcome
    from cogsl.experiments.studies import open_study
    from cogsl.experiments.trials import tune
    from cogsl.experiments.tuning import best_of, prepare, trials_of

    torch.set_num_threads(1)
    tuning = prepare("cogsl", fixed=dict(case.fixed), in_trials=dict(case.in_trials))
    graph = datasets.load(case.dataset, split_seed=case.split_seed)
    case.folder.mkdir(parents=True, exist_ok=True)
    url = f"sqlite:///{(case.folder / f'{case.dataset}.db').resolve().as_posix()}"
    name = f"split {case.split_seed}"
    with open_study(url, name, tuning.identity(graph), seed=tuning.seed) as study:
        tune(tuning, graph, study, n_trials=case.n_trials)
        trials = trials_of(tuning, study)
        best = best_of(trials)
        assert best is not None
        opening = outcome.known_comparison(tuning, graph, study, best, case.n_seeds)
        opening = opening or outcome.compare(tuning, graph, study, best, case.n_seeds)
        found = outcome.importances(tuning, study)
        n_openings = len(outcome.openings(study))
    return {
        "dataset": case.dataset,
        "split_seed": case.split_seed,
        "validation_nodes": len(graph.val),
        "in_trials": dict(case.in_trials),
        "fixed": dict(case.fixed),
        "times_test_labels_were_opened": n_openings,
        "before": [_figures(run) for run in opening["before"]],
        "after": [_figures(run) for run in opening["after"]],
        "best": best.place,
        "settings": outcome.settings_of_best(tuning, best),
        "importances": {key: round(share, 3) for key, share in found.items()},
        "columns": ["accuracy", "loss", "seconds", *tuning.space.parameters],
        "trials": [_compact(trial) for trial in trials],
        "commit": commit(),
    }


def _figures(run: dict[str, Any]) -> dict[str, float]:
    return {key: round(run[key], 5) for key in (*METRICS, "val_accuracy", "seconds")}


def _compact(trial: Trial) -> list[Any]:
    """Return accuracy and loss of the validation nodes, the seconds, and what was drawn."""
    figures = (trial.accuracy, trial.loss, trial.seconds)
    rounded = [None if figure is None else round(figure, 4) for figure in figures]
    return [*rounded, *trial.values.values()]


def format_table(dataset: str, records: list[dict[str, Any]]) -> Table:
    """Return validation and test figures before and after, in percent, means over splits."""
    from cogsl.evaluation.statistics import mean_and_deviation

    n_seeds = len(records[0]["before"])
    pairs = {
        "validation accuracy": _validation(records),
        **{metric: _test(records, metric) for metric in METRICS},
    }
    table = Table(title=f"{dataset}: {len(records)} splits, {n_seeds} seeds each")
    for head in ("", "before", "after", "after - before (95 %)"):
        table.add_column(head)
    for name, (before, after) in pairs.items():
        means = [f"{mean_and_deviation(values)[0]:.2f}" for values in (before, after)]
        table.add_row(name, *means, format_difference(after, before))
    most = max(record["times_test_labels_were_opened"] for record in records)
    n_own = sum(record["best"] == 0 for record in records)
    table.caption = (
        f"Test labels of a split were opened {most} times at most. In {n_own} of {len(records)} "
        "splits the method's own settings were the best."
    )
    return table


def _validation(records: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Return the accuracy that the trials saw, of the first one and of the best."""
    trials = [(record["trials"][0], record["trials"][record["best"]]) for record in records]
    return [100 * first[0] for first, _ in trials], [100 * best[0] for _, best in trials]


def _test(records: list[dict[str, Any]], metric: str) -> tuple[list[float], list[float]]:
    """Return a test figure before and after: by split, or by seed where there is one split."""

    def values(name: str) -> list[float]:
        by_split = [[100 * run[metric] for run in record[name]] for record in records]
        if len(by_split) == 1:
            return by_split[0]
        return [sum(runs) / len(runs) for runs in by_split]

    return values("before"), values("after")


def main(
    dataset: Annotated[list[str], typer.Option(help="data sets")],
    splits: Annotated[int, typer.Option(help="studies, one a split")] = 1,
    trials: Annotated[int, typer.Option(help="trials of each")] = 30,
    seeds: Annotated[int, typer.Option(help="runs before and after, on test nodes")] = 3,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value, not searched")] = None,
    in_trials: Annotated[
        list[str] | None, typer.Option(help="key=value of the trials alone")
    ] = None,
    folder: Annotated[Path, typer.Option(help="folder of the studies")] = Path("runs/tuning"),
    summary: Annotated[Path | None, typer.Option(help="file of the records")] = None,
    jobs: Annotated[int, typer.Option(help="processes side by side")] = 1,
) -> None:
    """Tune on every split and print one table a data set."""
    from cogsl.experiments.presets import parse_assignments

    fixed = tuple(parse_assignments(set_ or []).items())
    short = tuple(parse_assignments(in_trials or []).items())
    todo = {
        name: [Case(name, k, trials, seeds, folder, fixed, short) for k in range(splits)]
        for name in dataset
    }
    run_grid(run_case, todo, format_table, jobs=jobs, summary=summary)


if __name__ == "__main__":
    typer.run(main)
