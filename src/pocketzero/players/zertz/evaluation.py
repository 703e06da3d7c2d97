"""What captured marbles are worth: how near they bring a player to each of the winning sets.

A goal that is half reached is worth less than half of it, since the last marbles are the ones that win; a goal that the
opponent's captures have put out of reach is worth nothing. Values are from player 0's view. A won game is worth
``WIN`` less the number of actions it took, so that shorter wins are better.
"""

from __future__ import annotations

from numba import types

from pocketzero.compiled import kernel
from pocketzero.games.table import DRAW, GEOMETRY, INT, STATE, Geometry, State
from pocketzero.games.zertz.rules import ACTIONS, CAPTURED, EACH, GOAL, PLAYER, RESULT, START_POOL

WIN = 1_000_000
SURE_WIN = WIN - 10_000  # whatever is above it is a won game
GOAL_WORTH = 1000  # of a winning set
TEMPO = 12  # who begins a turn has the first chance of a sacrifice


@kernel(INT(INT, INT))
def progress(have: int, need: int) -> int:
    """What a part of a winning set is worth: as much by its share as by the square of its share."""
    share = min(have, need)
    return GOAL_WORTH * share * (need + share) // (2 * need * need)


@kernel(types.boolean(GEOMETRY, STATE, INT, INT, INT))
def in_reach(geometry: Geometry, state: State, player: int, colour: int, need: int) -> bool:
    """Whether the opponent's captures leave enough marbles of a colour for a goal."""
    return geometry[START_POOL + colour] - state[CAPTURED + 3 * (1 - player) + colour] >= need


@kernel(INT(GEOMETRY, STATE, INT))
def worth(geometry: Geometry, state: State, player: int) -> int:
    """The worth of a player's captures: the sum over all goals that are still in reach."""
    held = CAPTURED + 3 * player
    each = geometry[EACH]
    towards_each, all_in_reach, total = 0, True, 0
    for colour in range(3):
        have = state[held + colour]
        towards_each += min(have, each)
        all_in_reach &= in_reach(geometry, state, player, colour, each)
        if in_reach(geometry, state, player, colour, geometry[GOAL + colour]):
            total += progress(have, geometry[GOAL + colour])
    return total + progress(towards_each, 3 * each) if all_in_reach else total


@kernel(INT(STATE))
def final_value(state: State) -> int:
    """The value of a game that is over, for player 0."""
    if state[RESULT] == DRAW:
        return 0
    return WIN - state[ACTIONS] if state[RESULT] == 0 else state[ACTIONS] - WIN


@kernel(INT(GEOMETRY, STATE))
def evaluate(geometry: Geometry, state: State) -> int:
    """The value of a position in which nothing must be captured, for player 0, judged by what both hold."""
    tempo = TEMPO if state[PLAYER] == 0 else -TEMPO
    return worth(geometry, state, 0) - worth(geometry, state, 1) + tempo
