"""Take the pictures of the page that the documentation shows: ``python -m tools.page_pictures --runs DIR``.

The runs are needed for the picture of the learning view; the first one listed is shown.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.browsing import browsing
from benchmarks.page import serving
from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent.parent / "docs" / "images"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 120_000  # milliseconds


class Photographer:
    """A browser, a server, and where the pictures go."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address

    def window(self, *, size: Any = DESK, theme: str = "light") -> Page:
        """A fresh window."""
        phone = size is PHONE
        context = self._browser.new_context(viewport=size, color_scheme=theme, is_mobile=phone, has_touch=phone)  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        return page

    def ask(self, page: Page, path: str, body: object) -> Any:
        """A request to the server as the page sends it."""
        headers = {"content-type": "application/json", "origin": self._address}
        answer = page.request.post(f"{self._address}/api/games{path}", data=json.dumps(body), headers=headers)
        assert answer.ok, answer.text()
        return answer.json()

    def open_game(self, page: Page, game: str, player: str, ply: int) -> None:
        """A game of a player against itself, at one of its moves."""
        number = self.ask(page, "", {"game": game, "seats": [player, player]})["id"]
        while not page.request.get(f"{self._address}/api/games/{number}").json()["view"]["over"]:
            time.sleep(0.5)
        self.ask(page, f"/{number}/goto", {"node": ply})
        page.goto(f"{self._address}/#/game/{number}")
        page.wait_for_selector("svg.board")

    def analyse(self, page: Page, seconds: float) -> None:
        """Let the analysis run."""
        page.keyboard.press("a")
        page.wait_for_selector(".moves-table tbody tr")
        time.sleep(seconds)

    def save(self, page: Page, name: str) -> None:
        """Take the picture and close the window."""
        page.screenshot(path=IMAGES / f"page-{name}.png")
        page.context.close()


def take_all(browser: Browser, address: str) -> None:
    """All pictures, one after the other."""
    camera = Photographer(browser, address)
    page = camera.window()
    camera.open_game(page, "dots:5x5", "easy", 34)
    camera.analyse(page, 8.0)
    camera.save(page, "analysis")

    page = camera.window()
    camera.open_game(page, "dots:4x4", "easy", 24)
    page.get_by_role("tab", name="Review").click()
    page.locator("#start-review").click()
    page.wait_for_selector(".summary")
    camera.save(page, "review")

    page = camera.window(theme="dark")
    camera.open_game(page, "zertz:37", "greedy", 12)
    camera.analyse(page, 4.0)
    camera.save(page, "zertz")

    page = camera.window(size=PHONE)
    camera.open_game(page, "zertz:37", "greedy", 12)
    camera.analyse(page, 4.0)
    camera.save(page, "phone")

    page = camera.window()
    page.goto(f"{address}/#/learn")
    page.wait_for_selector(".chart polyline")
    camera.save(page, "learn")


def main() -> None:
    """Serve the runs, and take the pictures of that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        games = f"{name}/games.sqlite"
        command = ("pocketzero", "serve", "--port", "0", "--no-browser", "--games", games, "--runs", options.runs)
        with serving(Path(name), *command) as (address, *_), browsing() as browser:
            take_all(browser, address)


if __name__ == "__main__":
    main()
