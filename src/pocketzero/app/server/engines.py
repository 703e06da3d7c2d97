"""The thinking of players: a few threads for all games, and players that are kept between their moves."""

from __future__ import annotations

import os
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from pocketzero.errors import PocketZeroError
from pocketzero.games import Position
from pocketzero.players.base import Player
from pocketzero.players.spec import make_player

MOST_KEPT = 48  # players; one more closes the one that was idle longest

Key = tuple[str, str]  # of a game and a player's text


class Engines:
    """Chooses moves for the games of a server."""

    def __init__(self, workers: int = 0) -> None:
        self._pool = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="engine")
        self._idle: OrderedDict[Key, Player] = OrderedDict()
        self._lock = threading.Lock()

    def ask(
        self,
        owner: str,
        text: str,
        position: Position,
        is_wanted: Callable[[], bool],
        answer: Callable[[int | None, str], None],
    ) -> Future[None]:
        """Let a player choose; ``answer`` gets the action, or None and a reason. Unwanted questions are dropped."""
        return self._pool.submit(self._choose, (owner, text), position, is_wanted, answer)

    def _choose(
        self, key: Key, position: Position, is_wanted: Callable[[], bool], answer: Callable[[int | None, str], None]
    ) -> None:
        if not is_wanted():
            return
        try:
            player = self._take(key, position)
            action = player.choose(position)
        except PocketZeroError as error:
            answer(None, str(error))
        except Exception as error:  # a broken player must not take the server with it
            traceback.print_exc()
            answer(None, f"The player {key[1]} failed: {type(error).__name__}.")
        else:
            self._give_back(key, player)
            answer(action, "")

    def _take(self, key: Key, position: Position) -> Player:
        """The player of this game, or a new one; its chance differs from game to game."""
        with self._lock:
            player = self._idle.pop(key, None)
        if player is None:
            player = make_player(key[1], position.game, seed=int(key[0][:12], 16) + position.ply)
        return player

    def _give_back(self, key: Key, player: Player) -> None:
        with self._lock:
            dropped = [self._idle.pop(key)] if key in self._idle else []
            self._idle[key] = player
            while len(self._idle) > MOST_KEPT:
                dropped.append(self._idle.popitem(last=False)[1])
        for each in dropped:
            each.close()

    def forget(self, owner: str) -> None:
        """Close the players of a game."""
        with self._lock:
            dropped = [self._idle.pop(key) for key in list(self._idle) if key[0] == owner]
        for player in dropped:
            player.close()

    def close(self) -> None:
        """Think no more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            players = list(self._idle.values())
            self._idle.clear()
        for player in players:
            player.close()
