"""Pages in a real browser: real ones, a large one and a wicked one; in the dark, and by keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from cogsl import datasets
from cogsl.graph import Graph
from cogsl.io import NamedGraph
from cogsl.methods.cogsl import CoGSL
from cogsl.report.page import Learned, render_page
from cogsl.report.page_changes import changes_of
from tests.at_hand import load_if_at_hand
from tests.report.browser import Visit, shown, standing
from tests.report.page_inputs import HISTORY, RECORD, data_of, large, named, regraphed, tiny

Scheme = Literal["light", "dark"]
EVIL = "<script>document.title = window.harm = 1</script>"
IMAGE = "</script><img src=x onerror='window.harm = 1'>"


# Real and large pages ---------------------------------------------------------------------------


def wine_fit() -> Learned:
    """Return what two iterations of CoGSL make of Wine."""
    graph = datasets.load("wine")
    method = CoGSL(iterations=2).fit(graph, seed=0)
    assert method.learned_graph_ is not None
    return Learned(
        given=NamedGraph.numbered(graph),
        learned=method.learned_graph_.adjacency,
        probabilities=method.predict_proba(),
        fusion_weights=method.fusion_weights_,
        view_names=tuple(method.views),
        history=method.history_,
        record={"method": "cogsl", "seed": 0, "settings": method.get_params(), "n_iter": 2},
    )


def citeseer_page() -> Learned:
    """Return a random learned graph over Citeseer, half of whose edges were given."""
    graph = load_if_at_hand("citeseer")
    rng = np.random.default_rng(0)
    entries = graph.adjacency.tocoo()
    given = np.stack([entries.row, entries.col])[:, rng.random(entries.nnz) < 0.4]
    edges = np.concatenate([given, rng.integers(0, graph.n_nodes, (2, 20_000))], axis=1)
    learned = Graph.from_edges(edges, n_nodes=graph.n_nodes, weights=rng.random(edges.shape[1]))
    return Learned(
        given=NamedGraph.numbered(graph),
        learned=learned.adjacency,
        probabilities=rng.dirichlet(np.ones(graph.n_classes), graph.n_nodes),
        history=HISTORY,
        record=RECORD,
    )


@pytest.mark.parametrize(("make", "n_panels"), [(wine_fit, 6), (citeseer_page, 3)])
def test_the_page_of_a_real_graph_opens_quietly(
    make: Callable[[], Learned], n_panels: int, visit: Visit, tmp_path: Path
) -> None:
    learned = make()
    shown(visit, tmp_path, learned)
    assert visit.page.locator("h1").inner_text() == learned.given.graph.name
    expected = standing(changes_of(learned).strongest)
    assert visit.page.locator("#standing").inner_text() == expected
    assert visit.page.locator("#curves figure").count() == n_panels
    assert visit.page.locator("#uncertain tbody tr").count() == 25
    assert visit.page.locator(".matrix tbody tr").count() == learned.given.graph.n_classes
    visit.choose("7")
    degree = np.diff(learned.given.graph.adjacency.indptr)[7]
    assert visit.status.startswith(f"7 has neighbours: {degree} before,")
    visit.page.check("input[name=hops][value='2']")
    assert "within two hops" in visit.status
    assert 1 < visit.drawn("node") <= 50


def test_a_hundred_thousand_nodes_can_be_explored(
    many: Learned, page_of_many: str, visit: Visit, tmp_path: Path
) -> None:
    (tmp_path / "many.html").write_text(page_of_many, encoding="utf-8")
    visit.go(tmp_path / "many.html")
    changes = changes_of(many)
    assert visit.page.locator("#standing").inner_text() == standing(changes.strongest)
    assert many.learned is not None
    for node in (0, 54_321, 99_999):
        name, given = many.given.nodes[node], many.given.graph.adjacency
        before = given.indptr[node + 1] - given.indptr[node]
        after = np.count_nonzero(many.learned[[node]].data >= np.float32(changes.least))
        visit.choose(name)
        assert visit.status.startswith(f"{name} has neighbours: {before} before, {after} after.")
    visit.page.check("input[name=hops][value='2']")
    assert visit.status.partition(". ")[2].startswith("Cut off: the nearest and strongest 50 of")
    assert visit.drawn("node") == 50
    visit.page.fill("#search", "node-00")
    assert visit.page.locator("#suggestions [role=option]").count() == 12
    assert "more" in visit.page.locator("#suggestions").inner_text()


def test_a_page_that_leaves_edges_out_says_so(visit: Visit, tmp_path: Path) -> None:
    learned = large(2000, extra=20)
    found, whole = changes_of(learned).strongest, render_page(learned)
    assert found is not None
    for spared, said in (
        (40_000, "all that were given or stand"),
        (210_000, "the same share of each"),
    ):
        cut = render_page(learned, max_bytes=len(whole) - spared)
        (tmp_path / "cut.html").write_text(cut, encoding="utf-8")
        visit.go(tmp_path / "cut.html")
        n_shown = data_of(cut)["edges"]["shown"]
        notes = visit.page.locator("#changes-notes").inner_text()
        assert f"the graph below holds {n_shown:,} of " in notes
        assert said in notes
        assert f"at least {changes_of(learned).least:.3g}:" in notes
        assert "(of those in this page)" in visit.page.locator("#standing").inner_text()
    words = visit.page.locator("#standing").inner_text().replace(",", "")
    kept, added, dropped = (int(n) for n in re.findall(r"(\d+) (?:kept|added|dropped)", words))
    assert kept + added + dropped == n_shown
    assert kept / found.kept == pytest.approx(added / found.added, abs=0.01)
    assert kept / found.kept == pytest.approx(dropped / found.dropped, abs=0.01)


# Safety, light and dark, keys -------------------------------------------------------------------


def test_names_that_are_scripts_do_nothing(visit: Visit, tmp_path: Path) -> None:
    record = {"method": EVIL, "settings": {IMAGE: EVIL}, "seed": IMAGE}
    learned = named(tiny(record=record), nodes=(EVIL, IMAGE, *"cdef"), classes=(EVIL, IMAGE))
    learned = regraphed(replace(learned, view_names=(EVIL, IMAGE)), name=IMAGE)
    shown(visit, tmp_path, learned)
    visit.page.fill("#search", "<script")
    assert visit.page.locator("#suggestions [role=option]").all_inner_texts() == [EVIL]
    visit.page.press("#search", "Enter")
    visit.point_at("e0", "renderedMidpoint")
    assert visit.page.locator("#tip").inner_text().startswith(f"{EVIL} – {IMAGE}")
    for option in range(5):
        visit.page.select_option("#colour", index=option)
    visit.page.click("#node summary")
    assert visit.page.evaluate("window.harm") is None
    assert visit.page.locator("h1").inner_text() == IMAGE
    assert EVIL in visit.page.locator("#record").inner_text()
    assert visit.page.locator("script").count() == 3
    assert visit.page.locator("img").count() == 0


def test_the_policy_forbids_the_network_and_foreign_scripts(tiny_page: Visit) -> None:
    refused = "fetch('https://example.org/').then(() => 'fetched', () => 'refused')"
    assert tiny_page.page.evaluate(refused) == "refused"
    tiny_page.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.harm = 1";
            document.body.append(script);
        }"""
    )
    assert tiny_page.page.evaluate("window.harm") is None
    for _ in range(100):  # the console's words come a little later
        if len(tiny_page.complaints) >= 2:
            break
        tiny_page.page.wait_for_timeout(50)
    assert len(tiny_page.complaints) >= 2
    assert all("Content Security Policy" in text for text in tiny_page.complaints)
    tiny_page.complaints.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_button(
    scheme: Scheme, visit: Visit, tmp_path: Path
) -> None:
    visit.page.emulate_media(color_scheme=scheme)
    shown(visit, tmp_path, tiny())
    paper = "getComputedStyle(document.body).backgroundColor"
    seen = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}
    other = "dark" if scheme == "light" else "light"
    assert visit.page.evaluate(paper) == seen[scheme]
    assert visit.page.get_attribute("#theme", "aria-pressed") == str(scheme == "dark").lower()
    name = visit.picture("nodes('.centre').style('color')")
    visit.page.click("#theme")
    assert visit.page.evaluate(paper) == seen[other]
    assert visit.page.get_attribute("#theme", "aria-pressed") == str(other == "dark").lower()
    assert visit.picture("nodes('.centre').style('color')") != name
    visit.page.click("#theme")
    assert visit.picture("nodes('.centre').style('color')") == name


def test_text_and_lines_stand_out_from_the_paper(tiny_page: Visit) -> None:
    """Text by 4.5 to 1, lines of the picture by 3 to 1, as WCAG 2 asks (level AA)."""
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        tiny_page.page.emulate_media(color_scheme=scheme)
        colours = tiny_page.page.evaluate(
            """names => names.map(name => {
                const probe = document.body.appendChild(document.createElement("i"));
                probe.style.color = `var(--${name})`;
                return getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
            })""",
            ["paper", "ink", "soft", "accent", "kept", "added", "dropped"],
        )
        paper, *rest = (luminance(colour) for colour in colours)
        assert (paper > 0.5) == (scheme == "light")
        contrasts = [(max(paper, y) + 0.05) / (min(paper, y) + 0.05) for y in rest]
        assert min(contrasts[:3]) >= 4.5
        assert min(contrasts[3:]) >= 3.0


def luminance(colour: list[float]) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    shares = [value / 255 for value in colour[:3]]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_tab_reaches_every_control_in_order(tiny_page: Visit) -> None:
    names = "document.activeElement"
    seen = []
    for _ in range(80):
        tiny_page.page.keyboard.press("Tab")
        found = f"{names}.id || {names}.value || {names}.textContent.trim()"
        seen.append(tiny_page.page.evaluate(found))
        if seen[-1] == seen[0] and len(seen) > 1:
            break  # once round
    assert seen.pop() == seen[0]
    wanted = [
        *("Skip to the content", "theme", "What was learned", "Settings and versions"),
        *("search", "1", "most", "kept", "added", "dropped", "Before", "After", "Both"),
        *("least", "least-reset", "colour", "picture", "zoom-in", "zoom-out", "zoom-fit"),
    ]
    assert [name for name in seen if name in wanted] == wanted
    neighbours = seen[seen.index("zoom-fit") + 1 :]
    assert any(name in neighbours for name in "abcdef")


def test_everything_has_a_name_for_screen_readers(tiny_page: Visit) -> None:
    unnamed = tiny_page.page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, [tabindex='0'], section")]
            .filter(e => !(e.labels && e.labels.length) && !e.getAttribute("aria-label")
                && !e.getAttribute("aria-labelledby") && !e.textContent.trim())
            .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert tiny_page.page.get_by_role(landmark).count() == 1
    assert tiny_page.page.locator("#status").get_attribute("aria-live") == "polite"
    assert tiny_page.page.get_by_role("combobox", name="Node", exact=True).count() == 1
    assert tiny_page.page.get_by_role("slider", name="Least weight").count() == 1
    assert tiny_page.page.get_by_role("checkbox", name="dropped").count() == 1
    label = tiny_page.page.get_attribute("#picture", "aria-label")
    assert label is not None
    assert label.startswith("Picture of the graph around e: ")
