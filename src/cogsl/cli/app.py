"""The ``cogsl`` command and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

import cogsl
from cogsl.cli.attack import attack
from cogsl.cli.compare import compare
from cogsl.cli.datasets import datasets
from cogsl.cli.diff import diff
from cogsl.cli.estimate import estimate
from cogsl.cli.export import export
from cogsl.cli.fit import fit
from cogsl.cli.inspect import inspect
from cogsl.cli.methods import methods
from cogsl.cli.predict import predict
from cogsl.cli.printing import print_line
from cogsl.cli.reproduce import reproduce
from cogsl.cli.run import run
from cogsl.cli.tune import tune

app = typer.Typer(
    help="Learn a better graph than the one you were given.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
# Words after the arguments are further settings: --set a=1 b=2.
app.command("fit", context_settings={"allow_extra_args": True})(fit)
app.command("predict")(predict)
app.command("export")(export)
app.command("run", context_settings={"allow_extra_args": True})(run)
app.command("estimate", context_settings={"allow_extra_args": True})(estimate)
app.command("tune", context_settings={"allow_extra_args": True})(tune)
app.command("datasets")(datasets)
app.command("inspect")(inspect)
app.command("diff")(diff)
app.command("attack")(attack)
app.command("compare")(compare)
app.command("reproduce")(reproduce)
app.command("methods")(methods)


def _print_version(asked: bool) -> None:
    if asked:
        print_line(f"cogsl {cogsl.__version__}")
        raise typer.Exit


@app.callback()
def _cogsl(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learn a better graph than the one you were given."""
