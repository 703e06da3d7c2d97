"""From episodes to batches: positions are encoded when they are drawn, each time with a fresh symmetry.

A ``Window`` holds the newest episodes in memory, as bare actions and policies; a sample is replayed from the start of
its game in compiled code, so nothing large is ever kept.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games import Game
from pocketzero.games.table import (
    GEOMETRY,
    INT,
    MOVES,
    PLANES,
    STATE,
    TABLE,
    Geometry,
    Moves,
    Planes,
    State,
    Table,
    encode_of,
    legal_of,
    play_of,
    start_of,
    to_move_of,
)
from pocketzero.games.worth import worth
from pocketzero.training.episodes import Episode, Searched

NO_OWNER = (-1, -1)


@kernel(INT(TABLE, GEOMETRY, STATE, MOVES, INT, INT, PLANES, MOVES))
def replay(
    table: Table, geometry: Geometry, state: State, actions: Moves, plies: int, symmetry: int, out: Planes, legal: Moves
) -> int:
    """Play so many actions from the start, encode what is there, list the legal actions; gives their number."""
    play = play_of(table)
    start_of(table)(geometry, state)
    for ply in range(plies):
        play(geometry, state, actions[ply])
    encode_of(table)(geometry, state, symmetry, out)
    return legal_of(table)(geometry, state, legal)


@kernel(types.int64(TABLE, STATE))
def mover(table: Table, state: State) -> int:
    """Whose move it is."""
    return to_move_of(table)(state)


@dataclass(frozen=True)
class Batch:
    """Samples of one game on one board, ready for the learner; arrays go by sample."""

    game: Game
    planes: NDArray[np.float32]
    policy: NDArray[np.float32]
    legal: NDArray[np.float32]  # 1 where an action may be played
    result: NDArray[np.float32]  # of the game, for the mover: 1, 0, -1
    value: NDArray[np.float32]  # of the search, for the mover
    margin: NDArray[np.float32]  # what it is worth to the mover; 0 where there is none
    reply: NDArray[np.float32]  # the policy of the next ply, where it was searched; zeros elsewhere
    owner: NDArray[np.float32]  # at the end, from the mover's side: 1, -1, 0; empty where the game has no such thing
    has_end: NDArray[np.float32]  # 1 where margin and owner are known


class Maker:
    """Makes batches of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._state = np.zeros(game.state_size, np.int64)
        self._legal = np.zeros(game.action_count, np.int32)
        self._planes = np.zeros(int(np.prod(game.planes.shape)), np.float32)

    def batch(
        self, samples: list[tuple[Episode, int]], chance: np.random.Generator, *, symmetric: bool = True
    ) -> Batch:
        """A batch of these plies (by their place among the searched ones of the episode)."""
        game, count = self.game, len(samples)
        actions, shape = game.action_count, game.planes.shape
        rows = np.zeros((4, count), np.float32)
        boards = np.zeros((3, count, actions), np.float32)
        batch = Batch(
            game=game,
            planes=np.zeros((count, *shape), np.float32),
            policy=boards[0],
            legal=boards[1],
            reply=boards[2],
            result=rows[0],
            value=rows[1],
            margin=rows[2],
            has_end=rows[3],
            owner=np.zeros((count, *shape[1:]) if game.planes.owner_planes else (count, 0), np.float32),
        )
        turns = chance.integers(len(game.symmetries), size=count) if symmetric else np.zeros(count, np.int64)
        for row, (episode, place) in enumerate(samples):
            self._fill(batch, row, episode, place, int(turns[row]))
        return batch

    def _fill(self, batch: Batch, row: int, episode: Episode, place: int, symmetry: int) -> None:
        """One sample."""
        turned = self.game.symmetries[symmetry]
        searched = episode.searched[place]
        count = self._replay(episode, searched.ply, symmetry)
        batch.planes[row] = self._planes.reshape(batch.planes.shape[1:])
        batch.legal[row, turned[self._legal[:count]]] = 1
        self._write_policy(batch.policy[row], searched, turned)
        player = int(mover(self.game.table, self._state))
        sign = 1 if player == 0 else -1
        batch.result[row] = sign * episode.result
        batch.value[row] = searched.value
        if place + 1 < len(episode.searched) and episode.searched[place + 1].ply == searched.ply + 1:
            self._write_policy(batch.reply[row], episode.searched[place + 1], turned)
        if episode.finished:
            batch.has_end[row] = 1
            if episode.margin is not None and self.game.largest_margin:
                batch.margin[row] = sign * worth(episode.margin, self.game.largest_margin)
            if self.game.planes.owner_planes:
                batch.owner[row] = self._owner(episode, symmetry, player)

    def _replay(self, episode: Episode, plies: int, symmetry: int) -> int:
        game = self.game
        return int(
            replay(game.table, game.geometry, self._state, episode.actions, plies, symmetry, self._planes, self._legal)
        )

    def _write_policy(self, out: NDArray[np.float32], searched: Searched, turned: NDArray[np.int32]) -> None:
        out[turned[searched.actions]] = searched.shares

    def _owner(self, episode: Episode, symmetry: int, player: int) -> NDArray[np.float32]:
        """Who owns what at the end, from the side of a player."""
        self._replay(episode, len(episode.actions), symmetry)
        planes = self._planes.reshape(self.game.planes.shape)
        own, other = self.game.planes.owner_planes or NO_OWNER
        owned: NDArray[np.float32] = planes[own] - planes[other]
        return owned if int(mover(self.game.table, self._state)) == player else -owned


class Window:
    """The newest searched plies, as many as the window is wide; the oldest episodes leave first."""

    def __init__(self, *, in_turn: bool = False) -> None:
        self._in_turn = in_turn
        self._coming = np.empty(0, np.int64)  # the plies that are still to be shown in this epoch
        self._episodes: deque[Episode] = deque()
        self.plies = 0
        self._ends = np.empty(0, np.int64)  # where the plies of each episode end, counted through
        self._listed: list[Episode] = []
        self._stale = True

    def add(self, episode: Episode) -> None:
        """Take in a new episode."""
        self._episodes.append(episode)
        self._count(episode)

    def add_older(self, episode: Episode) -> None:
        """Take in an episode that was played before all others, when a run is resumed from its newest shard on."""
        self._episodes.appendleft(episode)
        self._count(episode)

    def _count(self, episode: Episode) -> None:
        self.plies += len(episode.searched)
        self._stale = True

    def shrink(self, width: int) -> None:
        """Let the oldest episodes go."""
        while self._episodes and self.plies - len(self._episodes[0].searched) >= width:
            self.plies -= len(self._episodes.popleft().searched)
            self._stale = True

    def draw(self, count: int, chance: np.random.Generator) -> list[tuple[Episode, int]]:
        """So many plies by chance, each as likely as the others; or each once before any comes again."""
        if self._stale:
            self._coming = np.empty(0, np.int64)
            self._ends = np.cumsum([len(episode.searched) for episode in self._episodes])
            self._listed = list(self._episodes)
            self._stale = False
        numbers = self._next(count, chance) if self._in_turn else chance.integers(self._ends[-1], size=count)
        places = np.searchsorted(self._ends, numbers, side="right")
        return [
            (self._listed[place], int(number - self._ends[place] + len(self._listed[place].searched)))
            for place, number in zip(places.tolist(), numbers.tolist())
        ]

    def _next(self, count: int, chance: np.random.Generator) -> NDArray[np.int64]:
        """The next plies of the epoch, and of as many epochs after it as they need."""
        while len(self._coming) < count:
            self._coming = np.append(self._coming, chance.permutation(self._ends[-1]))
        found, self._coming = self._coming[:count], self._coming[count:]
        return found


def window_width(added: int, *, start: int, exponent: float, largest: int) -> int:
    """How wide the window is after so many plies: it grows, more slowly than the run (KataGo, Wu 2019)."""
    if added <= start:
        return start
    grown = start * (1 + ((added / start) ** exponent - 1) / exponent)
    return int(min(grown, largest))
