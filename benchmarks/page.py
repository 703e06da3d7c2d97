"""The page against its bars: first paint and clicks beside two analyses, a hundred clients, and nonsense in thousands.

``python -m benchmarks page`` starts servers of its own; ``python -m benchmarks.page --help`` tells of smaller rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

from benchmarks.browsing import answer_to_a_click, browser_path, browsing, first_paint, free_line, seated
from benchmarks.fuzzing import send_malformed, send_messages, send_requests

GAMES = ("dots:3x3", "dots:5x5")  # of the clients
PAINT_MS, CLICK_MS, ANSWER_MS = 1000, 50, 200
REPORTS = 5
GROWN_MIB = 100
CLICKS = 4  # in each window
OPPONENT = "alphabeta:seconds=1"  # which thinks about every line of the one who clicks
WATCHED, WATCHED_SECONDS = ("gomoku:15", "zertz:37"), 5.0


class Client:
    """Plays games against ``easy`` one after the other, as the page does: every move a request, the reply asked for.

    It speaks HTTP by hand, so that on a small machine the clients do not cost more than the server.
    """

    def __init__(self, address: str, number: int, delays: list[float]) -> None:
        self.host, self.port = address.removeprefix("http://").split(":")
        self.chance, self.delays = random.Random(number), delays
        self.finished = 0

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.host, int(self.port))

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: {self.host}:{self.port}\r\ncontent-type: application/json\r\n"
        begin = time.perf_counter()
        self.writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        found = re.search(r"content-length: (\d+)", answer)
        assert found
        text = await self.reader.readexactly(int(found[1]))
        self.delays.append(time.perf_counter() - begin)
        assert answer.split()[1] in ("200", "201"), text
        return json.loads(text)

    async def play(self, until: float) -> None:
        await self.open()
        while time.monotonic() < until:
            game = self.chance.choice(GAMES)
            state = await self.ask("POST", "/api/games", {"game": game, "seats": ["person", "easy"]})
            while not state["view"]["over"]:
                if state["view"]["to_move"] == 0 and not state["thinking"]:
                    move = self.chance.choice(state["view"]["legal"])
                    state = await self.ask("POST", f"/api/games/{state['id']}/moves", {"move": move})
                    await asyncio.sleep(self.chance.uniform(0.2, 0.8))  # a quick person
                else:
                    await asyncio.sleep(0.05)
                    state = await self.ask("GET", f"/api/games/{state['id']}")
            check(state)
            self.finished += 1
        self.writer.close()


def check(state: dict[str, Any]) -> None:
    """A finished game: every line drawn, the score that of the boxes, the winner the one who has more."""
    view = state["view"]
    assert set(view["drawn"]) == {"1"}
    assert view["score"] == [view["owners"].count("A"), view["owners"].count("B")]
    lead = view["score"][0] - view["score"][1]
    assert view["margin"] == lead
    assert view["winner"] == (None if lead == 0 else 0 if lead > 0 else 1)


async def watch(address: str, game: str, is_over: threading.Event) -> float:
    """How many reports a second one analysis brings until all is over; it begins again when its tree is full."""
    count = 0
    wish, seen = json.dumps({"type": "analyse", "id": "w", "game": game}), json.dumps({"type": "seen"})
    async with connect(f"{address.replace('http', 'ws')}/api/live") as socket:
        await socket.send(wish)
        report = json.loads(await socket.recv())
        begin = time.monotonic()
        while not is_over.is_set():
            await socket.send(seen if report["state"] == "running" else wish)
            report = json.loads(await socket.recv())
            count += 1
        return count / (time.monotonic() - begin)


def judge(text: str, reached: bool, bar: str) -> None:
    """One line of the results."""
    print(f"{text}  (bar: {bar}): {'reached' if reached else 'MISSED'}", flush=True)


@contextlib.contextmanager
def two_analyses(address: str) -> Iterator[list[float]]:
    """Two analyses for as long as something else is measured; afterwards, the reports a second of each."""
    rates: list[float] = []
    is_over = threading.Event()

    async def watch_both() -> None:
        rates.extend(await asyncio.gather(*(watch(address, game, is_over) for game in WATCHED)))

    with ThreadPoolExecutor() as pool:
        watching = pool.submit(asyncio.run, watch_both())
        begin = time.monotonic()
        try:
            yield rates
            time.sleep(max(0.0, begin + WATCHED_SECONDS - time.monotonic()))
        finally:
            is_over.set()
        watching.result()


def measure_browser(address: str, windows: int) -> None:
    """Paint and clicks beside two analyses, in a fresh window each time, as at somebody's first visit.

    The clicks are moves against an engine, which may begin to think once they are on the board.
    """
    paints: list[float] = []
    clicks: list[float] = []
    with two_analyses(address) as rates:
        if browser_path() is not None:
            with browsing() as browser:
                for _ in range(windows):
                    page = browser.new_page(viewport={"width": 1280, "height": 800})
                    page.add_init_script(seated("person", OPPONENT))
                    paints.append(first_paint(page, address))
                    clicks += [answer_to_a_click(page, free_line(page)) for _ in range(CLICKS)]
                    page.close()
    told = " and ".join(f"{rate:.1f}" for rate in rates)
    judge(f"two analyses at once: {told} reports a second", min(rates) >= REPORTS, f"{REPORTS} a second for each")
    if not paints:
        print("first paint and clicks: left out, there is no Chromium here")
        return
    judge_delays("first paint beside two analyses", paints, PAINT_MS)
    judge_delays(f"click to board beside two analyses, against {OPPONENT}", clicks, CLICK_MS)


def judge_delays(what: str, delays: list[float], most: float) -> None:
    """One line about milliseconds."""
    median = statistics.median(delays)
    judge(f"{what}: median {median:.1f} ms, slowest {max(delays):.1f} ms of {len(delays)}", median < most, f"{most} ms")


async def play_together(address: str, clients: int, seconds: float) -> tuple[int, list[float]]:
    """So many clients at once; gives the games that they finished, each checked, and all delays."""
    delays: list[float] = []
    players = [Client(address, number, delays) for number in range(clients)]
    until = time.monotonic() + seconds
    await asyncio.gather(*(player.play(until) for player in players))
    return sum(player.finished for player in players), sorted(delays)


def measure_load(address: str, clients: int, seconds: float) -> None:
    finished, delays = asyncio.run(play_together(address, clients, seconds))
    median = 1000 * statistics.median(delays)
    judge(
        f"{clients} clients against easy for {seconds:g} s: {finished} games finished right, {len(delays)} requests, "
        f"median {median:.1f} ms, 95% under {1000 * delays[int(0.95 * len(delays))]:.1f} ms, "
        f"slowest {1000 * delays[-1]:.0f} ms",
        median < ANSWER_MS and finished >= clients,
        f"every game right, median {ANSWER_MS} ms",
    )


def memory_of(process: int) -> int:
    """MiB that a process has in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def left_over(address: str) -> dict[str, int]:
    """What the server still does for clients that are gone, a second after the last of them."""
    time.sleep(1.0)
    about = httpx.get(f"{address}/api/about").json()
    return {name: about[name] for name in ("analyses", "searches", "sockets")}


def measure_fuzz(address: str, process: int, errors: Path, requests: int, messages: int) -> None:
    """A little to warm up, then both at once: no 500, no traceback, nothing left over, and memory that stays."""
    send_requests(address, requests // 10, seed=1)
    send_messages(address, messages // 10, seed=1)
    before = memory_of(process)
    begin = time.monotonic()
    with ThreadPoolExecutor() as pool:
        talking = pool.submit(send_messages, address, messages)
        statuses, sent = send_requests(address, requests) + send_malformed(address), talking.result()
    spent, left, grown = time.monotonic() - begin, left_over(address), memory_of(process) - before
    clean = "Traceback" not in errors.read_text()
    judge(
        f"fuzzing: {sum(statuses.values())} requests by Schemathesis {dict(sorted(statuses.items()))} "
        f"and {sent} messages in {spent:.0f} s; left over {left}; memory {before} MiB, then {grown:+d} MiB; "
        f"{'no traceback' if clean else 'a TRACEBACK: ' + errors.read_text()[-2000:]}",
        clean and not any(left.values()) and grown < GROWN_MIB,
        f"no 500, no traceback, nothing left, less than {GROWN_MIB} MiB more",
    )


@contextlib.contextmanager
def serving(folder: Path, *command: str) -> Iterator[tuple[str, int, Path]]:
    """A server of the page: its address, its process, and the file of what it says on stderr."""
    errors = folder / "errors.txt"
    with (
        errors.open("w") as file,
        subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=file, text=True) as server,
    ):
        assert server.stdout
        found = re.search(r"http://\S+[0-9]", server.stdout.readline())
        assert found, errors.read_text()
        try:
            yield found[0], server.pid, errors
        finally:
            server.send_signal(signal.SIGINT)


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--messages", type=int, default=2000)
    options = parser.parse_args(arguments)
    print("The page")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = ("--games", f"{folder}/games.sqlite", "--runs", f"{folder}/runs")
        with serving(folder, "pocketzero", "serve", "--port", "0", "--no-browser", *kept) as (address, *_):
            measure_browser(address, options.windows)
            measure_load(address, options.clients, options.seconds)
        with serving(folder, "benchmarks.fuzzing", str(folder)) as (address, process, errors):
            measure_fuzz(address, process, errors, options.requests, options.messages)


if __name__ == "__main__":
    main(sys.argv[1:])
