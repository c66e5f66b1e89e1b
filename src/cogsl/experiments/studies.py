"""Studies of Optuna: opened, gone on with, refused, and shared out among processes.

A trial has a place in its study, counted from 0. A trial that was begun and not ended, because its
process died or was told to stop, failed; its place is taken by a new one. So the finished trials of
a study that was ended and gone on with are those of one that was never disturbed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cogsl.errors import InputError, import_extra
from cogsl.experiments.workers import has_died, this_worker
from cogsl.seeding import Seeds

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

HEARTBEAT, GRACE = 30, 120  # seconds; another machine's trial without a beat for so long is dead
WORKER, RETRY, FIGURES, IDENTITY = "worker", "retry of", "figures", "cogsl"
_WHAT = {
    "graph": "another graph",
    "method": "another method",
    "space": "another search space",
    "settings": "other settings",
    "seeds": "other seeds",
    "version": "another version of cogsl",
}


@contextmanager
def open_study(
    url: str, name: str, identity: Mapping[str, Any], *, seed: int
) -> Iterator[optuna.Study]:
    """Yield the study of that name in a storage; it is made if it is not there.

    Parameters
    ----------
    url : of a database, e.g. ``sqlite:///study.db``.
    identity : what the study must have been made for, by the names of ``_WHAT``.
    seed : of the sampler.
    """
    optuna = import_extra("optuna", extra="tune", purpose="Tuning")
    with _silence(optuna):
        storage = _open_storage(optuna, url)
        try:
            study = optuna.create_study(
                storage=storage,
                study_name=name,
                direction="maximize",
                sampler=_new_sampler(seed),
                load_if_exists=True,
            )
            _check_identity(study, identity)
            yield study
        finally:
            storage.remove_session()
            storage.engine.dispose()


def places(trials: Sequence[FrozenTrial]) -> list[int]:
    """Return the place of each trial of a study, in the order of their numbers.

    A trial that takes another's place says so. The others are counted through: their numbers are
    given by the storage, each once, whoever asks.
    """
    found, n_retries = [], 0
    for trial in trials:
        retried = trial.user_attrs.get(RETRY)
        n_retries += retried is not None
        found.append(trial.number - n_retries if retried is None else int(retried))
    return found


def finished(study: optuna.Study) -> dict[int, FrozenTrial]:
    """Return the trials that came to an end, by place; those that were left out are among them."""
    trials = study.get_trials(deepcopy=False)
    found: dict[int, FrozenTrial] = {}
    for place, trial in zip(places(trials), trials, strict=True):
        if trial.state.name in ("COMPLETE", "PRUNED"):
            found.setdefault(place, trial)
    return dict(sorted(found.items()))


def under_way(study: optuna.Study) -> int:
    """Return how many trials are being done."""
    return sum(trial.state.name == "RUNNING" for trial in study.get_trials(deepcopy=False))


def fail_dead_trials(study: optuna.Study) -> None:
    """Let the trials fail whose process is gone; of other machines that is known after a while."""
    import optuna

    for trial in study.get_trials(deepcopy=False):
        if trial.state.name == "RUNNING" and has_died(trial.user_attrs.get(WORKER, {})):
            study.tell(trial.number, state=optuna.trial.TrialState.FAIL, skip_if_finished=True)
    optuna.storages.fail_stale_trials(study)


def queue_next(study: optuna.Study, n_trials: int | None, first: Mapping[str, Any]) -> bool:
    """Queue the next trial, the first empty place; return False if there is none.

    Parameters
    ----------
    n_trials : places in all; None for as many as one likes.
    first : the values of the trial at place 0.
    """
    trials = study.get_trials(deepcopy=False)
    taken = places(trials)
    if any(trial.state.name == "WAITING" for trial in trials):
        return True
    held = {k for k, trial in zip(taken, trials, strict=True) if trial.state.name != "FAIL"}
    known = max(taken, default=-1) + 1
    place = min(set(range(known + 1)) - held)
    if n_trials is not None and place >= n_trials:
        return False
    attributes = {WORKER: this_worker()} | ({RETRY: place} if place < known else {})
    study.enqueue_trial(dict(first) if place == 0 else {}, user_attrs=attributes)
    return True


def take(trial: optuna.Trial, n_trials: int | None) -> int | None:
    """Return the place of a trial that this process does now.

    None if there are enough trials already, or if another process has taken that place before.
    """
    trials = trial.study.get_trials(deepcopy=False)
    taken = places(trials)
    place = taken[trial.number]
    earlier = zip(taken[: trial.number], trials, strict=False)
    is_twin = any(k == place and other.state.name != "FAIL" for k, other in earlier)
    if is_twin or (n_trials is not None and place >= n_trials):
        return None
    if trial.user_attrs.get(WORKER) != this_worker():
        trial.set_user_attr(WORKER, this_worker())
    return place


def _new_sampler(seed: int) -> optuna.samplers.BaseSampler:
    from cogsl.experiments.sampler import SeededTPE

    def seed_of(study: optuna.Study, trial: FrozenTrial) -> int:
        place = places(study.get_trials(deepcopy=False))[trial.number]
        return int(Seeds(seed).numpy(f"trial {place}").integers(2**32))

    return SeededTPE(seed_of)


def _check_identity(study: optuna.Study, identity: Mapping[str, Any]) -> None:
    """Raise if the study was made for something else; a new one is made for this."""
    there = study.user_attrs.get(IDENTITY)
    if there is None and not study.get_trials(deepcopy=False):
        study.set_user_attr(IDENTITY, dict(identity))
        return
    wrong = [_WHAT[key] for key in identity if (there or {}).get(key) != identity[key]]
    if wrong:
        raise InputError(
            f"The study '{study.study_name}' was made for {' and '.join(wrong)}, so its trials "
            "cannot be gone on with. Name a new one with --study, or give it another --output or "
            "--storage."
        )


def _open_storage(optuna: Any, url: str) -> Any:
    """Return the database, or raise an error that says what is wrong with its address."""
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    # Processes that share an SQLite file wait for one another.
    engine = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {}
    try:
        return optuna.storages.RDBStorage(
            url, engine_kwargs=engine, heartbeat_interval=HEARTBEAT, grace_period=GRACE
        )
    except ArgumentError as error:
        raise InputError(
            "The storage must be the address of a database, e.g. sqlite:///study.db or "
            f"postgresql://user@host/name. Got '{url}' instead."
        ) from error
    except ImportError as error:
        raise InputError(
            f"The storage needs a library that is not installed: {error.__cause__ or error}."
        ) from error
    except (SQLAlchemyError, RuntimeError) as error:
        raise InputError(f"Cannot open the storage: {str(error).splitlines()[0]}") from error


@contextmanager
def _silence(optuna: Any) -> Iterator[None]:
    """Keep Optuna's own lines away, and its word that heartbeats are experimental."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)
