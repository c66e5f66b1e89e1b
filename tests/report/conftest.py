"""A browser for each file of tests that wants one, and the page of 100,000 nodes, made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cogsl.report.page import Learned, render_page
from tests.report.browser import Visit, open_browser, shown
from tests.report.page_inputs import large, tiny


@pytest.fixture(scope="module")
def begun() -> Iterator[Visit]:
    with open_browser() as browser:
        yield Visit.begin(browser)


@pytest.fixture
def visit(begun: Visit) -> Iterator[Visit]:
    """Return the open browser; whatever is done there, nothing may be fetched or go wrong."""
    begun.complaints.clear()
    begun.page.mouse.move(0, 0)
    begun.page.emulate_media(color_scheme="light")
    yield begun
    begun.assert_quiet()


@pytest.fixture
def tiny_page(visit: Visit, tmp_path: Path) -> Visit:
    """Open the page of six nodes."""
    return shown(visit, tmp_path, tiny())


@pytest.fixture(scope="session")
def many() -> Learned:
    """Return 100,000 nodes with ten neighbours each, and a learned graph with twice as many."""
    return large(100_000, degree=10, extra=5)


@pytest.fixture(scope="session")
def page_of_many(many: Learned) -> str:
    return render_page(many)
