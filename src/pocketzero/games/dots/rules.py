"""The rules of Dots and Boxes on m x n boxes.

A move draws a line between two neighbouring dots. Whoever draws the last side of a box owns it and moves again;
otherwise the turn passes. When all lines are drawn, the player with more boxes wins.

Lines are numbered as in OpenSpiel: the horizontal ones row by row, then the vertical ones row by row. Boxes are
numbered row by row.

State: player to move, boxes of each player, lines left; then, as sets of bits, the lines drawn, the number of sides
drawn of each unfinished box (two bits a box), and the boxes of player 0 and of player 1. A game that remembers the
order of its lines also has for each line whether it was drawn first (1), second (2), … or not yet (0).
Geometry: the header below, then for each line its two boxes (-1 for none) and its place in the picture, for each box
its four lines, for each symmetry where it takes the lines and the boxes, and the lines from the centre outward.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import lowest, mix
from pocketzero.compiled import kernel
from pocketzero.games.table import (
    DRAW,
    FIRST_WINS,
    GEOMETRY,
    INT,
    ONGOING,
    SECOND_WINS,
    STATE,
    Geometry,
    Moves,
    State,
    rule,
)

# Places in the geometry.
ROWS, COLUMNS, LINES, BOXES = 0, 1, 2, 3
LINE_WORDS, BOX_WORDS, SIDES_AT, OWNED_AT = 4, 5, 6, 7  # sizes of sets, and where they begin in the state
BOXES_OF_LINE, PLACE_OF_LINE, LINES_OF_BOX, TURNED_LINES, TURNED_BOXES, OUTWARD = 8, 9, 10, 11, 12, 13  # tables
HEADER = 14

# Places in the state.
PLAYER, SCORE, LEFT, DRAWN = 0, 1, 3, 4


@kernel(types.boolean(STATE, INT))
def is_drawn(state: State, line: int) -> bool:
    """Whether a line is drawn."""
    return (state[DRAWN + (line >> 6)] >> (line & 63)) & 1 != 0


@kernel(types.boolean(GEOMETRY, STATE, INT, INT))
def owns(geometry: Geometry, state: State, player: int, box: int) -> bool:
    """Whether a player owns a box."""
    word = geometry[OWNED_AT] + player * geometry[BOX_WORDS] + (box >> 6)
    return (state[word] >> (box & 63)) & 1 != 0


@kernel(INT(GEOMETRY, STATE, INT))
def open_lines(geometry: Geometry, state: State, box: int) -> int:
    """How many sides of a box are not drawn yet: 0 to 4."""
    if owns(geometry, state, 0, box) or owns(geometry, state, 1, box):
        return 0
    return 4 - ((state[geometry[SIDES_AT] + (box >> 5)] >> ((box & 31) << 1)) & 3)


@rule("start")
def start(geometry: Geometry, state: State) -> None:
    """Dots only."""
    state[:] = 0
    state[LEFT] = geometry[LINES]


@rule("legal")
def legal(geometry: Geometry, state: State, out: Moves) -> int:
    """Every line that is not drawn."""
    count = np.uint64(0)
    for word in range(geometry[LINE_WORDS]):
        first = word << 6
        left = ~state[DRAWN + word]
        if geometry[LINES] - first < 64:
            left &= (np.int64(1) << (geometry[LINES] - first)) - 1
        while left:
            out[count] = first + lowest(left)
            left &= left - 1
            count += np.uint64(1)
    return np.int64(count)  # type: ignore[return-value]


@rule("play")
def play(geometry: Geometry, state: State, action: int) -> None:
    """Draw a line; whoever completes a box owns it and moves again."""
    state[DRAWN + (action >> 6)] |= np.int64(1) << (action & 63)
    state[LEFT] -= 1
    completed = 0
    for side in range(2):
        box = geometry[geometry[BOXES_OF_LINE] + 2 * action + side]
        if box < 0:
            continue
        word = geometry[SIDES_AT] + (box >> 5)
        shift = (box & 31) << 1
        if (state[word] >> shift) & 3 == 3:
            owned = geometry[OWNED_AT] + state[PLAYER] * geometry[BOX_WORDS] + (box >> 6)
            state[owned] |= np.int64(1) << (box & 63)
            completed += 1
        else:
            state[word] += np.int64(1) << shift
    if completed:
        state[SCORE + state[PLAYER]] += completed
    else:
        state[PLAYER] ^= 1


@kernel(INT(GEOMETRY))
def order_at(geometry: Geometry) -> int:
    """Where the order of the lines begins in the state, in games that remember it."""
    return geometry[OWNED_AT] + 2 * geometry[BOX_WORDS]


@rule("play")
def play_in_order(geometry: Geometry, state: State, action: int) -> None:
    """Draw a line, and remember when it was drawn."""
    play(geometry, state, action)
    state[order_at(geometry) + action] = geometry[LINES] - state[LEFT]


@rule("to_move")
def to_move(state: State) -> int:
    """Whose line is next."""
    return state[PLAYER]


@rule("margin")
def margin(geometry: Geometry, state: State) -> int:
    """The boxes of player 0 less those of player 1."""
    return state[SCORE] - state[SCORE + 1]


@rule("outcome")
def outcome(geometry: Geometry, state: State) -> int:
    """The game ends when all lines are drawn."""
    if state[LEFT] > 0:
        return ONGOING
    if state[SCORE] == state[SCORE + 1]:
        return DRAW
    return FIRST_WINS if state[SCORE] > state[SCORE + 1] else SECOND_WINS


@rule("key")
def key(geometry: Geometry, state: State) -> int:
    """A hash of the lines, the margin and the player; who owns which box does not matter for play."""
    hashed = mix(2 * margin(geometry, state) + state[PLAYER])
    for word in range(DRAWN, DRAWN + geometry[LINE_WORDS]):
        hashed = mix(hashed ^ state[word])
    return hashed
