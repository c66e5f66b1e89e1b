"""Exploring the graph of a page in a real browser, by pointer and by keys."""

from __future__ import annotations

from pathlib import Path

from cogsl.report.page_changes import changes_of
from tests.report.browser import Visit, shown, standing
from tests.report.page_inputs import named, regraphed, tiny


def test_a_node_is_found_by_a_part_of_its_name(visit: Visit, tmp_path: Path) -> None:
    names = ("Anna", "Hannah", "Ann", "Bob", "anna-lena", "Zoë")
    shown(visit, tmp_path, named(tiny(), nodes=names))
    visit.page.fill("#search", "ann")
    options = visit.page.locator("#suggestions [role=option]")
    assert options.all_inner_texts() == ["Ann", "Anna", "anna-lena", "Hannah"]
    visit.page.press("#search", "ArrowDown")
    visit.page.press("#search", "Enter")
    assert visit.status.startswith("Anna has neighbours: 1 before, 2 after. 3 nodes within one hop")
    assert visit.page.input_value("#search") == "Anna"
    visit.page.fill("#search", "nobody")
    assert visit.page.locator("#suggestions").inner_text() == "No node has such a name."


def test_pointing_at_an_edge_shows_its_weight(tiny_page: Visit) -> None:
    tiny_page.choose("a")
    tip = tiny_page.page.locator("#tip")
    assert tip.is_hidden()
    tiny_page.point_at("e0", "renderedMidpoint")
    assert tip.inner_text() == "a – b\nkept, weight 0.9; 1 before"
    tiny_page.point_at("2", "renderedPosition")
    assert tip.inner_text().startswith(
        "c\nlabel: y (training)\nprediction: y, 80.0\u00a0%\nfusion:"
    )


def test_keys_read_the_same_as_the_pointer_and_lead_on(tiny_page: Visit) -> None:
    tiny_page.choose("c")
    tiny_page.page.focus("#picture")
    tiny_page.page.keyboard.press("ArrowRight")
    assert tiny_page.status == "c – d: kept, weight 0.8; 1 before"
    assert tiny_page.page.locator("#tip").inner_text() == "c – d\nkept, weight 0.8; 1 before"
    tiny_page.page.keyboard.press("ArrowLeft")
    assert tiny_page.status.startswith("a – b: kept")
    tiny_page.page.keyboard.press("ArrowLeft")
    assert tiny_page.status == "b – c: dropped, weight 0.2, below the least weight; 1 before"
    zoom = tiny_page.picture("zoom()")
    tiny_page.page.keyboard.press("+")
    assert tiny_page.picture("zoom()") > zoom
    tiny_page.page.keyboard.press("ArrowRight")
    tiny_page.page.keyboard.press("Enter")
    assert tiny_page.page.input_value("#search") != "c"
    assert tiny_page.page.evaluate("document.activeElement.id") == "picture"


def test_a_focused_neighbour_shows_its_edge(tiny_page: Visit) -> None:
    tiny_page.choose("a")
    tiny_page.page.focus("#node button >> nth=1")
    assert tiny_page.page.locator("#tip").inner_text() == "a – c\nadded, weight 0.7"
    assert tiny_page.drawn("edge.read") == 1
    tiny_page.page.keyboard.press("Enter")
    assert tiny_page.status.startswith("c has neighbours: 2 before, 2 after.")


def test_a_node_in_the_picture_can_be_clicked(tiny_page: Visit) -> None:
    tiny_page.choose("a")
    tiny_page.point_at("1", "renderedPosition")
    tiny_page.page.mouse.down()
    tiny_page.page.mouse.up()
    assert tiny_page.status.startswith("b has neighbours")


def test_kinds_of_edges_can_be_hidden(tiny_page: Visit) -> None:
    tiny_page.choose("d")
    assert [tiny_page.drawn(f"edge.{kind}") for kind in ("kept", "added", "dropped")] == [1, 1, 1]
    tiny_page.page.uncheck("input[value=dropped]")
    assert [tiny_page.drawn(f"edge.{kind}") for kind in ("kept", "added", "dropped")] == [1, 1, 0]
    assert tiny_page.page.locator("#node tbody tr").count() == 2
    tiny_page.page.click("text='Before'")
    assert [tiny_page.drawn(f"edge.{kind}") for kind in ("kept", "added", "dropped")] == [1, 0, 1]
    assert not tiny_page.page.is_checked("input[value=added]")


def test_kinds_of_edges_differ_in_line_and_colour(tiny_page: Visit) -> None:
    tiny_page.choose("d")
    styles = [
        [
            str(tiny_page.picture(f"edges('.{kind}').style('{name}')"))
            for name in ("line-style", "line-dash-pattern", "line-color")
        ]
        for kind in ("kept", "added", "dropped")
    ]
    lines, dashes, colours = zip(*styles, strict=True)
    assert lines == ("solid", "dashed", "dashed")
    assert dashes[1] != dashes[2]
    assert len(set(colours)) == 3


def test_the_least_weight_can_be_moved_and_brought_back(tiny_page: Visit) -> None:
    text = tiny_page.page.locator("#standing")
    first = "4 edges stand: 2 kept, 2 added; 2 dropped. Homophily 0.667."
    assert text.inner_text() == first == standing(changes_of(tiny()).strongest)
    tiny_page.page.focus("#least")
    tiny_page.page.keyboard.press("Home")
    assert text.inner_text() == "6 edges stand: 3 kept, 3 added; 1 dropped. Homophily 0.500."
    assert tiny_page.page.get_attribute("#least", "aria-valuetext") == "0.1: 6 edges"
    tiny_page.page.keyboard.press("End")
    assert text.inner_text() == "1 edge stands: 1 kept, 0 added; 3 dropped. Homophily 1.000."
    tiny_page.choose("d")
    assert tiny_page.drawn("edge.dropped") == 2
    tiny_page.page.click("#least-reset")
    assert text.inner_text() == first
    assert tiny_page.drawn("edge.dropped") == 1


def test_nodes_are_coloured_in_every_way(tiny_page: Visit) -> None:
    options = tiny_page.page.locator("#colour option").all_inner_texts()
    assert options == [
        "label",
        "prediction",
        "confidence of the prediction",
        "fusion weight of view 1, adjacency",
        "fusion weight of view 2, knn",
    ]
    tiny_page.choose("d")
    looks = {}
    for option in options:
        tiny_page.page.select_option("#colour", label=option)
        looks[option] = [
            tiny_page.picture(f"getElementById('{i}').style('background-color')") for i in (3, 4, 5)
        ]
        assert tiny_page.status == f"Nodes are coloured by {option}."
    assert looks["label"][0] == looks["label"][1] != looks["label"][2]
    assert looks["prediction"][0] == looks["prediction"][2] != looks["prediction"][1]
    assert len({str(colours) for colours in looks.values()}) == len(options)
    assert tiny_page.page.locator("#legend").inner_text().split() == ["0", "1"]
    tiny_page.page.select_option("#colour", label="label")
    assert tiny_page.page.locator("#legend").inner_text().split() == ["x", "y", "unknown"]


def test_least_certain_nodes_lead_to_the_graph(tiny_page: Visit) -> None:
    tiny_page.page.click("#uncertain button >> nth=1")
    assert tiny_page.status.startswith("f has neighbours: 0 before, 1 after.")
    assert tiny_page.page.evaluate("document.activeElement.id") == "picture"


def test_the_picture_and_the_curves_are_tables_too(tiny_page: Visit) -> None:
    tiny_page.choose("c")
    tiny_page.page.click("#node summary")
    rows = tiny_page.page.locator("#node details tbody tr")
    rows.nth(0).wait_for()  # the table is made when it is opened
    assert rows.count() == tiny_page.drawn("edge") == 4
    assert rows.nth(0).inner_text().split("\t") == ["c", "d", "kept", "1", "0.8"]
    tiny_page.page.click("#training summary")
    lines = tiny_page.page.locator("#training details tbody tr")
    lines.nth(0).wait_for()
    cells = lines.all_inner_texts()
    assert [row.split("\t")[:3] for row in cells] == [
        ["1", "0.1", "0.5"],
        ["2", "0.3", "0.5"],
        ["3", "0.4", "0.5"],
    ]
    tiny_page.page.focus("#training svg[tabindex] >> nth=0")
    tiny_page.page.keyboard.press("End")
    readout = tiny_page.page.locator("#training .readout >> nth=0")
    assert readout.inner_text() == "Iteration 3: adjacency and knn 0.4"


def test_a_method_without_a_graph_can_be_explored(visit: Visit, tmp_path: Path) -> None:
    bare = regraphed(tiny(learned=None, fusion_weights=None, history=()), test=[], val=[])
    shown(visit, tmp_path, bare)
    visit.choose("b")
    assert visit.status.startswith("b has neighbours: 2. 3 nodes within one hop are shown")
    assert visit.page.locator("#least-field").is_hidden()
    assert visit.page.locator("#kinds").inner_text().split() == ["Edges", "given"]
    assert "nothing to compare with" in visit.page.locator("#confusion").inner_text()
