"""The WebSocket ``/api/live``: games that are watched, analyses and reviews, as they happen.

A client sends ``watch``, ``analyse``, ``review``, ``seen`` and ``stop``; it gets ``game``, ``analysis``, ``review`` and
``error``. At most one analysis and one review belong to a connection; a new one takes the place of the old. Each report
of an analysis is followed by the next only when the client has said ``seen``, so a slow client gets fewer. The search
of one that has fallen silent is freed within a second and begins again at its next word. When the connection ends, so
does everything that it asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pocketzero.app.analysis.desk import Task
from pocketzero.app.analysis.live import Analysis
from pocketzero.app.analysis.report import Report
from pocketzero.app.analysis.review import Review
from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.house import House
from pocketzero.app.server.models import GameName, Move, Moves, PositionText
from pocketzero.app.server.tables import Table
from pocketzero.errors import PocketZeroError
from pocketzero.games import Position

SILENCE_SECONDS = 0.2  # how often it is asked whether a client has fallen silent
SEND_SECONDS = 1.0  # a client that does not take a message within this time is gone
MOST_WAITING = 400  # messages that are not replaced by newer ones


class Wish(BaseModel):
    """A message of a client."""

    model_config = ConfigDict(extra="forbid", strict=True)
    type: str = Field(max_length=20)
    id: str = Field(default="", max_length=60)
    game_id: str = Field(default="", max_length=40)
    node: int | None = Field(default=None, ge=0, le=100_000)
    game: GameName = ""
    position: PositionText = ""
    moves: Moves = []
    only: list[Move] | None = Field(default=None, max_length=1000)
    seconds: float | None = Field(default=None, gt=0, le=3600)
    simulations: int | None = Field(default=None, ge=1, le=1_000_000_000)
    every: float = Field(default=0.1, ge=0.05, le=10)


class Connection:
    """One client on the WebSocket."""

    def __init__(self, socket: WebSocket, house: House) -> None:
        self._socket, self._house = socket, house
        self._loop = asyncio.get_running_loop()
        self._latest: dict[str, dict[str, Any]] = {}  # messages that a newer one of the same kind replaces
        self._queue: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self._tasks: dict[str, Analysis | Review] = {}
        self._resting: Wish | None = None  # an analysis whose client fell silent; its next word begins it again
        self._wish = Wish(type="analyse")  # what the analysis under way was asked for with
        self._unwatch: Callable[[], None] | None = None
        self._lock = threading.RLock()  # wishes are fulfilled in other threads, and may come too late
        self._closed = False

    async def serve(self) -> None:
        """Listen and tell until one side leaves; then let go of everything."""
        jobs = [asyncio.create_task(job) for job in (self._send(), self._listen(), self._mind_silence())]
        try:
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in jobs:
                each.cancel()
            self._let_go()
            await asyncio.gather(*jobs, return_exceptions=True)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._socket.close(), SEND_SECONDS)

    def _let_go(self) -> None:
        """Nothing that this client asked for goes on, and nothing new begins."""
        with self._lock:
            self._closed = True
            self._drop("analysis")
            self._drop("review")
            if self._unwatch:
                self._unwatch()

    async def _listen(self) -> None:
        while True:
            text = await self._socket.receive_text()
            if len(text) > self._house.limits.message_bytes:
                raise WebSocketDisconnect(1009)
            identity = ""
            try:
                wish = Wish.model_validate(json.loads(text))
                identity = wish.id
                await self._obey(wish)
            except ValidationError as error:
                first = error.errors()[0]
                self._put({"type": "error", "id": identity, "error": f"{first['loc']}: {first['msg']}"})
            except (PocketZeroError, RecursionError) as error:
                self._put({"type": "error", "id": identity, "error": str(error)})
            except ValueError:
                self._put({"type": "error", "id": identity, "error": "A message is a JSON object."})

    async def _obey(self, wish: Wish) -> None:
        actions = {"watch": self._watch, "analyse": self._analyse, "review": self._review}
        if wish.type in actions:
            await asyncio.to_thread(actions[wish.type], wish)
        elif wish.type == "seen":
            await self._heard()
        elif wish.type == "stop":
            self._drop("analysis")
            self._drop("review")
            self._put({"type": "stopped", "id": wish.id})
        else:
            raise PocketZeroError(f"There is no message {wish.type[:20]!r}; send watch, analyse, review, seen or stop.")

    async def _heard(self) -> None:
        """The client has taken the last report: the next may come, or what rested begins again."""
        resting, self._resting = self._resting, None
        task = self._tasks.get("analysis")
        if isinstance(task, Analysis):
            task.was_read()
            self._house.desk.poke()
        elif resting is not None:
            await asyncio.to_thread(self._analyse, resting)

    async def _mind_silence(self) -> None:
        """Let go of the search of a client that has not said a word since it was sent its last report."""
        while True:
            await asyncio.sleep(SILENCE_SECONDS)
            self._rest_if_silent()

    def _rest_if_silent(self) -> None:
        with self._lock:
            task = self._tasks.get("analysis")
            if isinstance(task, Analysis) and not task.is_ready() and "analysis" not in self._latest:
                self._drop("analysis")
                self._resting = self._wish

    # What clients ask for

    def _watch(self, wish: Wish) -> None:
        """Tell of every change of a game."""
        if self._unwatch:
            self._unwatch()
            self._unwatch = None
        if not wish.game_id:
            return
        table = self._house.tables.find(wish.game_id)
        with self._lock:
            if self._closed:
                return
            self._unwatch = table.watch(self._tell_game)
        self._tell_game(table)

    def _tell_game(self, table: Table) -> None:
        message = {"type": "game", "state": table.state()}
        self._from_thread(lambda: self._replace("game", message))

    def _position(self, wish: Wish) -> Position:
        if wish.game_id:
            table = self._house.tables.find(wish.game_id)
            table.look()
            node = table.tree.cursor if wish.node is None else table.tree.node(wish.node)
            return node.position
        game = game_named(wish.game)
        return (game.position(wish.position) if wish.position else game.start()).play_line(wish.moves)

    def _analyse(self, wish: Wish) -> None:
        """Search a position until it is stopped."""
        position = self._position(wish)
        if position.is_over:
            self._drop("analysis")
            told = {"type": "analysis", "id": wish.id, "state": "over", "moves": []}
            self._from_thread(lambda: self._replace("analysis", told))
            return

        def tell(report: Report) -> None:
            message = {"type": "analysis", "id": wish.id, **report}
            self._from_thread(lambda: self._told("analysis", analysis, message))

        analysis = Analysis(
            position,
            tell,
            simulations=wish.simulations,
            seconds=wish.seconds,
            every=wish.every,
            net=self._house.setup.net,
            only=wish.only,
            waits_for_reader=True,
        )
        with self._lock:
            self._begin("analysis", analysis)
            self._wish = wish

    def _review(self, wish: Wish) -> None:
        """Judge the main line of a game."""
        table = self._house.tables.find(wish.game_id)
        with table.lock:
            line = [node.position for node in table.tree.main_end.path]
            numbers = [node.number for node in table.tree.main_end.path]
        seconds = min(wish.seconds or 0.3, self._house.limits.review_seconds)

        def tell(report: Report) -> None:
            if "point" in report:
                report["point"]["node"] = numbers[report["point"]["ply"]]
            for mistake in report.get("mistakes", ()):
                mistake["node"] = numbers[mistake["ply"]]
                mistake["before"] = numbers[mistake["ply"] - 1]
            message = {"type": "review", "id": wish.id, **report}
            self._from_thread(lambda: self._told("review", review, message))

        review = Review(line, tell, seconds=seconds, net=self._house.setup.net)
        self._begin("review", review)

    def _begin(self, kind: str, task: Analysis | Review) -> None:
        with self._lock:
            self._drop(kind)
            if self._closed:
                return
            self._house.begin_analysis()
            self._tasks[kind] = task
            self._house.desk.add(task)

    def _drop(self, kind: str) -> None:
        with self._lock:
            task = self._tasks.pop(kind, None)
            self._latest.pop(kind, None)
            if kind == "analysis":
                self._resting = None
            if task is not None:
                task.stop()
                self._house.desk.remove(task)
                self._house.end_analysis()

    # What clients are told

    def _from_thread(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the server is closing
            self._loop.call_soon_threadsafe(act)

    def _told(self, kind: str, task: Task, message: dict[str, Any]) -> None:
        """Pass a report on, unless its task was dropped meanwhile; after the last one its place is free for others."""
        with self._lock:
            if self._tasks.get(kind) is not task:
                return
            if message["state"] != "running":
                del self._tasks[kind]
                self._house.end_analysis()
        if kind == "analysis":
            self._replace(kind, message)
        else:
            self._put(message)

    def _replace(self, kind: str, message: dict[str, Any]) -> None:
        self._latest[kind] = message
        self._news.set()

    def _put(self, message: dict[str, Any]) -> None:
        if len(self._queue) < MOST_WAITING:
            self._queue.append(message)
        self._news.set()

    async def _send(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            waiting, self._queue = self._queue, []
            latest, self._latest = list(self._latest.values()), {}
            for message in (*waiting, *latest):
                await asyncio.wait_for(self._socket.send_text(json.dumps(message)), SEND_SECONDS)


async def serve_live(socket: WebSocket) -> None:
    """One client, from its first message to its last."""
    house: House = socket.app.state.house
    if house.sockets >= house.limits.sockets:
        await socket.close(1013)
        return
    house.sockets += 1
    try:
        await socket.accept()
        await Connection(socket, house).serve()
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        house.sockets -= 1
