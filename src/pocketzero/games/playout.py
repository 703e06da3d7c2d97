"""Random games, many in one compiled call: the fastest way to see what a game is like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.bits import borrowed, random_below
from pocketzero.compiled import kernel
from pocketzero.games.table import (
    DRAW,
    FIRST_WINS,
    GEOMETRY,
    INT,
    ONGOING,
    SECOND_WINS,
    STATE,
    TABLE,
    Geometry,
    Moves,
    State,
    Table,
    legal_of,
    outcome_of,
    play_of,
)

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class RandomGames:
    """What came of a number of random games."""

    games: int
    moves: int
    first_wins: int
    second_wins: int
    draws: int

    @property
    def first_score(self) -> float:
        """The first player's share of the points, a draw counting half."""
        return (self.first_wins + self.draws / 2) / max(self.games, 1)


@kernel(INT(TABLE, GEOMETRY, STATE, types.int32[::1], types.int64[::1], types.int64[::1]))
def playout(table: Table, geometry: Geometry, state: State, moves: Moves, generator: Counts, length: Counts) -> int:
    """Play random moves to the end, in place; adds the number of moves to ``length``; gives the outcome."""
    legal = legal_of(table)
    play = play_of(table)
    outcome = outcome_of(table)
    result = outcome(geometry, state)
    while result == ONGOING:
        count = legal(geometry, state, moves)
        play(geometry, state, moves[random_below(generator, count)])
        length[0] += 1
        result = outcome(geometry, state)
    return result


@kernel(types.void(TABLE, GEOMETRY, STATE, INT, INT, INT, types.int64[::1]))
def _play_many(
    table: Table, geometry: Geometry, root: State, action_count: int, games: int, seed: int, counts: Counts
) -> None:
    state = np.empty_like(root)
    moves = np.empty(action_count, np.int32)
    generator = np.full(1, seed, np.int64)
    for _ in range(games):
        state[:] = root
        result = playout(
            borrowed(table), borrowed(geometry), borrowed(state), borrowed(moves), borrowed(generator), counts[3:]
        )
        counts[result] += 1


def play_random_games(
    table: Table, geometry: Geometry, root: State, action_count: int, *, games: int, seed: int
) -> RandomGames:
    """Play ``games`` random games from a position; the same seed gives the same games."""
    counts = np.zeros(4, np.int64)
    _play_many(table, geometry, root, action_count, games, seed, counts)
    return RandomGames(
        games=games,
        moves=int(counts[3]),
        first_wins=int(counts[FIRST_WINS]),
        second_wins=int(counts[SECOND_WINS]),
        draws=int(counts[DRAW]),
    )
