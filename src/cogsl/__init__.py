"""Compact graph structure learning: learn a better graph than the one you were given.

The names below are the public interface. They are looked up when they are first used, so that
``import cogsl`` costs nothing and does not load PyTorch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from cogsl.errors import CogslError

if TYPE_CHECKING:
    from cogsl.datasets import load as load_dataset
    from cogsl.estimator import CoGSLClassifier
    from cogsl.graph import Graph
    from cogsl.methods import METHODS
    from cogsl.methods.cogsl import CoGSL
    from cogsl.methods.gcn import GCN
    from cogsl.transform import LearnStructure

    __version__: str

__all__ = [
    "GCN",
    "METHODS",
    "CoGSL",
    "CoGSLClassifier",
    "CogslError",
    "Graph",
    "LearnStructure",
    "__version__",
    "load_dataset",
]

_HOMES = {
    "CoGSL": ("cogsl.methods.cogsl", "CoGSL"),
    "CoGSLClassifier": ("cogsl.estimator", "CoGSLClassifier"),
    "GCN": ("cogsl.methods.gcn", "GCN"),
    "Graph": ("cogsl.graph", "Graph"),
    "LearnStructure": ("cogsl.transform", "LearnStructure"),
    "METHODS": ("cogsl.methods", "METHODS"),
    "load_dataset": ("cogsl.datasets", "load"),
}


if not TYPE_CHECKING:  # a type checker that saw this would accept every name

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used, and keep it."""
        if name == "__version__":
            value = _version()
        elif name in _HOMES:
            module, attribute = _HOMES[name]
            value = getattr(import_module(module), attribute)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    """Return the installed version, or "unknown" in a source tree that is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("compact-gsl")
    except PackageNotFoundError:
        return "unknown"
