"""The thinking of players: a few threads for all games, and players that are kept between their moves.

Players that answer at once have a thread of their own, so nobody waits for the slow move of somebody else. A move that
nobody waits for any more, or that takes longer than any may, is stopped within a moment. A player is kept for the next
move of its game until it has been idle for a minute, or until others need the room.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from pocketzero.app.server.seats import Seat
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position
from pocketzero.players.base import Player

QUICK_THREADS = 2
OVERTIME_SECONDS = 2.0  # what a move may take beyond the thinking time
MOST_KEPT = 24  # players
MOST_BYTES = 1 << 30  # of all arrays that kept players hold; the last one is kept, however large it is
IDLE_SECONDS = 60.0  # after which a player is closed
TICK_SECONDS = 0.05  # how often moves and players are looked after
CLOSE_SECONDS = 1.0  # how long the end of the server waits for those that think

Key = tuple[str, str]  # of a game and a player's text
Answer = Callable[[int | None, str], None]


@dataclass(eq=False)
class Question:
    """A position in which a player is to move."""

    owner: str  # the game
    seat: Seat
    position: Position
    is_wanted: Callable[[], bool]
    answer: Answer
    player: Player | None = None  # that thinks about it
    begun: float = 0.0
    stopped: bool = False

    @property
    def key(self) -> Key:
        """What a player is kept by."""
        return self.owner, self.seat.text

    def stop(self) -> None:
        """Let the player come to an end; asked again until it has, for it may have been about to begin."""
        self.stopped = True
        if self.player is not None:
            self.player.stop()


@dataclass(eq=False)
class Kept:
    """A player between two moves."""

    player: Player
    since: float = field(default_factory=time.monotonic)
    size: int = 0  # bytes of its arrays


class Engines:
    """Chooses moves for the games of a server, none of them for longer than ``seconds``."""

    def __init__(self, seconds: float, workers: int = 0) -> None:
        self._seconds = seconds
        self._quick: deque[Question] = deque()
        self._slow: deque[Question] = deque()
        self._under_way: set[Question] = set()
        self._idle: OrderedDict[Key, Kept] = OrderedDict()
        self._changed = threading.Condition()
        self._open = True
        lines = [self._quick] * QUICK_THREADS + [self._slow] * (workers or os.cpu_count() or 1)
        self._threads = [threading.Thread(target=self._serve, args=(line,), daemon=True) for line in lines]
        self._keeper = threading.Thread(target=self._look_after, daemon=True)
        for thread in (*self._threads, self._keeper):
            thread.start()

    @property
    def thinking(self) -> int:
        """How many players think now."""
        return len(self._under_way)

    @property
    def kept(self) -> int:
        """How many players wait for their next move."""
        return len(self._idle)

    def ask(self, owner: str, seat: Seat, position: Position, is_wanted: Callable[[], bool], answer: Answer) -> None:
        """Let a player choose; ``answer`` gets the action, or None and a reason, which is empty if nobody waits."""
        with self._changed:
            if self._open:
                line = self._quick if seat.is_quick else self._slow
                line.append(Question(owner, seat, position, is_wanted, answer))
                self._changed.notify_all()

    # Thinking

    def _serve(self, line: deque[Question]) -> None:
        while True:
            with self._changed:
                while self._open and not line:
                    self._changed.wait()
                if not self._open:
                    return
                question = line.popleft()
                question.begun = time.monotonic()
                self._under_way.add(question)
            self._serve_one(question)
            del question  # a thread that waits keeps nobody's position

    def _serve_one(self, question: Question) -> None:
        answer = self._answer(question)
        with self._changed:
            self._under_way.discard(question)
            dropped = self._give_back(question)
        close_all(dropped)
        try:
            question.answer(*answer)
        except Exception:  # a game that cannot be kept (a full disk) must not end the thread of all others
            traceback.print_exc()

    def _answer(self, question: Question) -> tuple[int | None, str]:
        """The action of the player, or None and a reason."""
        told = self._choice(question) if question.is_wanted() else (None, "")
        return told if self._open and question.is_wanted() else (None, "")

    def _choice(self, question: Question) -> tuple[int | None, str]:
        try:
            question.player = self._player(question)
            return question.player.choose(question.position), ""
        except PocketZeroError as error:
            self._fail(question)
            return None, str(error)
        except Exception as error:  # a broken player must not take the server with it
            traceback.print_exc()
            self._fail(question)
            return None, f"The player {question.seat.text} failed: {type(error).__name__}."

    def _player(self, question: Question) -> Player:
        """The player of this game, or a new one; its chance differs from game to game."""
        with self._changed:
            kept = self._idle.pop(question.key, None)
        if kept is not None:
            return kept.player
        return question.seat.make(question.position.game, int(question.owner[:12], 16) + question.position.ply)

    def _fail(self, question: Question) -> None:
        """A player that has failed is not asked again."""
        player, question.player = question.player, None
        if player is not None:
            close_all([player])

    # Keeping players

    def _give_back(self, question: Question) -> list[Player]:
        """Keep the player for its next move; gives those that go for it. One that was stopped goes itself."""
        player, question.player = question.player, None
        if player is None:
            return []
        if question.stopped or not self._open:
            return [player]
        dropped = [self._idle.pop(question.key).player] if question.key in self._idle else []
        self._idle[question.key] = Kept(player, size=bytes_of(player))
        while len(self._idle) > 1 and not self._has_room():
            dropped.append(self._idle.popitem(last=False)[1].player)
        return dropped

    def _has_room(self) -> bool:
        return len(self._idle) <= MOST_KEPT and sum(kept.size for kept in self._idle.values()) <= MOST_BYTES

    def _look_after(self) -> None:
        """Stop what nobody waits for or what takes too long, and close players that have long been idle."""
        while self._open:
            time.sleep(TICK_SECONDS)
            with self._changed:
                self._stop_unwanted()
                dropped = self._drop(lambda key, kept: time.monotonic() - kept.since > IDLE_SECONDS)
            close_all(dropped)

    def _stop_unwanted(self) -> None:
        late = time.monotonic() - self._seconds - OVERTIME_SECONDS
        for question in self._under_way:
            if question.begun < late or not question.is_wanted():
                question.stop()

    def _drop(self, is_dropped: Callable[[Key, Kept], bool]) -> list[Player]:
        gone = [key for key, kept in self._idle.items() if is_dropped(key, kept)]
        return [self._idle.pop(key).player for key in gone]

    def forget(self, owner: str) -> None:
        """Close the players of a game; one that is thinking is closed when it has come to its end."""
        with self._changed:
            dropped = self._drop(lambda key, kept: key[0] == owner)
            for question in self._under_way:
                if question.owner == owner:
                    question.stop()
        close_all(dropped)

    def close(self) -> None:
        """Think no more: whoever thinks is stopped, and waited for a moment."""
        with self._changed:
            self._open = False
            unanswered = [*self._quick, *self._slow]
            self._quick.clear()
            self._slow.clear()
            dropped = self._drop(lambda key, kept: True)
            self._changed.notify_all()
        close_all(dropped)
        for question in unanswered:
            question.answer(None, "")
        end = time.monotonic() + CLOSE_SECONDS
        while self._under_way and time.monotonic() < end:
            with self._changed:
                for question in self._under_way:
                    question.stop()
            time.sleep(TICK_SECONDS)


def close_all(players: list[Player]) -> None:
    """Close players; one that cannot even be closed is let go of."""
    for player in players:
        try:
            player.close()
        except Exception:
            traceback.print_exc()


def bytes_of(player: Player) -> int:
    """What the arrays that a player holds take, however deep they lie in it."""
    seen: dict[int, object] = {}
    waiting: list[object] = list(vars(player).values())
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen:
            seen[id(thing)] = thing
            waiting += _parts(thing)
    return sum(thing.nbytes for thing in seen.values() if isinstance(thing, np.ndarray))


def _parts(thing: object) -> Iterable[object]:
    """What a thing of ours is made of; the game belongs to everybody."""
    if isinstance(thing, list | tuple):
        return thing
    is_ours = type(thing).__module__.startswith("pocketzero.") and not isinstance(thing, Game)
    return vars(thing).values() if is_ours and hasattr(thing, "__dict__") else ()
