"""Everything that the command line prints, and where: results on stdout, the rest on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType

from cogsl.errors import CogslError

_WIDTH_OF_FILES = 140
USER_ERROR, INTERRUPTED = 2, 130


def new_console(*, stderr: bool = False) -> Console:
    """Return a console on the streams of this moment; files get lines of a fixed width."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES
    return console


def print_result(renderable: RenderableType) -> None:
    """Print a table or the like on stdout."""
    new_console().print(renderable)


def print_line(text: str) -> None:
    """Print a plain line on stdout, however long."""
    new_console().print(text, markup=False, soft_wrap=True)


def print_note(text: str) -> None:
    """Print a plain line on stderr, however long."""
    new_console(stderr=True).print(text, markup=False, soft_wrap=True)


def print_error(error: BaseException) -> None:
    """Print an error as one red line on stderr."""
    text = " ".join(f"Error: {error}".split())
    new_console(stderr=True).print(text, style="red", markup=False, soft_wrap=True)


@contextmanager
def clean_exit() -> Iterator[None]:
    """End with one red line for a user's mistake, and silently for Ctrl-C; never a traceback."""
    try:
        yield
    except CogslError as error:
        print_error(error)
        raise typer.Exit(USER_ERROR) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
