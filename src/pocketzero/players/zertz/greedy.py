"""Greedy at Zertz: looks one turn ahead and wants the best balance of captures.

Of all its whole turns (a marble and a ring, or a chain of jumps to its end) it plays one after which the worth of what
it has captured, less the most the opponent can capture in the next turn, is greatest. It wins at once if it can.
Among equals it draws by chance.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import Words, borrowed
from pocketzero.compiled import kernel
from pocketzero.games import Position
from pocketzero.games.table import DRAW, GEOMETRY, INT, MOVES, ONGOING, Geometry, Moves
from pocketzero.games.zertz.rules import CHAIN, PHASE, PLAYER, RESULT, STATE_SIZE, must_jump
from pocketzero.players.base import Kind, Player, random_source
from pocketzero.players.zertz.evaluation import WIN, worth
from pocketzero.players.zertz.turns import (
    MOST_TURNS,
    Turns,
    actions_of,
    copy_position,
    isolates,
    list_captures,
    list_placements,
    list_turns,
    play_turn,
)

STATES = types.int64[:, ::1]  # one position for each step
LISTS = types.int32[:, ::1]  # the turns of each of them
FRAMES = types.int64[:, ::1]  # how many turns a list has, and which comes next
COUNT, NEXT = 0, 1
MOST_STEPS = 130  # two chains of jumps, none longer than a board has rings


@kernel(types.void(GEOMETRY, STATES, LISTS, FRAMES, INT))
def open_jumps(geometry: Geometry, states: Words, lists: Moves, frames: Words, step: int) -> None:
    """List the jumps of a position, none of them tried yet."""
    frames[step, COUNT] = list_captures(geometry, states[step], lists[step])
    frames[step, NEXT] = 0


@kernel(INT(GEOMETRY, STATES, LISTS, FRAMES, INT, INT))
def next_chain(geometry: Geometry, states: Words, lists: Moves, frames: Words, base: int, step: int) -> int:
    """Go on to the next chain of jumps from the position at ``base``; gives the step at which it ends, or -1."""
    while step >= base:
        if frames[step, NEXT] == frames[step, COUNT]:
            step -= 1
            continue
        turn = lists[step, frames[step, NEXT]]
        frames[step, NEXT] += 1
        copy_position(states[step], states[step + 1])
        play_turn(geometry, states[step + 1], turn)
        step += 1
        if states[step, RESULT] != ONGOING or states[step, PHASE] != CHAIN:
            return step
        open_jumps(geometry, states, lists, frames, step)
    return -1


@kernel(INT(GEOMETRY, STATES, INT, INT, INT))
def gain(geometry: Geometry, states: Words, step: int, player: int, before: int) -> int:
    """What a player has won at a step, beyond the worth it had before."""
    if states[step, RESULT] == ONGOING:
        return worth(geometry, states[step], player) - before
    if states[step, RESULT] == DRAW:
        return 0
    return WIN if states[step, RESULT] == player else -WIN


@kernel(INT(GEOMETRY, STATES, LISTS, INT))
def best_claim(geometry: Geometry, states: Words, lists: Moves, step: int) -> int:
    """The most that the player to move can win by isolating marbles."""
    player = states[step, PLAYER]
    before = worth(geometry, states[step], player)
    best = 0
    for place in range(list_placements(states[step], lists[step])):
        turn = lists[step, place]
        if isolates(geometry, states[step], (turn >> 6) & 63, turn & 63):
            copy_position(states[step], states[step + 1])
            play_turn(geometry, states[step + 1], turn)
            best = max(best, gain(geometry, states, step + 1, player, before))
    return best


@kernel(INT(GEOMETRY, STATES, LISTS, FRAMES, INT))
def best_gain(geometry: Geometry, states: Words, lists: Moves, frames: Words, base: int) -> int:
    """The most that the player to move can win in one turn, by a chain of jumps or by isolation."""
    if not must_jump(states[base]):
        return best_claim(geometry, states, lists, base)
    player = states[base, PLAYER]
    before = worth(geometry, states[base], player)
    best = -WIN
    open_jumps(geometry, states, lists, frames, base)
    end = next_chain(geometry, states, lists, frames, base, base)
    while end >= 0:
        best = max(best, gain(geometry, states, end, player, before))
        end = next_chain(geometry, states, lists, frames, base, end - 1)
    return best


@kernel(INT(GEOMETRY, STATES, LISTS, FRAMES, INT))
def settled(geometry: Geometry, states: Words, lists: Moves, frames: Words, step: int) -> int:
    """The balance for who began at step 0, at the end of the turn: its gain, less the opponent's best gain."""
    player = states[0, PLAYER]
    won = gain(geometry, states, step, player, worth(geometry, states[0], player))
    if states[step, RESULT] != ONGOING:
        return won
    return won - best_gain(geometry, states, lists, frames, step)


@kernel(INT(GEOMETRY, STATES, LISTS, FRAMES, INT))
def balance(geometry: Geometry, states: Words, lists: Moves, frames: Words, turn: int) -> int:
    """The best balance that a turn can lead to; if it begins a chain, of all its ends."""
    copy_position(states[0], states[1])
    play_turn(geometry, states[1], turn)
    if states[1, RESULT] != ONGOING or states[1, PHASE] != CHAIN:
        return settled(geometry, states, lists, frames, 1)
    best = -2 * WIN
    open_jumps(geometry, states, lists, frames, 1)
    end = next_chain(geometry, states, lists, frames, 1, 1)
    while end >= 0:
        best = max(best, settled(geometry, states, lists, frames, end))
        end = next_chain(geometry, states, lists, frames, 1, end - 1)
    return best


@kernel(INT(GEOMETRY, STATES, LISTS, FRAMES, MOVES))
def list_best(geometry: Geometry, states: Words, lists: Moves, frames: Words, out: Moves) -> int:
    """The turns with the best balance, from the position at step 0; gives their number."""
    states, lists, frames = borrowed(states), borrowed(lists), borrowed(frames)
    best, listed = -2 * WIN, 0
    for place in range(list_turns(geometry, states[0], lists[0])):
        turn = lists[0, place]
        value = balance(geometry, states, lists, frames, turn)
        if value > best:
            best, listed = value, 0
        if value == best:
            out[listed] = turn
            listed += 1
    return listed


class GreedyPlayer(Player):
    """Plays for the best balance of captures, one turn ahead."""

    def __init__(self) -> None:
        self._states = np.zeros((MOST_STEPS, STATE_SIZE), np.int64)
        self._lists = np.zeros((MOST_STEPS, MOST_TURNS), np.int32)
        self._frames = np.zeros((MOST_STEPS, 2), np.int64)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Among equal turns it draws from this seed."""
        self._chance = random_source(seed)

    def best_turns(self, position: Position) -> list[int]:
        """All turns with the best balance; of a chain the first jump, of a placement marble and ring."""
        best: Turns = np.empty(MOST_TURNS, np.int32)
        self._states[0] = position.state
        count = list_best(position.game.geometry, self._states, self._lists, self._frames, best)
        return best[:count].tolist()

    def choose(self, position: Position) -> int:
        """The first action of one of the best turns."""
        turns = self.best_turns(position)
        return actions_of(position.game, [turns[self._chance.integers(len(turns))]])[0]


KINDS = [
    Kind(
        name="greedy",
        summary="the best balance of captures, one turn ahead",
        families=("zertz",),
        make=lambda game, options: GreedyPlayer(),
    )
]
