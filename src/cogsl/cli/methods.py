"""``cogsl methods``: what there is to run."""

from __future__ import annotations

from cogsl.cli.formatting import format_methods
from cogsl.cli.printing import clean_exit, print_result


def methods() -> None:
    """List the methods by name, with paper, year, cost and whether they learn a graph."""
    with clean_exit():
        from cogsl.methods import METHODS

        print_result(format_methods(METHODS))
