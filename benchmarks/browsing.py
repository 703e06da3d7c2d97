"""The page in a real browser: how soon it is painted, and how soon a click is answered on the board."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def seated(*seats: str) -> str:
    """A script after which the page begins its games with these players."""
    return f"localStorage.setItem('pocketzero.seats', {json.dumps(json.dumps(seats))})"


TWO_PERSONS = seated("person", "person")


def browser_path() -> str | None:
    """The machine's Chromium, if it has one."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """The machine's Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        yield browser
        browser.close()


def first_paint(page: Page, address: str) -> float:
    """Milliseconds from the request of the page to the first paint of its contents; the board is there afterwards."""
    page.goto(f"{address}/")
    page.wait_for_selector("svg.board .line", state="attached")
    return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")


def free_line(page: Page) -> str:
    """A line of Dots and Boxes that is not drawn, as soon as it is a person's turn."""
    found = page.wait_for_function(
        """() => !document.querySelector(".line.pending") &&
                 document.querySelector(".board.active .line.open")?.dataset.label"""
    )
    return found.json_value()


def answer_to_a_click(page: Page, line: str) -> float:
    """Milliseconds from a click on a line of Dots and Boxes to the frame in which the line is on the board."""
    page.evaluate(
        """(line) => addEventListener('click', () => {
            const begin = performance.now();
            window.answered = undefined;
            requestAnimationFrame(() => {
                const shown = document.querySelector(`[data-label=${line}]:is(.pending, .drawn)`);
                window.answered = shown ? performance.now() - begin : 999;
            });
        }, {capture: true, once: true})""",
        line,
    )
    page.locator(f'.board.active [data-label="{line}"]').click()
    page.wait_for_function("() => window.answered !== undefined")
    return page.evaluate("window.answered")
