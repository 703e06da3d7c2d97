"""The page under load: clients that play at once, and how long the server takes to answer.

``python -m benchmarks.page [--clients 100] [--seconds 60]`` starts a server of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from websockets.asyncio.client import connect

GAMES = ("dots:3x3", "dots:5x5")


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


async def watch(address: str, seconds: float) -> float:
    """How many reports a second one analysis brings meanwhile."""
    count = 0
    async with connect(f"{address.replace('http', 'ws')}/api/live") as socket:
        await socket.send(json.dumps({"type": "analyse", "id": "w", "game": "gomoku:15"}))
        await socket.recv()
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            await socket.send(json.dumps({"type": "seen"}))
            await socket.recv()
            count += 1
    return count / seconds


async def load(address: str, clients: int, seconds: float) -> None:
    rates = await asyncio.gather(*(watch(address, 5.0) for _ in range(2)))
    print(f"two analyses at once: {rates[0]:.1f} and {rates[1]:.1f} reports a second")
    delays: list[float] = []
    players = [Client(address, number, delays) for number in range(clients)]
    until = time.monotonic() + seconds
    await asyncio.gather(*(player.play(until) for player in players))
    ordered = sorted(delays)
    print(
        f"{clients} clients, {seconds:g} s: {sum(player.finished for player in players)} games finished right, "
        f"{len(delays)} requests, median {1000 * statistics.median(ordered):.1f} ms, "
        f"95% under {1000 * ordered[int(0.95 * len(ordered))]:.1f} ms, slowest {1000 * ordered[-1]:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pocketzero", "serve", "--port", "0", "--no-browser"]
        command += ["--games", f"{folder}/games.sqlite", "--runs", f"{folder}/runs"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            found = re.search(r"http://\S+[0-9]", server.stdout.readline())
            assert found
            try:
                asyncio.run(load(found[0], options.clients, options.seconds))
            finally:
                server.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
