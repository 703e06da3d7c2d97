"""The page in a real browser: whole games by clicks, analysis, review, records, runs, and a phone."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.browsing import TWO_PERSONS, answer_to_a_click, browsing, first_paint
from playwright.sync_api import Browser, Page, expect

from page_server import check_browser, running_server
from pocketzero.games import game
from pocketzero.nets import build_net, describe, save_net

pytestmark = pytest.mark.xdist_group("page")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    check_browser()
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(browser: Browser, folder: Path) -> Iterator[str]:
    with running_server(folder) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(20_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: request.url.startswith((address, "blob:", "data:")) or problems.append(request.url)
    )
    yield page
    context.close()
    assert not problems


def open_game(page: Page, address: str, game: str, seats: tuple[str, str], moves: str = "") -> None:
    """Begin a game as the page does, and wait for its board."""
    body = json.dumps({"game": game, "seats": seats, "moves": moves.split()})
    answer = page.request.post(
        f"{address}/api/games", data=body, headers={"content-type": "application/json", "origin": address}
    )
    assert answer.ok, answer.text()
    page.goto("about:blank")  # so that the board of an earlier game is not taken for this one
    page.goto(f"{address}/#/game/{answer.json()['id']}")
    page.wait_for_selector("svg.board")


def state(page: Page, address: str) -> dict:
    number = re.search(r"[0-9a-f]{16}", page.url)
    assert number
    return page.request.get(f"{address}/api/games/{number[0]}").json()


def click_until_over(page: Page, address: str, seed: int) -> dict:
    """Click on whatever may be clicked, by chance, whenever it is the person's turn."""
    chance = random.Random(seed)
    begin = time.monotonic()
    while time.monotonic() - begin < 60:
        page.wait_for_function(
            "() => !document.querySelector('.pending') && (document.querySelector('.bar.winner') "
            "|| /draw/i.test(document.querySelector('.status').textContent) "
            "|| document.querySelector('.board.active [data-move], .board.active [data-pick]'))"
        )
        targets = page.query_selector_all(".board.active [data-move], .board.active [data-pick]")
        if not targets:
            return state(page, address)
        target = chance.choice(targets)
        target.dispatch_event("click")
    raise AssertionError("The game did not end.")


@pytest.mark.parametrize(
    ("game", "opponent"), [("dots:3x3", "easy"), ("zertz:19/deepzertz", "greedy"), ("mnk:5x5x4", "uct:sims=100")]
)
def test_a_whole_game_by_clicks(page: Page, address: str, game: str, opponent: str) -> None:
    open_game(page, address, game, ("person", opponent))
    ended = click_until_over(page, address, seed=1)
    assert ended["view"]["over"]
    expect(page.locator(".status")).to_contain_text(re.compile("wins|draw", re.I))


def test_a_real_click_on_a_line_and_the_first_paint(page: Page, address: str) -> None:
    page.add_init_script(TWO_PERSONS)
    assert first_paint(page, address) < 1000
    times = [answer_to_a_click(page, line) for line in ("aA", "aF", "Af")]
    assert min(times) < 50, times
    expect(page.locator('.line.drawn[data-label="aA"]')).to_have_count(1)


def test_undo_goes_back_over_the_opponents_extra_turns(page: Page, address: str) -> None:
    # A has to give the last boxes: B takes them all in one turn, and undo leads back to A's own line.
    open_game(page, address, "dots:1x2", ("person", "easy"), "aA aB bA bB")
    page.wait_for_selector(".board.active [data-move]", state="attached")
    before = state(page, address)
    assert before["view"]["to_move"] == 0
    expect(page.locator("#redo")).to_be_disabled()
    page.locator('.board [data-move="Aa"]').dispatch_event("click")
    page.wait_for_selector(".bar.winner")
    page.wait_for_function("() => !/thinking/.test(document.querySelector('.status').textContent)")
    after = state(page, address)
    players = [node["player"] for node in after["nodes"][-3:]]
    assert players.count(1) >= 2, "the opponent had an extra turn"
    page.keyboard.press("u")
    page.wait_for_selector('.board.active [data-move="Aa"]', state="attached")
    assert state(page, address)["cursor"] == before["cursor"]
    expect(page.locator("#redo")).to_be_enabled()


def test_compulsory_captures_and_free_rings_are_marked(page: Page, address: str) -> None:
    open_game(page, address, "zertz:37", ("person", "person"))
    page.locator('[data-label="d4"]').click()
    expect(page.locator(".removable").first).to_be_visible()
    page.locator('[data-label="a1"]').click()
    page.get_by_role("radio", name=re.compile("^grey")).click()
    page.locator('[data-label="d5"]').click()
    page.locator('[data-label="g1"]').click()
    expect(page.locator(".bow").first).to_be_visible()
    expect(page.locator(".turn-steps .now")).to_have_text("Capture")
    assert "must capture" in (page.locator('[data-label="d4"]').get_attribute("aria-label") or "")


def reports_of_a_second(page: Page) -> int:
    before = page.evaluate("window.reports")
    time.sleep(1.0)
    return page.evaluate("window.reports") - before


def test_analysis_appears_follows_and_stops(page: Page, address: str) -> None:
    open_game(page, address, "mnk:5x5x4", ("person", "person"))
    page.evaluate(
        "() => { window.reports = 0; new MutationObserver(() => window.reports++)"
        ".observe(document.querySelector('.marks'), {childList: true}); }"
    )
    page.keyboard.press("a")
    expect(page.locator(".mark").first).to_be_visible()
    expect(page.locator(".moves-table tbody tr").first).to_be_visible()
    page.locator('.board [data-move="c3"]').click()
    expect(page.locator('.moves-table tbody tr[data-move="c3"]')).to_have_count(0)
    expect(page.locator(".mark").first).to_be_visible()
    assert max(reports_of_a_second(page) for _ in range(3)) >= 5  # the best of three: other work may be going on
    page.keyboard.press("a")
    expect(page.locator(".mark")).to_have_count(0)
    time.sleep(0.3)
    assert page.request.get(f"{address}/api/about").json()["analyses"] == 0


def test_exact_values_are_marked(page: Page, address: str) -> None:
    open_game(page, address, "dots:2x2", ("person", "person"))
    page.keyboard.press("a")
    expect(page.locator(".moves-table .badge.exact").first).to_be_visible()
    expect(page.locator(".mark circle.exact").first).to_be_attached()


def test_review_finds_a_planted_blunder(page: Page, address: str) -> None:
    # o could stop three in a row on b3 and plays c1 instead; x wins.
    open_game(page, address, "mnk:3x3x3", ("person", "person"), "a3 b2 b3 c1 c3")
    page.get_by_role("tab", name="Review").click()
    page.locator("#start-review").click()
    blunder = page.locator("li.mistake.blunder").first
    expect(blunder).to_contain_text("c1")
    expect(blunder).to_contain_text("Lets the opponent win at once by c3; ")
    page.keyboard.press("n")
    expect(page.locator(".chart .cursor").first).to_be_attached()
    blunder.get_by_role("button", name=re.compile("^Play")).click()
    page.get_by_role("tab", name="Moves").click()
    expect(page.locator(".variation, .turn-row").filter(has_text="c1").first).to_be_visible()
    assert len(state(page, address)["nodes"]) > 6, "the better line is a variation"


def test_a_record_in_and_out(page: Page, address: str) -> None:
    open_game(page, address, "dots:3x3", ("person", "person"), "aA bB Cc")
    page.locator("#share").click()
    record = page.locator("#record-text")
    expect(record).to_have_value(re.compile("moves 3"))
    text = record.input_value()
    page.locator("#copy-link").click()
    expect(page.locator("#link-text")).to_have_value(re.compile("#/link"))
    link = page.locator("#link-text").input_value()
    with page.expect_download() as download:
        page.locator("#png").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    page.locator("#record-in").fill(text.replace("aA bB Cc", "aA bB Cd"))
    page.locator("#open-record").click()
    expect(page.locator('.line.drawn[data-label="Cd"]')).to_have_count(1)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator('.line.drawn[data-label="Cc"]')).to_have_count(1)
    page.goto(f"{address}/#/library")
    page.locator("#library-search").fill("dots:3x3")
    expect(page.locator(".list tbody tr").first).to_contain_text("dots:3x3")


def test_a_position_is_laid_out_and_played(page: Page, address: str) -> None:
    open_game(page, address, "dots:2x2", ("person", "person"))
    page.locator("#edit").click()
    for line in ("aA", "aB", "Aa", "Ab"):
        page.locator(f'[data-label="{line}"]').click()
    expect(page.locator("#editor-text")).to_have_value(re.compile("1-0 A"))  # the server has seen the box
    page.locator(".box.editable").first.click()
    expect(page.locator("#editor-text")).to_have_value(re.compile("0-1 A"))
    page.locator("#editor-play").click()
    expect(page.locator(".bar.p1 .score")).to_have_text("1")


def test_the_learning_view_updates_during_a_run(page: Page, address: str, folder: Path) -> None:
    run = folder / "runs" / "small"
    run.mkdir(parents=True, exist_ok=True)
    (run / "config.toml").write_text('game = "mnk:3x3x3"\n')
    lines = [{"time": 1000.0 + n, "kind": "train", "step": n, "loss": 2.0 - 0.1 * n} for n in range(5)]
    lines.append(
        {"time": 1003.0, "kind": "strength", "opponent": "random", "score": 0.7, "score_low": 0.6, "score_high": 0.8}
    )
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"half')

    def write_state(games: int) -> None:
        (run / "state.json").write_text(
            json.dumps({"phase": "selfplay", "games": games, "steps": 5, "updated": time.time()})
        )

    write_state(40)
    page.goto(f"{address}/#/learn/small")
    expect(page.locator("#run-numbers")).to_contain_text("40 games")
    expect(page.locator(".chart polyline").first).to_be_visible()
    write_state(77)
    expect(page.locator("#run-numbers")).to_contain_text("77 games")


def test_any_checkpoint_can_be_played(page: Page, address: str, folder: Path) -> None:
    run = folder / "runs" / ("a-run-with-a-long-name" * 3)
    (run / "checkpoints").mkdir(parents=True)
    (run / "config.toml").write_text('game = "mnk:3x3x3"\n')
    net = build_net(describe(game("mnk:3x3x3"), channels=8, blocks=1))
    for number in range(10, 160, 10):
        save_net(net, run / "checkpoints" / f"net-{number:06}.safetensors")
    page.goto(f"{address}/#/learn/{run.name}")
    expect(page.get_by_label("Checkpoint").locator("option")).to_have_count(15)
    expect(page.locator("#play-checkpoint")).to_have_text("Play 150")
    page.get_by_label("Checkpoint").select_option("10")
    save_net(net, run / "checkpoints" / "net-000160.safetensors")
    expect(page.get_by_label("Checkpoint").locator("option")).to_have_count(16)  # the view goes on
    page.get_by_role("button", name="Play 10").click()
    page.locator('.board.active [data-move="b2"]').click()
    expect(page.locator(".cell.taken")).to_have_count(2)


def test_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    for name in ("dots:5x5", "zertz:37", "gomoku:15"):
        open_game(page, address, name, ("person", "person"))
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"{name} is {width} wide"
        box = page.locator("svg.board").bounding_box()
        assert box
        assert box["width"] > 340
    context.close()


def test_keys_and_labels(page: Page, address: str) -> None:
    open_game(page, address, "mnk:3x3x3", ("person", "person"), "a1 b2")
    expect(page.get_by_role("button", name="c3, empty")).to_be_attached()
    page.keyboard.press("Home")
    expect(page.locator(".cell.taken")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cell.taken")).to_have_count(1)
    page.keyboard.press("End")
    expect(page.locator(".cell.taken")).to_have_count(2)
    page.keyboard.press(" ")
    expect(page.locator(".cell.taken")).to_have_count(3)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("undo to your own previous decision")


def test_a_game_goes_on_when_the_server_was_killed_and_started_again(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    with running_server(tmp_path) as address:
        open_game(page, address, "mnk:3x3x3", ("person", "person"), "a1")
        page.locator('.board [data-move="b2"]').click()
        expect(page.locator(".cell.taken")).to_have_count(2)
        page.locator('.board [data-move="c1"]').click()
        page.locator('.board [data-move="c3"]').click()
        expect(page.locator(".cell.taken")).to_have_count(4)
        port = address.rpartition(":")[2]
    expect(page.locator("#offline")).to_be_visible(timeout=60_000)
    page.locator('.board [data-move="a3"]').click()
    expect(page.locator("#toast")).to_contain_text("does not answer")
    expect(page.locator(".pending")).to_have_count(0)
    with running_server(tmp_path, "--port", port):
        expect(page.locator("#offline")).to_be_hidden(timeout=60_000)
        page.locator('.board [data-move="a3"]').click()
        expect(page.locator(".cell.taken")).to_have_count(5)
        page.keyboard.press("u")
        expect(page.locator(".cell.taken")).to_have_count(4)
    page.context.close()


def test_a_game_without_moves_is_begun_again_by_the_next_server(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    with running_server(tmp_path) as address:
        open_game(page, address, "mnk:3x3x3", ("person", "person"))
        port, lost = address.rpartition(":")[2], page.url
    expect(page.locator("#offline")).to_be_visible(timeout=60_000)
    with running_server(tmp_path, "--port", port):
        expect(page.locator("#offline")).to_be_hidden(timeout=60_000)
        expect(page).not_to_have_url(lost)
        page.locator('.board [data-move="a3"]').click()
        expect(page.locator(".cell.taken")).to_have_count(1)
    page.context.close()


def test_a_small_run_is_started_watched_paused_resumed_and_played(page: Page, address: str) -> None:
    page.set_default_timeout(60_000)
    expect.set_options(timeout=240_000)  # where other work goes on, the start of a run alone takes minutes
    try:
        page.goto(f"{address}/#/learn")
        page.get_by_label("Game to learn").select_option("mnk:3x3x3")
        page.locator("#start-run").click()
        page.wait_for_url("**/#/learn/mnk-3x3x3-1")
        expect(page.locator(".run-head .badge")).to_have_text("running")
        expect(page.locator("#run-numbers")).to_contain_text(re.compile(r"[1-9][0-9,]* games"))
        first = page.locator("#run-numbers").text_content() or ""
        expect(page.locator("#run-numbers")).not_to_have_text(first)  # it goes on by itself
        expect(page.locator(".episodes button").first).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Play [0-9]"))).to_be_visible()
        page.locator("#pause-run").click()
        expect(page.locator(".run-head .badge")).to_have_text("paused")
        page.locator("#resume-run").click()
        expect(page.locator(".run-head .badge")).to_have_text("running")
        page.locator("#pause-run").click()
        expect(page.locator(".run-head .badge")).to_have_text("paused")
        page.locator(".episodes button").first.click()
        page.wait_for_url("**/#/game/*")
        expect(page.locator(".cell.taken")).to_have_count(0)  # at the beginning, to step through
        page.keyboard.press("End")
        expect(page.locator(".cell.taken").nth(4)).to_be_attached()
        page.goto(f"{address}/#/learn/mnk-3x3x3-1")
        page.get_by_role("button", name=re.compile("^Play [0-9]")).click()
        page.locator('.board.active [data-move="b2"]').click()
        expect(page.locator(".cell.taken")).to_have_count(2)
    finally:
        expect.set_options(timeout=5_000)


def test_the_line_of_a_move_is_drawn_while_the_pointer_is_on_it(page: Page, address: str) -> None:
    open_game(page, address, "mnk:5x5x4", ("person", "person"))
    page.keyboard.press("a")
    page.wait_for_selector(".moves-table tbody tr")
    page.locator('.board [data-move="c3"]').hover()
    expect(page.locator(".pv .step").first).to_be_attached()
    page.wait_for_timeout(700)  # reports come in meanwhile
    expect(page.locator(".pv .step").first).to_be_attached()
    page.locator("#new-game").hover()
    expect(page.locator(".pv .step")).to_have_count(0)
    page.keyboard.press("a")


def test_nonsense_in_forms_is_answered_with_a_sentence(page: Page, address: str) -> None:
    open_game(page, address, "dots:3x3", ("person", "person"))
    toast = page.locator("#toast")
    page.locator("#share").click()
    page.locator("#record-in").fill("(;FF[4]GM[xyz]\0 <script>alert(1)</script>")
    page.locator("#open-record").click()
    expect(toast).to_be_visible()
    seen = "(box) => { const {x, y, width, height} = box.getBoundingClientRect();"
    assert toast.evaluate(
        f"{seen} return box.matches(':popover-open') && width > 50 && height > 10 && x >= 0 && y > 0 }}"
    )
    page.keyboard.press("Escape")
    page.locator("#edit").click()
    page.locator("#editor-text").fill("no such position")
    page.keyboard.press("Tab")
    expect(page.locator("#editor-verdict.wrong")).not_to_be_empty()
    expect(page.locator("#editor-play")).to_be_disabled()
    page.locator("#editor-leave").click()
    page.locator("#new-game").click()
    page.get_by_role("radio", name="Zertz").click()
    page.get_by_label("Goals").select_option("custom")
    page.get_by_label("Pool W-G-B").fill("many")
    page.locator("#start-game").click()
    expect(toast).to_have_class("error")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    for link in ("#/link?game=nonsense&moves=aA", "#/game/0123456789abcdef", "#/game/%2e%2e", "#/learn/nobody"):
        toast.evaluate("(box) => { box.textContent = box.className = '' }")
        page.goto(f"{address}/{link}")
        expect(toast).to_have_class("error")
        expect(toast).not_to_be_empty()
    page.goto(f"{address}/#/link?game=dots:3x3&moves=aA.bB.zz")
    expect(toast).to_contain_text("zz")


def test_a_dropped_record_opens_and_a_broken_one_is_refused(page: Page, address: str) -> None:
    open_game(page, address, "dots:3x3", ("person", "person"))
    drop = """(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'game.txt'));
        dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); }"""
    page.evaluate(drop, "pocketzero record 1\ngame dots:3x3\nmoves 2\naA")
    expect(page.locator("#toast")).to_have_class("error")
    expect(page.locator(".line.drawn")).to_have_count(0)
    page.evaluate(drop, "pocketzero record 1\ngame dots:2x2\nmoves 2\naA bB\n")
    expect(page.locator(".line.drawn")).to_have_count(2)


@pytest.mark.parametrize("game", ["dots:5x5", "zertz:37", "gomoku:15"])
def test_dialogs_and_panels_fit_a_phone(browser: Browser, address: str, game: str) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    page.set_default_timeout(20_000)
    open_game(page, address, game, ("person", "person"))
    right = "each.getBoundingClientRect().right"
    wide = f"(box) => [...box.querySelectorAll('*')].filter((each) => {right} > innerWidth + 1).length"
    for button in ("#new-game", "#seats", "#share"):
        page.locator(button).tap()
        dialog = page.get_by_role("dialog")
        dialog.locator("button.main").wait_for()
        assert dialog.evaluate(wide) == 0, button
        assert dialog.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1"), button
        page.keyboard.press("Escape")
    undo, board = page.locator("#undo").bounding_box(), page.locator("svg.board").bounding_box()
    assert undo
    assert board
    assert undo["y"] - board["y"] - board["height"] < 200, "the buttons are below the board"
    page.evaluate("scrollTo(0, 0)")
    for _ in range(3):  # the list of moves grows below the screen, and the board stays in sight
        page.wait_for_selector(".board.active [data-move]", state="attached")
        page.locator(".board.active [data-move]").first.dispatch_event("click")
        page.wait_for_function("() => !document.querySelector('.pending')")
    assert page.locator(".chip").count() >= 3
    assert page.evaluate("scrollY") == 0
    page.context.close()
