"""The page of a run: one HTML file that opens from disk, needs no network and can be explored.

All that comes from the user (names, settings, figures) is JSON in a script element that is never
run, and reaches the page as text only. A Content-Security-Policy lets nothing run but our own
scripts, by their hashes, and nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import cogsl
from cogsl.errors import InputError
from cogsl.files import write_text
from cogsl.report.learned import Learned
from cogsl.report.packing import embed
from cogsl.report.page_changes import Changes, changes_of, rows_of
from cogsl.report.page_curves import curves_of
from cogsl.report.page_edges import both_edges, fit_edges
from cogsl.report.page_nodes import confusion_of, pack_nodes, uncertain_nodes
from cogsl.report.page_record import tables_of
from cogsl.report.page_words import in_words
from cogsl.sparse.undirected import edges_of

MAX_BYTES = 9_900_000
"""No page is larger."""
_NAME_BYTES = 4_000_000  # of which the nodes' names have at most so many

SCRIPTS = (
    *("decode", "dom", "theme", "model", "walk", "palette", "places", "picture", "search"),
    *("explore", "neighbours", "curves", "tables", "start"),
)
"""Our own, in the order in which they stand in the page."""

__all__ = ["MAX_BYTES", "Learned", "render_page", "write_page"]


def write_page(path: Path, learned: Learned) -> None:
    """Write the page of a run, whole or not at all."""
    text = render_page(learned)
    try:
        write_text(path, text)
    except OSError as error:
        raise InputError(f"Cannot write '{path}': {error.strerror}. Give another file.") from error


def render_page(learned: Learned, *, max_bytes: int = MAX_BYTES) -> str:
    """Return the page of a run; the same input gives the same text.

    It has at most ``max_bytes``: of larger graphs the weakest edges are left out, and the page
    says so.
    """
    changes = changes_of(learned)
    frame, data = _frame(), _data(learned, changes)
    room = max_bytes - sum(len(part.encode()) for part in (*frame, embed(data)))
    graph = learned.given.graph
    edges = both_edges(edges_of(graph.adjacency), changes.edges, graph.n_nodes, least=changes.least)
    packed, n_shown = fit_edges(edges, room - 2000)  # the rest is for the keys of JSON
    n_known = int(np.count_nonzero(edges.kinds < 3))
    data["edges"] = packed | {"all": len(edges), "known": n_known, "shown": n_shown}
    return embed(data).join(frame)


def _data(learned: Learned, changes: Changes) -> dict[str, Any]:
    """Return all that the page shows beside the edges."""
    given = learned.given
    uncertain = uncertain_nodes(learned)
    return {
        "name": given.graph.name,
        "method": learned.record.get("method", ""),
        "seed": learned.record.get("seed"),
        "made_by": _made_by(),
        "words": in_words(learned, changes),
        "is_learned": learned.learned is not None,
        "least_weight": changes.least,
        "weighed_by": learned.weighed_by,
        "changes": rows_of(changes),
        "classes": given.classes,
        "views": learned.view_names,
        "nodes": pack_nodes(learned, _NAME_BYTES),
        "start": uncertain[0][0] if uncertain else 0,
        "curves": curves_of(learned.history, learned.view_names),
        "best_iteration": _best(learned.record.get("best_iter")),
        "confusion": confusion_of(learned),
        "uncertain": uncertain,
        "record": tables_of(learned.record),
    }


def _made_by() -> str:
    """Return the program and its version, where that is known."""
    version = cogsl.__version__
    return "cogsl" if version == "unknown" else f"cogsl {version}"


def _best(iteration: Any) -> int | None:
    """Return the kept iteration, counted from 1."""
    return iteration + 1 if isinstance(iteration, int) else None


@cache
def _frame() -> tuple[str, str]:
    """Return the page before and after its data."""
    own = "\n".join(_asset(f"script/{name}.js") for name in SCRIPTS)
    vendor = _asset("vendor/cytoscape.min.js")
    parts = {
        "style": _asset("page.css"),
        "vendor": vendor,
        "script": f'(() => {{\n"use strict";\n{own}}})();\n',
        "data": "\0",
    }
    hashes = {name: _hash(text) for name, text in parts.items()}
    parts["policy"] = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src {hashes['vendor']} {hashes['script']}; style-src {hashes['style']}"
    )
    page = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))
    before, after = page.split("\0")
    return before, after


def _asset(name: str) -> str:
    text = (resources.files("cogsl.report") / "assets" / name).read_text(encoding="utf-8")
    assert "</script" not in text or name == "page.html"
    return text


def _hash(text: str) -> str:
    """Return a script's or style's name in a Content-Security-Policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
