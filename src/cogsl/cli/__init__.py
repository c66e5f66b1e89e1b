"""The command line: arguments in, printing out, nothing else."""

from cogsl.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the ``cogsl`` command."""
    app(prog_name="cogsl")
