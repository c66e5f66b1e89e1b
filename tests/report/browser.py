"""A browser that opens pages from disk and remembers all that goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cogsl.io import Difference
from cogsl.report.page import Learned, write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium; skip the tests, saying why, where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        found = next(filter(None, map(shutil.which, NAMES)), str(own) if own.exists() else None)
        if found is None:
            pytest.skip(f"no Chromium here: neither {', '.join(NAMES)} nor Playwright's own")
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open, what it asked for and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, browser: Browser) -> Visit:
        """Open an empty page; one for all tests is much faster than one each."""
        visit = cls(browser.new_page(viewport={"width": 1280, "height": 900}))
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.on("console", lambda message: visit.complaints.append(message.text))
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        visit.page.set_default_timeout(20_000)
        return visit

    def go(self, path: Path) -> None:
        """Open a file, and wait until all of it is shown."""
        self.requests.clear()
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")

    @property
    def status(self) -> str:
        """What was said last."""
        return self.page.locator("#status").inner_text()

    def choose(self, name: str) -> None:
        """Search a node by its whole name and take the first suggestion."""
        self.page.fill("#search", name)
        self.page.press("#search", "Enter")

    def drawn(self, selector: str) -> int:
        """Return how many elements of the picture a selector of Cytoscape finds."""
        found: int = self.picture(f"elements({selector!r}).length")
        return found

    def picture(self, expression: str) -> Any:
        """Return what an expression on the Cytoscape instance gives."""
        return self.page.evaluate(f"document.getElementById('picture')._cyreg.cy.{expression}")

    def point_at(self, element: str, place: str) -> None:
        """Move the pointer to an element of the picture."""
        self.page.locator("#picture").scroll_into_view_if_needed()
        at = self.picture(f"getElementById({element!r}).{place}()")
        box = self.page.locator("#picture").bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + 2, box["y"] + 2)
        self.page.mouse.move(box["x"] + at["x"] + 1, box["y"] + at["y"] + 1)

    def assert_quiet(self) -> None:
        """Nothing was fetched but the file itself, and nothing was complained of."""
        assert self.complaints == []
        assert len(self.requests) == 1
        assert self.requests[0].startswith("file://")


def shown(visit: Visit, folder: Path, learned: Learned) -> Visit:
    """Write a page and open it."""
    write_page(folder / "page.html", learned)
    visit.go(folder / "page.html")
    return visit


def standing(found: Difference | None) -> str:
    """Return what a page should say of the edges that stand at first."""
    assert found is not None
    counts = f"{found.kept:,} kept, {found.added:,} added; {found.dropped:,} dropped"
    return f"{found.after.edges:,} edges stand: {counts}. Homophily {found.after.homophily:.3f}."
