"""Tables: a game, who sits at it, and everything that happens there.

A move of a person is played at once; then the player on the other side thinks elsewhere, and everybody who watches is
told. Undo leads back to one's own previous decision, however many turns lie between.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from pocketzero.app.server.engines import Engines
from pocketzero.app.server.game_names import game_named
from pocketzero.app.server.limits import Limits
from pocketzero.app.server.seats import Seat, seat_for
from pocketzero.app.server.store import Store, now
from pocketzero.app.server.tree import GameTree, Node
from pocketzero.app.server.views import board_of, view_of
from pocketzero.errors import PocketZeroError, UnknownName
from pocketzero.games import Position
from pocketzero.games.records import Record, result_word
from pocketzero.players.base import family_of

WATCHED_SECONDS = 6.0  # two players go on against each other for so long after somebody has looked
AWAITED_SECONDS = 60.0  # and a player thinks about the reply to a person
LISTEN_SECONDS = 0.25  # how often who waits for a reply is asked whether it is still there
Watcher = Callable[["Table"], None]


class Table:
    """One game with its players."""

    def __init__(self, number: str, tree: GameTree, seats: Sequence[Seat], engines: Engines, store: Store) -> None:
        self.number = number
        self.tree = tree
        self.seats = list(seats)
        self.title = ""
        self.forced = True  # whether single compulsory captures play themselves
        self.pace = 0.0  # seconds between the moves of two players that are no persons
        self.paused = False
        self.problem = ""  # why a player did not move
        self.created = self.updated = now()
        self.version = time.time_ns() // 1_000_000  # grows across restarts too, so clients know what is newer
        self.thinking: Node | None = None
        self.lock = threading.RLock()
        self._engines, self._store = engines, store
        self._watchers: list[Watcher] = []
        self._seen = time.monotonic()
        self._deleted = False

    # Looking

    @property
    def position(self) -> Position:
        """Where the players are."""
        return self.tree.position

    def look(self) -> None:
        """Somebody is there."""
        self._seen = time.monotonic()

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Tell somebody of every change; gives the way to end that."""
        with self.lock:
            self._watchers.append(watcher)
            self._think()
        return lambda: self._unwatch(watcher)

    def _unwatch(self, watcher: Watcher) -> None:
        """The last who leaves turns off the light."""
        with contextlib.suppress(ValueError):
            self._watchers.remove(watcher)
        self.leave()

    def leave(self) -> None:
        """Somebody has gone; where nobody else watches, nobody thinks any more."""
        if not self._watchers:
            self._seen = -math.inf

    @property
    def is_watched(self) -> bool:
        """Whether anybody is there to see what happens."""
        patience = AWAITED_SECONDS if any(seat.is_person for seat in self.seats) else WATCHED_SECONDS
        return bool(self._watchers) or time.monotonic() - self._seen < patience

    @property
    def rests(self) -> bool:
        """Whether a player should be thinking and is not, because nobody was there."""
        idle = self.thinking is None and not (self.paused or self.problem or self._deleted)
        return idle and not self.position.is_over and not self.seats[self.position.to_move].is_person

    def wake(self) -> None:
        """Somebody is there again."""
        with self.lock:
            self._think()

    def state(self, *, with_board: bool = False) -> dict[str, Any]:
        """All that a client needs to show the table."""
        with self.lock:
            position = self.position
            found = {
                "id": self.number,
                "game": self.tree.game.name,
                "title": self.title,
                "seats": [seat.to_data() for seat in self.seats],
                "forced": self.forced,
                "pace": self.pace,
                "paused": self.paused,
                "thinking": self.thinking is not None,
                "problem": self.problem,
                "version": self.version,
                "cursor": self.tree.cursor.number,
                "end": self.tree.main_end.number,
                "nodes": self.tree.rows(),
                "view": view_of(position),
            }
            if with_board:
                found["board"] = board_of(self.tree.game)
            return found

    def record(self) -> Record:
        """The main line as a record."""
        names = (self.seats[0].name, self.seats[1].name)
        return Record(self.tree.main_end.position, None, names)

    # Acting

    def play(self, move: str) -> None:
        """A move at the cursor by whoever is to move there; players that are machines move by themselves."""
        with self.lock:
            if self.position.is_over:
                raise PocketZeroError("The game is over.")
            if self.thinking is not None and not self.seats[self.position.to_move].is_person:
                raise PocketZeroError(f"It is {self.seats[self.position.to_move].name}'s turn, which is thinking.")
            self.tree.play(move)
            self._play_forced()
            self.paused = False
            self._happened()

    def undo(self) -> None:
        """Back to the last earlier decision of a person; where there is no person, one step."""
        with self.lock:
            self._move_cursor(self._decision_before(self.tree.cursor))

    def redo(self) -> None:
        """Forward to the next decision of a person, or to the end of the line."""
        with self.lock:
            node = self.tree.cursor.favourite
            if node is None:
                raise PocketZeroError("There is nothing to redo.")
            while not self._is_decision(node) and node.favourite is not None:
                node = node.favourite
            self._move_cursor(node)

    def go_to(self, number: int) -> None:
        """Look at another position; players do not move there until they are told to."""
        with self.lock:
            self._move_cursor(self.tree.node(number))

    def go_on(self) -> None:
        """Let the player at the cursor move, if it is not a person's turn."""
        with self.lock:
            self.paused = False
            self.problem = ""
            self._happened()

    def pause(self) -> None:
        """Two machines stop after the move that is being thought about."""
        with self.lock:
            self.paused = True
            self.thinking = None
            self._happened()

    def change(self, seats: Sequence[Seat] | None, forced: bool | None, pace: float | None, title: str | None) -> None:
        """Change who sits where, or how things are done."""
        with self.lock:
            if seats is not None:
                self.seats = list(seats)
                self.thinking = None
                self.paused = False
            self.forced = self.forced if forced is None else forced
            self.pace = self.pace if pace is None else pace
            self.title = self.title if title is None else title
            self._happened()

    def retire(self) -> None:
        """The game goes to the store, from where it comes back when somebody asks for it."""
        with self.lock:
            self.thinking = None
            self.paused = True
            self.save()
            self._engines.forget(self.number)

    def delete(self) -> None:
        """Nothing happens here any more."""
        with self.lock:
            self._deleted = True
            self.thinking = None
            self._engines.forget(self.number)

    async def reply(self, seconds: float, gone: threading.Event) -> None:
        """Wait until nobody thinks any more, the time is over, or who waits has gone; no thread is kept meanwhile."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def tell(table: Table) -> None:
            loop.call_soon_threadsafe(news.set)

        self._watchers.append(tell)
        end = loop.time() + seconds
        try:
            while self.thinking is not None and not gone.is_set() and (left := end - loop.time()) > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), min(left, LISTEN_SECONDS))
                news.clear()
        finally:
            self._watchers.remove(tell)
        self.look()
        if gone.is_set():
            self.leave()

    # Inside

    def _move_cursor(self, node: Node) -> None:
        self.tree.go_to(node)
        self.thinking = None
        self.paused = not self.seats[node.position.to_move].is_person
        self._happened()

    def _decision_before(self, node: Node) -> Node:
        earlier = node.parent
        if earlier is None:
            raise PocketZeroError("There is nothing to undo.")
        if all(not seat.is_person for seat in self.seats):
            return earlier
        found: Node | None = earlier
        while found is not None and not self._is_decision(found):
            found = found.parent
        if found is None:
            raise PocketZeroError("There is no earlier decision of yours.")
        return found

    def _is_decision(self, node: Node) -> bool:
        """Whether a person has a choice to make there."""
        position = node.position
        if position.is_over or not self.seats[position.to_move].is_person:
            return False
        return not (self.forced and _only_capture(position) is not None)

    def _play_forced(self) -> None:
        """A person's single compulsory capture plays itself."""
        while (
            self.forced
            and self.seats[self.position.to_move].is_person
            and (action := _only_capture(self.position)) is not None
        ):
            self.tree.play_action(action)

    def _happened(self) -> None:
        """Write it down, tell it, and let the next player think."""
        self.version += 1
        self.updated = now()
        self._think()
        self.save()
        self._tell()

    def _tell(self) -> None:
        for watcher in list(self._watchers):
            watcher(self)

    def save(self) -> None:
        """Keep the game, once there is something to keep."""
        if self._deleted or len(self.tree.nodes) == 1:
            return
        end = self.tree.main_end.position
        row = {
            "id": self.number,
            "created": self.created,
            "updated": self.updated,
            "game": self.tree.game.name,
            "title": self.title,
            "first": self.seats[0].name,
            "second": self.seats[1].name,
            "result": result_word(end.outcome),
            "moves": end.ply,
        }
        seats = [seat.text for seat in self.seats]
        self._store.save(row, {"tree": self.tree.to_data(), "seats": seats, "forced": self.forced, "pace": self.pace})

    def _think(self) -> None:
        """Ask the player at the cursor to move, unless it is a person, is asked already, or nobody is there."""
        node, position = self.tree.cursor, self.position
        if self.thinking is not None or self.paused or position.is_over or self._deleted:
            return
        seat = self.seats[position.to_move]
        if seat.is_person or self.problem or not self.is_watched:
            return
        self.thinking = node
        both_machines = not any(each.is_person for each in self.seats)
        if both_machines and self.pace > 0 and node.parent is not None:
            timer = threading.Timer(self.pace, self._ask, (node, seat))
            timer.daemon = True
            timer.start()
        else:
            self._ask(node, seat)

    def _ask(self, node: Node, seat: Seat) -> None:
        def is_asked() -> bool:
            return self.thinking is node and not self._deleted

        def answer(action: int | None, problem: str) -> None:
            with self.lock:
                if is_asked():
                    self.thinking = None
                    self._answered(action, problem)

        self._engines.ask(self.number, seat, node.position, lambda: is_asked() and self.is_watched, answer)

    def _answered(self, action: int | None, problem: str) -> None:
        """A player has chosen, has failed, or was stopped because nobody was there."""
        if action is None and not problem:
            self._think()
            self._tell()
            return
        self.problem = problem
        if action is not None:
            try:
                self.tree.play_action(action)
                self._play_forced()
            except PocketZeroError as error:
                self.problem = str(error)
        self._happened()


def _only_capture(position: Position) -> int | None:
    """The only legal action, if it is a compulsory capture."""
    if family_of(position.game) != "zertz" or position.is_over:
        return None
    legal = position.legal_actions()
    return legal[0] if len(legal) == 1 and position.write(legal[0]).startswith("x") else None


class Tables:
    """All games of a server: those in memory, and behind them those in the store."""

    def __init__(self, store: Store, engines: Engines, limits: Limits, nets: Callable[[], dict[str, str]]) -> None:
        self._store, self._engines, self._limits, self._nets = store, engines, limits, nets
        self._live: OrderedDict[str, Table] = OrderedDict()
        self._lock = threading.Lock()

    def create(self, start: Position, line: Sequence[int], seats: Sequence[str]) -> Table:
        """A new game from a position with some moves played."""
        self._store.check_room()
        tree = GameTree(start, most_nodes=self._limits.nodes)
        for action in line:
            tree.play_action(action)
        taken = self.seats(seats, tree)
        table = Table(secrets.token_hex(8), tree, taken, self._engines, self._store)
        self._keep(table)
        return table

    def seats(self, texts: Sequence[str], tree: GameTree) -> list[Seat]:
        """The seats that texts ask for."""
        nets = self._nets()
        return [seat_for(text, tree.game, self._limits, nets) for text in texts]

    def in_memory(self, number: str) -> Table | None:
        """The game with this id, if it is in memory."""
        with self._lock:
            if number in self._live:
                self._live.move_to_end(number)
            return self._live.get(number)

    def find(self, number: str) -> Table:
        """The game with this id, from memory or from the store."""
        if known := self.in_memory(number):
            return known
        found = self._store.load(number)
        if found is None:
            raise UnknownName(f"There is no game {number!r}.")
        row, data = found
        tree = GameTree.from_data(game_named(row["game"]), data["tree"], most_nodes=self._limits.nodes)
        table = Table(number, tree, self._stored_seats(data["seats"], tree), self._engines, self._store)
        table.title, table.created, table.updated = row["title"], row["created"], row["updated"]
        table.forced, table.pace, table.paused = data["forced"], data["pace"], True
        with self._lock:
            if number in self._live:  # somebody else was quicker
                return self._live[number]
        self._keep(table)
        return table

    def _stored_seats(self, texts: Sequence[str], tree: GameTree) -> list[Seat]:
        """Seats as they were; a player that is gone leaves its seat to a person."""
        try:
            return self.seats(texts, tree)
        except PocketZeroError:
            return self.seats(["person", "person"], tree)

    def _keep(self, table: Table) -> None:
        with self._lock:
            self._live[table.number] = table
            dropped = []
            while len(self._live) > self._limits.live_games:
                dropped.append(self._live.popitem(last=False)[1])
        for each in dropped:
            each.retire()

    def delete(self, number: str) -> None:
        """Delete a game everywhere."""
        with self._lock:
            table = self._live.pop(number, None)
        if table is not None:
            table.delete()
        if not self._store.delete(number) and table is None:
            raise UnknownName(f"There is no game {number!r}.")
