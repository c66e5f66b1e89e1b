"""What ``cogsl fit`` says to bad files: ``python -m benchmarks.bad_inputs``.

Each case is a pair of sound files with one thing wrong, given to the command line as a user would.
A bad one must end with exit code 2 and one line that says what is wrong and how to mend it, before
anything is trained; an odd one that is sound must be fitted.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, cast

import numpy as np
import typer
from rich.table import Table

from benchmarks.grid import print_table

Content = str | bytes | Callable[[], bytes]

PEOPLE = [f"p{k},{k % 7}.5,{'red' if k % 3 else 'blue'},{'ab'[k % 2]}" for k in range(20)]
NODES = "\n".join(["id,size,colour,club", *PEOPLE, "p20,1.5,red,", "p21,2.5,blue,"]) + "\n"
EDGES = "\n".join(["source,target,weight", *(f"p{k},p{k + 2},1" for k in range(20))]) + "\n"


@dataclass(frozen=True)
class Case:
    """Sound files with one thing changed.

    Parameters
    ----------
    nodes, edges : the content of the files; None leaves the edges out.
    nodes_name, edges_name : what they are called.
    options : beside those that name the files and the label.
    label : the column of the labels.
    is_sound : whether it must be fitted.
    """

    nodes: Content = NODES
    edges: Content | None = EDGES
    nodes_name: str = "nodes.csv"
    edges_name: str = "edges.csv"
    options: tuple[str, ...] = field(default=())
    label: str = "club"
    is_sound: bool = False


def _labels(*labels: str) -> str:
    """Return the node table with other labels; the rest have none."""
    given = [*labels, *[""] * (22 - len(labels))]
    return "\n".join(["id,size,club", *(f"p{k},{k % 7}.5,{y}" for k, y in enumerate(given))]) + "\n"


def _parquet(cut: int | None = None) -> bytes:
    import pandas as pd

    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(NODES)).to_parquet(buffer)
    return buffer.getvalue()[:cut]


def _npz(**arrays: object) -> Callable[[], bytes]:
    def make() -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, **cast(dict[str, Any], arrays))
        return buffer.getvalue()

    return make


def _wide() -> bytes:
    rows = np.random.default_rng(0).normal(size=(22, 100_000))
    lines = [",".join(["id", "club", *(f"c{k}" for k in range(100_000))])]
    for k, row in enumerate(rows):
        lines.append(f"p{k},{'ab'[k % 2]}," + ",".join(f"{x:.2f}" for x in row))
    return "\n".join(lines).encode()


def _changed(old: str, new: str) -> str:
    assert old in NODES
    return NODES.replace(old, new)


def _edges_with(row: str) -> str:
    return EDGES + row + "\n"


CASES: dict[str, Case] = {
    "empty file of nodes": Case(nodes=""),
    "only a header": Case(nodes="id,size,club\n"),
    "no such file": Case(options=("--edges", "edge.csv")),
    "a folder in the place of a file": Case(options=("--edges", ".")),
    "suffix that nobody knows": Case(nodes_name="nodes.xlsx"),
    "spreadsheet saved as .csv": Case(nodes=b"PK\x03\x04\x14\x00\x06\x00" + b"\x9c" * 100),
    "wrong delimiter asked for": Case(options=("--delimiter", ";")),
    "edges parted by blanks": Case(edges=EDGES.replace(",", " ")),
    "not in UTF-8": Case(nodes=NODES.replace("red", "röd").encode("latin-1")),
    "two columns of one name": Case(nodes=_changed("colour", "size")),
    "a row with too many fields": Case(nodes=NODES + "p22,1,red,a,7,8\n"),
    "truncated Parquet": Case(nodes=lambda: _parquet(300), nodes_name="nodes.parquet"),
    "truncated gzip": Case(nodes=gzip.compress(NODES.encode())[:-20], nodes_name="nodes.csv.gz"),
    "gzip by name only": Case(nodes_name="nodes.csv.gz"),
    "truncated JSON lines": Case(nodes='{"id": 1}\n{"id": ', nodes_name="nodes.jsonl"),
    "JSON lists without names": Case(nodes="[1, 2]\n", nodes_name="nodes.jsonl"),
    "broken GraphML": Case(nodes="<graphml", nodes_name="g.graphml", edges=None),
    "npz that is none": Case(nodes="hello", nodes_name="g.npz", edges=None),
    "npz of objects (pickle)": Case(
        nodes=_npz(x=np.array([{}], dtype=object)), nodes_name="g.npz", edges=None
    ),
    "npz without a graph": Case(nodes=_npz(z=[1]), nodes_name="g.npz", edges=None),
    "npz and edges beside it": Case(nodes=_npz(edge_index=[[0], [1]]), nodes_name="g.npz"),
    "matrix that is not square": Case(
        nodes="%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1.0\n",
        nodes_name="g.mtx",
        edges=None,
    ),
    "unknown label column": Case(label="clup"),
    "unknown name column": Case(options=("--id-column", "ID2")),
    "a name twice": Case(nodes=NODES + "p3,1,red,a\n"),
    "a node without a name": Case(nodes=NODES + ",1,red,a\n"),
    "edge to an unknown node": Case(edges=_edges_with("p1,p99,1")),
    "edge with one end": Case(edges=_edges_with("p1,,1")),
    "edges of one column": Case(edges="pair\np1-p2\n"),
    "negative weight": Case(edges=_edges_with("p1,p4,-2")),
    "weight in words": Case(edges=_edges_with("p1,p4,much")),
    "infinite weight": Case(edges=_edges_with("p1,p4,inf")),
    "mixed types in a column": Case(nodes=_changed("p3,3.5", "p3,three")),
    "infinite feature": Case(nodes=_changed("p3,3.5", "p3,inf")),
    "gaps where none may be": Case(nodes=_changed("p3,3.5", "p3,"), options=("--missing", "error")),
    "unknown kind of column": Case(options=("--column", "size=number")),
    "kind of an unknown column": Case(options=("--column", "sise=numeric")),
    "kind without a column": Case(options=("--column", "numeric")),
    "text without a shared word": Case(
        nodes="id,club,t\n" + "".join(f"p{k},{'ab'[k % 2]},w{k}x v{k}y\n" for k in range(22)),
        options=("--column", "t=text"),
    ),
    "no label at all": Case(nodes=_labels()),
    "labels of one class": Case(nodes=_labels("a", "a", "a")),
    "each label seen once": Case(nodes=_labels("a", "b")),
    "neither edges nor columns": Case(
        nodes="id,club\n" + "".join(f"p{k},{'ab'[k % 2]}\n" for k in range(22)), edges=None
    ),
    "shares that leave nothing": Case(options=("--val-share", "0.6", "--test-share", "0.5")),
    "unknown setting": Case(options=("--set", "iteration=5")),
    "setting out of range": Case(options=("--set", "tau=-1")),
    "memory limit that is too low": Case(options=("--memory-limit", "1MiB")),
    "data set and files": Case(options=("wine",)),
    "byte order mark": Case(nodes="\ufeff" + NODES, is_sound=True),
    "Windows line ends": Case(nodes=NODES.replace("\n", "\r\n"), is_sound=True),
    "semicolons for commas": Case(nodes=NODES.replace(",", ";"), is_sound=True),
    "a label seen once": Case(nodes=_labels(*"ababab", "c"), is_sound=True),
    "names that are markup": Case(
        nodes=NODES.replace("p1,", "<script>alert(1)</script>,"),
        edges=EDGES.replace("p1,", "<script>alert(1)</script>,"),
        is_sound=True,
    ),
    "100,000 columns": Case(nodes=_wide, is_sound=True),
}


@dataclass(frozen=True)
class Answer:
    """How a case ended: the exit code, and what was said, with the folder left out."""

    code: int
    message: str


def ask(case: Case, folder: Path) -> Answer:
    """Write the files, call ``cogsl fit`` on them, and return its answer."""
    from typer.testing import CliRunner

    from cogsl.cli import app

    words = ["--nodes", _write(folder / case.nodes_name, case.nodes)]
    if case.edges is not None:
        words += ["--edges", _write(folder / case.edges_name, case.edges)]
    named = [str(folder / word) if word in ("edge.csv", ".") else word for word in case.options]
    words += ["--label-column", case.label, "--output", str(folder / "out"), *named]
    done = CliRunner().invoke(app, ["fit", *words, "--set", "iterations=1", "--threads", "1"])
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    text = " ".join(lines).removeprefix("Error: ") or str(done.exception or "fitted")
    return Answer(done.exit_code, text.replace(f"{folder}/", "").replace(str(folder), "FOLDER"))


def _write(path: Path, content: Content) -> str:
    given = content() if callable(content) else content
    path.write_bytes(given.encode() if isinstance(given, str) else given)
    return str(path)


def is_right(case: Case, answer: Answer) -> bool:
    """Tell whether a bad case was refused by us, and a sound one was not."""
    return answer.code == (0 if case.is_sound else 2)


def format_page(answers: Mapping[str, Answer]) -> str:
    """Return the answers as a page."""
    head = (
        "# What is said to bad input\n\n"
        "Made by `python -m benchmarks.bad_inputs --page docs/bad_inputs.md`: files with one thing "
        "wrong, given to\n`cogsl fit`. Bad ones are refused before anything is trained.\n\n"
        "| what is odd | what is said |\n|---|---|\n"
    )
    rows = (
        f"| {name} | {_cell(answer.message) if answer.code else 'it is fitted'} |\n"
        for name, answer in answers.items()
    )
    return head + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main(
    page: Annotated[Path | None, typer.Option(help="file of the table, Markdown")] = None,
) -> None:
    """Try every case and print what was said."""
    answers = {}
    for name, case in CASES.items():
        with TemporaryDirectory() as folder:
            answers[name] = ask(case, Path(folder))
    table = Table(title=f"{len(answers)} odd inputs")
    for title in ("", "as it should be", "what is said"):
        table.add_column(title)
    for name, answer in answers.items():
        table.add_row(name, "yes" if is_right(CASES[name], answer) else "NO", answer.message)
    print_table(table)
    if page is not None:
        from cogsl.files import write_text

        write_text(page, format_page(answers))


if __name__ == "__main__":
    typer.run(main)
