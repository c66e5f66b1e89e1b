"""The exception tree.

Every mistake that a user can make ends in one of these. Each message names the thing that is
wrong, what it must be, what it was, and how to mend it.

::

    CogslError
    ├── InputError (also a ValueError)
    │   ├── GraphError
    │   │   ├── NoNodesError
    │   │   ├── FeatureValueError
    │   │   ├── EdgeEndpointError
    │   │   ├── EdgeWeightError
    │   │   ├── LengthMismatchError
    │   │   ├── LabelError
    │   │   ├── EmptySplitError
    │   │   ├── OverlappingSplitError
    │   │   ├── MissingClassError
    │   │   └── TooFewClassesError
    │   ├── SettingError
    │   │   ├── UnknownSettingError
    │   │   └── SettingValueError
    │   ├── FileFormatError
    │   ├── AttackError
    │   └── UnknownNameError
    ├── DataUnavailableError
    ├── MissingExtraError (also an ImportError)
    ├── MemoryLimitError
    ├── DivergedError
    ├── WorkerLostError
    └── NotFittedError (also a ValueError and an AttributeError, as scikit-learn's)
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType
from typing import Self


class CogslError(Exception):
    """Base of every exception that cogsl raises on purpose."""


class InputError(CogslError, ValueError):
    """Something the caller gave cannot be used."""


class GraphError(InputError):
    """A graph that cannot be built or trained on."""


class NoNodesError(GraphError):
    """A graph without nodes."""


class FeatureValueError(GraphError):
    """NaN or infinite features."""


class EdgeEndpointError(GraphError):
    """An edge that names a node which does not exist."""


class EdgeWeightError(GraphError):
    """A negative, NaN or infinite edge weight."""


class LengthMismatchError(GraphError):
    """Parts of a graph that speak of different numbers of nodes or edges."""


class LabelError(GraphError):
    """Labels that are not whole numbers from -1 upward."""


class EmptySplitError(GraphError):
    """A part of the split that holds no node, or names nodes that cannot be in it."""


class OverlappingSplitError(GraphError):
    """A node that is in two parts of the split."""


class MissingClassError(GraphError):
    """A class without a training node."""


class TooFewClassesError(GraphError):
    """Fewer than two classes."""


class SettingError(InputError):
    """A setting that does not exist or has a value that it cannot have."""


class UnknownSettingError(SettingError):
    """A setting that the method does not have."""


class SettingValueError(SettingError):
    """A value outside a setting's range or of the wrong kind."""


class FileFormatError(InputError):
    """A file that is not there, cannot be read, or does not hold what it should."""


class AttackError(InputError):
    """An attack that asks for more than the graph has."""


class UnknownNameError(InputError):
    """A name (of a data set, method, view, fusion ...) that is not in its list."""


class DataUnavailableError(CogslError):
    """A data set that is neither on disk nor can be downloaded."""


class MissingExtraError(CogslError, ImportError):
    """A library that only some users need is not installed."""


class MemoryLimitError(CogslError):
    """A run that would need more memory than it may use."""


class DivergedError(CogslError):
    """Training gave no finite figure."""

    @classmethod
    def never_finite(cls, *rates: str) -> Self:
        """Return the error of a training whose validation loss was never finite.

        Parameters
        ----------
        rates : settings that may be too high.
        """
        *most, last = (f"'{rate}'" for rate in rates)
        names = f"{', '.join(most)} or {last}" if most else last
        return cls(f"The validation loss was never finite. Lower {names}, or scale the features.")


class WorkerLostError(CogslError):
    """A process that did a run died, again and again."""

    @classmethod
    def after(cls, times: int) -> Self:
        """Return the error of a run that was tried so many times."""
        return cls(
            f"The process of this run died {times} times, mostly for want of memory. Run fewer at "
            "a time, or lower the method's settings."
        )


class NotFittedError(CogslError, ValueError, AttributeError):
    """A result was asked for before ``fit``."""


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the option nearest to ``name``, or the list of options."""
    known = sorted(options)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; known: {', '.join(known)}."


def import_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import a library of an extra, or raise an error that says how to install it.

    ``purpose`` begins the message: what cannot be done without it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs the library '{module}', which is not installed. "
            f"Install it with: pip install 'compact-gsl[{extra}]'"
        ) from error
