"""The HTML page of a run: what stands in it, and what never does."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.errors import InputError, LengthMismatchError
from cogsl.report.packing import embed, plain
from cogsl.report.page import MAX_BYTES, SCRIPTS, Learned, render_page, write_page
from tests.report.page_inputs import RECORD, data_of, edges_in, large, named, tiny, unpacked

ROOT = Path(__file__).parents[2]
EVIL = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&amp;\u2028\u2029"


class Elements(HTMLParser):
    """Gathers the elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_same_input_gives_the_same_bytes() -> None:
    assert render_page(tiny()) == render_page(tiny())


def test_data_is_never_markup() -> None:
    names = (EVIL, *"bcdef")
    record = RECORD | {"method": EVIL, EVIL: EVIL, "settings": {EVIL: EVIL}}
    evil = named(tiny(record=record, view_names=(EVIL, "w")), nodes=names, classes=(EVIL, "y"))
    page, harmless = render_page(evil), render_page(tiny())
    assert Elements(page).found == Elements(harmless).found
    data = data_of(page)
    assert unpacked(data["nodes"]["names"])[0] == EVIL
    assert data["classes"] == [EVIL, "y"]
    assert data["method"] == EVIL
    assert [EVIL, EVIL] in data["record"][1]["rows"] + data["record"][0]["rows"]


def test_embedded_json_has_no_character_of_markup() -> None:
    text = embed({"a": EVIL, "b": [EVIL]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert "\\u003c/script\\u003e" in text


def test_values_become_those_of_json() -> None:
    values = {
        "a": np.float32(0.5),
        "b": (1, None),
        "c": float("nan"),
        "d": np.arange(2),
        1: "\ud800",
    }
    assert plain(values) == {"a": 0.5, "b": [1, None], "c": None, "d": [0, 1], "1": "?"}
    assert plain({"path": Path("x"), "yes": np.True_}) == {"path": "x", "yes": True}


def test_nothing_is_fetched_and_only_our_scripts_run() -> None:
    page = render_page(tiny())
    elements = Elements(page).found
    assert not [a for tag, a in elements if tag in ("link", "img", "iframe") or "src" in a]
    targets = [a["href"] for _, a in elements if "href" in a]
    assert all(str(target).startswith("#") for target in targets)
    assert "onclick" not in {name for _, attributes in elements for name in attributes}
    (policy,) = (a["content"] for _, a in elements if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    styles = re.findall(r"<style[^>]*>(.*?)</style>", page, re.S)
    hashes = [hashlib.sha256(text.encode()).digest() for text in (*scripts, *styles)]
    wanted = {f"sha256-{base64.b64encode(digest).decode()}" for digest in hashes}
    assert len(wanted) == 3
    assert set(re.findall(r"'(sha256-[^']+)'", policy)) == wanted


def test_links_lead_to_parts_of_the_page_and_controls_have_labels() -> None:
    elements = Elements(render_page(tiny())).found
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))
    for attribute in ("href", "for", "aria-labelledby", "aria-describedby", "aria-controls"):
        targets = [str(a[attribute]).lstrip("#") for _, a in elements if attribute in a]
        assert targets
        assert set(targets) <= set(ids)


def test_every_script_stands_in_the_page() -> None:
    folder = resources.files("cogsl.report") / "assets" / "script"
    assert sorted(SCRIPTS) == sorted(f.name.removesuffix(".js") for f in folder.iterdir())
    page = render_page(tiny())
    assert all((folder / f"{name}.js").read_text(encoding="utf-8") in page for name in SCRIPTS)


def test_the_drawing_library_comes_with_its_licence() -> None:
    vendor = resources.files("cogsl.report") / "assets" / "vendor"
    licence = (vendor / "cytoscape.LICENSE").read_text(encoding="utf-8")
    (rights,) = re.findall(r"Copyright .*", licence)
    assert "Permission is hereby granted, free of charge" in licence
    assert rights in render_page(tiny())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "report/assets/**/*" in project["tool"]["setuptools"]["package-data"]["cogsl"]


def test_a_hundred_thousand_nodes_are_below_ten_megabytes(many: Learned, page_of_many: str) -> None:
    assert many.given.graph.n_edges > 490_000
    assert len(page_of_many.encode()) < 10_000_000
    data = data_of(page_of_many)
    assert data["nodes"]["count"] == 100_000
    assert len(unpacked(data["nodes"]["names"])) == 100_000
    assert data["edges"]["shown"] == data["edges"]["all"] > 990_000


def test_a_page_that_would_be_too_large_leaves_out_the_weakest_edges() -> None:
    learned = large(2000, extra=20)
    whole = render_page(learned)
    frame = len(render_page(tiny()))
    limit = frame + (len(whole) - frame) * 4 // 5
    cut = render_page(learned, max_bytes=limit)
    assert len(cut.encode()) <= limit < len(whole)
    data = data_of(cut)
    assert 0 < data["edges"]["shown"] < data["edges"]["all"] == data_of(whole)["edges"]["all"]
    kept, all_edges = edges_in(cut), edges_in(whole)
    assert len(kept) == data["edges"]["shown"]
    missing = [all_edges[pair] for pair in set(all_edges) - set(kept)]
    assert all(before == 0.0 for before, _ in missing)
    new = [after for before, after in kept.values() if before == 0.0]
    assert max(after for _, after in missing) <= min(new)
    assert data["changes"] == data_of(whole)["changes"]


def test_the_limit_is_below_ten_megabytes() -> None:
    assert MAX_BYTES < 10_000_000


def test_a_page_is_written_whole(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", tiny())
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == render_page(tiny())
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot write '.*no.page\.html'"):
        write_page(tmp_path / "no" / "page.html", tiny())


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("learned", csr_array((5, 5)), "learned graph of a page must be of shape 6 x 6. Got 5 x 5"),
        ("probabilities", np.ones((6, 3)), "probabilities .* must be of shape 6 x 2 .* Got 6 x 3"),
        ("fusion_weights", np.ones((6, 1)), "fusion weights .* must be of shape 6 x 2 .* 6 x 1"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(
    field: str, value: Any, message: str
) -> None:
    with pytest.raises(LengthMismatchError, match=message):
        tiny(**{field: value})


def test_a_method_that_learns_no_graph_has_a_page() -> None:
    data = data_of(render_page(tiny(learned=None, fusion_weights=None, history=())))
    assert not data["is_learned"]
    assert data["edges"]["all"] == 4
    assert [len(row) for row in data["changes"]] == [2] * len(data["changes"])
    assert data["nodes"]["fusion"] == []
    assert data["curves"]["panels"] == []
