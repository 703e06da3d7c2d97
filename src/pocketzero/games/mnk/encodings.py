"""How nets see a board: the stones, and beside them the rows that can still be made.

``stones`` are the two planes of the Gomoku paper. ``rows`` adds six: a row that can still be made is k cells in a line
without a stone of the opponent; each of its empty cells is marked in the plane of its owner and of how many stones it
lacks. So one net sees what a cell is worth with every k and on every board: a one in the first of these planes wins,
two in the second are a double threat.
"""

from __future__ import annotations

import numpy as np
from numba import types

from pocketzero.compiled import kernel
from pocketzero.games.mnk.rules import (
    COLUMNS,
    EXACT,
    PLAYER,
    ROWS,
    STONES,
    SYMMETRY_TABLE,
    K,
    encode,
    holds,
    words_per_set,
)
from pocketzero.games.table import GEOMETRY, INT, PLANES, STATE, Geometry, Planes, State, rule

STONE_PLANES = 2
MOST_LACKING = 3  # rows that lack more stones than that are not shown
ROW_PLANES = STONE_PLANES + 2 * MOST_LACKING
MARK = np.float32(0.5)  # what each row adds to its empty cells


@kernel(INT(GEOMETRY, STATE, INT, INT, INT, INT))
def has_stone(geometry: Geometry, state: State, player: int, row: int, column: int, beyond: int) -> int:
    """1 if the player has a stone there, else 0; ``beyond`` where the board ends."""
    columns = geometry[COLUMNS]
    if not (0 <= row < geometry[ROWS] and 0 <= column < columns):
        return beyond
    return holds(state, STONES + player * words_per_set(geometry), row * columns + column)


@kernel(INT(GEOMETRY, STATE, INT, INT, INT, INT, INT))
def stones_in_row(geometry: Geometry, state: State, player: int, row: int, column: int, down: int, right: int) -> int:
    """How many stones the player has in the k cells from here on; -1 if they are not a row that can still be made."""
    k, found = geometry[K], 0
    for step in range(k):
        r, c = row + step * down, column + step * right
        if has_stone(geometry, state, 1 - player, r, c, 1):
            return -1
        found += has_stone(geometry, state, player, r, c, 0)
    if geometry[EXACT] and (
        has_stone(geometry, state, player, row - down, column - right, 0)
        or has_stone(geometry, state, player, row + k * down, column + k * right, 0)
    ):
        return -1  # it would be too long
    return found


@kernel(types.void(GEOMETRY, STATE, INT, INT, PLANES))
def mark_rows(geometry: Geometry, state: State, turned: int, player: int, out: Planes) -> None:
    """Mark the empty cells of the player's rows, the plane of rows that lack one stone first."""
    columns, rows, k = geometry[COLUMNS], geometry[ROWS], geometry[K]
    cells = columns * rows
    for cell in range(cells):
        row = cell // columns
        column = cell - row * columns
        for direction in range(4):
            down = int(direction != 0)
            right = int(direction != 1) - 2 * int(direction == 3)
            found = stones_in_row(geometry, state, player, row, column, down, right)
            lacking = k - found
            if found < 0 or not 1 <= lacking <= MOST_LACKING:
                continue
            for step in range(k):
                r, c = row + step * down, column + step * right
                if not has_stone(geometry, state, player, r, c, 0):
                    out[(lacking - 1) * cells + geometry[turned + r * columns + c]] += MARK


@rule("encode")
def encode_rows(geometry: Geometry, state: State, symmetry: int, out: Planes) -> None:
    """The mover's stones and the opponent's, then the mover's rows and the opponent's."""
    cells = geometry[COLUMNS] * geometry[ROWS]
    encode(geometry, state, symmetry, out[: STONE_PLANES * cells])
    out[STONE_PLANES * cells :] = 0
    for side in range(2):
        first = (STONE_PLANES + side * MOST_LACKING) * cells
        planes = out[first : first + MOST_LACKING * cells]
        mark_rows(geometry, state, SYMMETRY_TABLE + symmetry * cells, state[PLAYER] ^ side, planes)
