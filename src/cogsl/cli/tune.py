"""``cogsl tune``: settings chosen on validation nodes alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogsl.cli import source
from cogsl.cli.printing import INTERRUPTED, clean_exit, print_line, print_note, print_result
from cogsl.cli.run import set_threads
from cogsl.machine import parse_bytes

if TYPE_CHECKING:
    import optuna

    from cogsl.cli.tuning_progress import Display
    from cogsl.experiments.tuning import Trial, Tuning
    from cogsl.graph import Graph

USUAL_TRIALS, SHOWN = 30, 5


def tune(
    context: typer.Context,
    dataset: source.DatasetArgument = None,
    nodes: source.NodesOption = None,
    edges: source.EdgesOption = None,
    label_column: source.LabelOption = None,
    id_column: source.IdOption = None,
    column: source.ColumnOption = None,
    edge_column: source.EdgeColumnOption = None,
    missing: source.MissingOption = "median",
    scaling: source.ScalingOption = "auto",
    delimiter: source.DelimiterOption = None,
    method: Annotated[str, typer.Option(help="The method whose settings are chosen.")] = "cogsl",
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default="30, or any number with --minutes",
            help="Trials in all, old and new.",
        ),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.0, help="Start no trial after so many minutes.")
    ] = None,
    storage: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            show_default="sqlite:///OUTPUT/study.db",
            help="Any database of Optuna's; several machines may share one.",
        ),
    ] = None,
    study: Annotated[
        str | None, typer.Option(metavar="NAME", show_default="METHOD-DATASET", help="Its name.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn, and of the runs.")] = 0,
    seeds_per_trial: Annotated[int, typer.Option(min=1, help="Runs of each trial.")] = 1,
    test_seeds: Annotated[
        int,
        typer.Option(min=0, help="Runs before and after, on test nodes; 0: never look at them."),
    ] = 3,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE ...", help="Settings that are not searched."),
    ] = None,
    in_trials: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Settings of the trials alone, to shorten them."),
    ] = None,
    space: Annotated[
        Path | None, typer.Option(help="TOML file of a search space of your own.")
    ] = None,
    split_seed: Annotated[int, typer.Option(min=0, help="Of the split, where it is drawn.")] = 0,
    val_share: Annotated[
        float, typer.Option(help="Of the labelled nodes of files, those that validate.")
    ] = 0.2,
    test_share: Annotated[
        float, typer.Option(help="Of the labelled nodes of files, those that test.")
    ] = 0.0,
    output: Annotated[Path, typer.Option(help="Folder of best.toml and tuning.json.")] = Path(
        "tuned"
    ),
    threads: source.ThreadsOption = None,
    memory_limit: source.MemoryOption = None,
    data_root: source.DataRootOption = None,
) -> None:
    """Choose a method's settings by trials on validation nodes, and say what mattered.

    cogsl tune wine --trials 30; then: cogsl run wine --config tuned/best.toml

    The first trial has the method's own settings, so that the best one is not worse on validation
    nodes. Stop it as you like: the same command goes on. Test labels are hidden from every trial,
    and opened once, at the end, to compare before and after.
    """
    with clean_exit():
        from cogsl.cli.tuning_progress import show_trials
        from cogsl.experiments import studies
        from cogsl.experiments.fitting import split_labels
        from cogsl.experiments.presets import parse_assignments
        from cogsl.experiments.records import check_folder
        from cogsl.experiments.trials import tune as run_trials
        from cogsl.experiments.tuning import prepare

        limit = None if memory_limit is None else parse_bytes(memory_limit)
        tuning = prepare(
            method,
            fixed=parse_assignments(source.assignments(context)),
            in_trials=parse_assignments(in_trials or []),
            space_file=space,
            seed=seed,
            seeds_per_trial=seeds_per_trial,
        )
        origin = source.Source.of(context.params)
        named = split_labels(
            origin.read(split_seed=split_seed),
            val_share=val_share,
            test_share=test_share,
            seed=split_seed,
        )
        graph = named.graph
        check_folder(output)
        set_threads(threads)
        url = storage or f"sqlite:///{(output / 'study.db').resolve().as_posix()}"
        name = study or f"{method}-{origin.title}"
        n_trials = USUAL_TRIALS if trials is None and minutes is None else trials
        seconds = None if minutes is None else 60 * minutes
        with studies.open_study(url, name, tuning.identity(graph), seed=seed) as opened:
            n_done = len(studies.finished(opened))
            with show_trials(n_trials, seconds, n_done) as display:
                is_done = run_trials(
                    tuning,
                    graph,
                    opened,
                    n_trials=n_trials,
                    seconds=seconds,
                    memory_limit=limit,
                    observer=display,
                )
                _finish(tuning, graph, opened, output, test_seeds if is_done else 0, display)
        if not is_done:
            print_note("Interrupted; the same command goes on where it was.")
            raise typer.Exit(INTERRUPTED)


def _finish(
    tuning: Tuning,
    graph: Graph,
    study: optuna.Study,
    output: Path,
    n_seeds: int,
    display: Display,
) -> None:
    """Print and write what the trials came to, and open the test labels if that is asked for."""
    from cogsl.experiments import tuning_outcome as outcome
    from cogsl.experiments.tuning import best_of, trials_of

    trials = trials_of(tuning, study)
    best = best_of(trials)
    if best is None:
        print_note("No trial is finished, so there is nothing to choose from.")
        return
    outcome.write_best(output / "best.toml", tuning, best, len(trials))
    outcome.write_tuning(output / "tuning.json", tuning, graph, study, None)
    _print_trials(tuning, study, trials, best, n_nodes=len(graph.val))
    opening = _look_at_test_nodes(tuning, graph, study, best, n_seeds, display)
    outcome.write_tuning(output / "tuning.json", tuning, graph, study, opening)
    print_note(f"The best settings are in {(output / 'best.toml').resolve()}")


def _print_trials(
    tuning: Tuning, study: optuna.Study, trials: list[Trial], best: Trial, *, n_nodes: int
) -> None:
    """Print the best trials, what mattered, and how much so few nodes can say."""
    from cogsl.cli.tuning_tables import format_best_trials, format_caution, format_importances
    from cogsl.experiments.tuning_outcome import LEAST_TRIALS, importances

    print_result(format_best_trials(trials, tuning.space, SHOWN))
    found = importances(tuning, study)
    if found:
        print_result(format_importances(found, best, tuning.space.defaults))
    else:
        print_line(
            f"What mattered cannot be said: that needs {LEAST_TRIALS} finished trials, not all "
            "worth the same."
        )
    caution = format_caution(n_nodes, best, trials[0] if trials[0].place == 0 else None)
    if caution:
        print_line(caution)


def _look_at_test_nodes(
    tuning: Tuning,
    graph: Graph,
    study: optuna.Study,
    best: Trial,
    n_seeds: int,
    display: Display,
) -> dict[str, Any] | None:
    """Print the test figures before and after tuning, and how often they were looked at.

    What was looked at before is shown again, and not opened.
    """
    from cogsl.cli.tuning_tables import format_comparison
    from cogsl.experiments import tuning_outcome as outcome
    from cogsl.experiments.studies import under_way

    if not n_seeds or not len(graph.test):
        return None
    if under_way(study):
        print_note("Other processes still do trials; the last one opens the test labels.")
        return None
    opening = outcome.known_comparison(tuning, graph, study, best, n_seeds)
    if opening is None:
        start = display.on_test_start
        opening = outcome.compare(tuning, graph, study, best, n_seeds, on_start=start)
    print_result(format_comparison(opening[outcome.BEFORE], opening[outcome.AFTER]))
    n_openings = len(outcome.openings(study))
    times = "once" if n_openings == 1 else f"{n_openings} times"
    print_line(f"Test labels were opened {times} in this study, after its trials.")
    return opening
