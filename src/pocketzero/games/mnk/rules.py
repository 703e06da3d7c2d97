"""The rules of the m,n,k games: m columns, n rows, k stones in a row win.

Freestyle: k or more in a row win. Standard: exactly k. Cells are numbered row by row from the top left; a move is
the cell on which the next stone goes. Players take turns; a full board without a row is a draw.

State: player to move, result, empty cells, last cell, then the stones of player 0 and of player 1 as sets.
Geometry: columns, rows, k, whether exactly k is needed, then for each symmetry where it takes each cell.
The last cell is only for pictures: it is -1 on an empty board and where a position was not reached by moves.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.bits import lowest, mix
from pocketzero.compiled import kernel
from pocketzero.games.table import (
    DRAW,
    GEOMETRY,
    INT,
    ONGOING,
    STATE,
    Geometry,
    Moves,
    Planes,
    State,
    rule,
)

COLUMNS, ROWS, K, EXACT, SYMMETRY_TABLE = 0, 1, 2, 3, 4  # places in the geometry
PLAYER, RESULT, EMPTY, LAST, STONES = 0, 1, 2, 3, 4  # places in the state


@kernel(INT(GEOMETRY))
def words_per_set(geometry: Geometry) -> int:
    """How many 64-bit words a set of cells takes."""
    return (geometry[COLUMNS] * geometry[ROWS] + 63) >> 6


@kernel(types.boolean(STATE, INT, INT))
def holds(state: State, stones: int, cell: int) -> bool:
    """Whether a set of stones has one on this cell."""
    return (state[stones + (cell >> 6)] >> (cell & 63)) & 1 != 0


@rule("start")
def start(geometry: Geometry, state: State) -> None:
    """An empty board."""
    state[:] = 0
    state[RESULT] = ONGOING
    state[EMPTY] = geometry[COLUMNS] * geometry[ROWS]
    state[LAST] = -1


@rule("legal")
def legal(geometry: Geometry, state: State, out: Moves) -> int:
    """Every empty cell."""
    if state[RESULT] != ONGOING:
        return 0
    words = words_per_set(geometry)
    cells = geometry[COLUMNS] * geometry[ROWS]
    count = np.uint64(0)
    for word in range(words):
        empty = ~(state[STONES + word] | state[STONES + words + word])
        first = word << 6
        if cells - first < 64:
            empty &= (np.int64(1) << (cells - first)) - 1
        while empty:
            out[count] = first + lowest(empty)
            empty &= empty - 1
            count += np.uint64(1)
    return np.int64(count)  # type: ignore[return-value]


@kernel(types.boolean(GEOMETRY, STATE, INT, INT))
def wins(geometry: Geometry, state: State, stones: int, cell: int) -> bool:
    """Whether the stone on this cell stands in a row that wins; only rows through it are looked at."""
    columns, rows, k = geometry[COLUMNS], geometry[ROWS], geometry[K]
    row = cell // columns
    column = cell - row * columns
    for direction in range(4):  # across, down, and the two diagonals
        down = direction != 0
        right = (direction != 1) - 2 * (direction == 3)
        length = 1
        for side in (1, -1):
            r, c = row + side * down, column + side * right
            while 0 <= r < rows and 0 <= c < columns and holds(state, stones, r * columns + c):
                length += 1
                r += side * down
                c += side * right
        if length == k or (length > k and geometry[EXACT] == 0):
            return True
    return False


@kernel(types.boolean(GEOMETRY, STATE, INT))
def has_row(geometry: Geometry, state: State, player: int) -> bool:
    """Whether a player has a row that wins anywhere; play needs only the last stone, positions from a text this."""
    stones = STONES + player * words_per_set(geometry)
    for cell in range(geometry[COLUMNS] * geometry[ROWS]):
        if holds(state, stones, cell) and wins(geometry, state, stones, cell):
            return True
    return False


@rule("play")
def play(geometry: Geometry, state: State, action: int) -> None:
    """Put a stone; it may win, or fill the board."""
    stones = STONES + state[PLAYER] * words_per_set(geometry)
    state[stones + (action >> 6)] |= np.int64(1) << (action & 63)
    state[EMPTY] -= 1
    state[LAST] = action
    enough = (
        geometry[COLUMNS] * geometry[ROWS] - state[EMPTY] >= geometry[K]
    )  # a board that was set up may lack the other side's stones
    if enough and wins(geometry, state, stones, action):
        state[RESULT] = state[PLAYER]
    elif state[EMPTY] == 0:
        state[RESULT] = DRAW
    state[PLAYER] ^= 1


@rule("to_move")
def to_move(state: State) -> int:
    """Whose stone is next."""
    return state[PLAYER]


@rule("outcome")
def outcome(geometry: Geometry, state: State) -> int:
    """Known since the last stone."""
    return state[RESULT]


@rule("key")
def key(geometry: Geometry, state: State) -> int:
    """A hash of the stones; who is to move follows from their number."""
    hashed = 0
    for word in range(STONES, STONES + 2 * words_per_set(geometry)):
        hashed = mix(hashed ^ state[word])
    return hashed


@rule("encode")
def encode(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """Two planes, as in the Gomoku paper: the mover's stones and the opponent's."""
    cells = geometry[COLUMNS] * geometry[ROWS]
    words = words_per_set(geometry)
    turned = SYMMETRY_TABLE + symmetry * cells
    out[:] = 0
    for plane in range(2):
        stones = STONES + (state[PLAYER] ^ plane) * words
        for word in range(words):
            left = state[stones + word]
            while left:
                cell = (word << 6) + lowest(left)
                left &= left - 1
                out[plane * cells + geometry[turned + cell]] = 1
