"""``cogsl datasets``: what there is to run on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogsl.cli.formatting import format_datasets
from cogsl.cli.printing import clean_exit, print_result


def datasets(
    data_root: Annotated[
        Path | None, typer.Option(help="Folder of data sets, looked in first.")
    ] = None,
) -> None:
    """List the data sets by name, with their size, homophily and split."""
    with clean_exit():
        from cogsl.datasets import DATASETS

        known = list(DATASETS.values())
        print_result(format_datasets(known, [d.is_at_hand(data_root) for d in known]))
