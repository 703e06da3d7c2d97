"""A shallow search of the m,n,k games that judges positions by their living windows.

Four times the value with every stone in a window: this tells where the next rows can grow. Replies to threats are
forced and cost no depth; among other moves only the most promising are tried.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from pocketzero.compiled import kernel
from pocketzero.games.mnk.rules import K
from pocketzero.games.mnk.threats import (
    DIRECTIONS,
    HINDERED,
    LINES,
    NODES_LEFT,
    OWN,
    OWNER,
    SEVERAL,
    STOP,
    VALUE,
    Lines,
    borrowed_lines,
    cells_of,
    change_stone,
    double_cell,
    list_stops,
    room,
    step_of,
    weight,
    winning_cell,
)
from pocketzero.games.table import INT

Scores = NDArray[np.int64]
SCORES = types.int64[::1]

CERTAIN = 1 << 40  # a win; more with more depth left
MINE, THEIRS = 5, 4  # what windows of the player to move count, and those of the other


@kernel(types.void(LINES, INT, SCORES))
def score_cells(lines: Lines, player: int, scores: Scores) -> None:
    """What a stone on each cell is worth to the player to move: for its own windows and against the other's."""
    geometry, board = lines.geometry, lines.board
    cells, k = cells_of(geometry), geometry[K]
    scores[:] = 0
    for direction in range(DIRECTIONS):
        step = step_of(geometry, direction)
        for first in range(cells):
            window = direction * cells + first
            value = 0
            if board[HINDERED + player, window] == 0:
                value += MINE * weight(board[OWN + player, window])
            if board[HINDERED + 1 - player, window] == 0:
                value += THEIRS * weight(board[OWN + 1 - player, window])
            if value and room(geometry, first, direction)[1] >= k - 1:
                for index in range(k):
                    scores[first + index * step] += value


@kernel(INT(LINES, SCORES, INT, INT))
def list_promising(lines: Lines, scores: Scores, width: int, top: int) -> int:
    """List the empty cells with the highest scores, the best first, at most ``width``; gives their number."""
    length = 0
    stack = lines.stack
    for cell in range(cells_of(lines.geometry)):
        if lines.board[OWNER, cell] >= 0:
            continue
        place = length
        while place > 0 and scores[stack[top + place - 1]] < scores[cell]:
            if place < width:
                stack[top + place] = stack[top + place - 1]
            place -= 1
        if place < width:
            stack[top + place] = cell
            length = min(length + 1, width)
    return length


@kernel(INT(LINES, INT, SCORES, INT, INT))
def list_moves(lines: Lines, player: int, scores: Scores, width: int, top: int) -> int:
    """List the moves worth trying where nobody wins at once: replies to a double threat, or the most promising."""
    block = winning_cell(lines, 1 - player)
    if block >= 0:
        lines.stack[top] = block
        return 1
    stops = list_stops(lines, 1 - player, top)
    if stops > 0:
        return stops
    score_cells(lines, player, scores)
    return list_promising(lines, scores, width, top)


@kernel(INT(LINES, INT, INT))
def seen_value(lines: Lines, player: int, depth: int) -> int:
    """The value for the player to move where it is certain at once, else 0."""
    if winning_cell(lines, player) != -1:
        return CERTAIN + depth
    threat = winning_cell(lines, 1 - player)
    if threat == SEVERAL:
        return -CERTAIN - depth
    if threat == -1 and double_cell(lines, player) >= 0:
        return CERTAIN + depth - 2
    return 0


@kernel(INT(LINES, INT, INT, INT, INT, SCORES, INT, INT))
def judge(lines: Lines, player: int, depth: int, low: int, high: int, scores: Scores, width: int, top: int) -> int:
    """The value of a position for the player to move (alpha-beta, between ``low`` and ``high``)."""
    lines.numbers[NODES_LEFT] -= 1
    value = seen_value(lines, player, depth)
    if value:
        return value
    forced = winning_cell(lines, 1 - player) >= 0
    if depth <= 0 and not forced:
        return MINE * lines.numbers[VALUE + player] - THEIRS * lines.numbers[VALUE + 1 - player]
    if top + 4 * cells_of(lines.geometry) > len(lines.stack):
        return 0
    moves = list_moves(lines, player, scores, width, top)
    best = -2 * CERTAIN if moves else 0
    for index in range(moves):
        if lines.numbers[STOP]:
            break
        cell = lines.stack[top + index]
        change_stone(lines, cell, player, 1)
        left = depth if forced else depth - 1
        value = -judge(lines, 1 - player, left, -high, -max(low, best), scores, width, top + moves)
        change_stone(lines, cell, player, -1)
        best = max(best, value)
        if best >= high:
            break
    return best


@kernel(INT(LINES, INT, INT, INT, INT, SCORES))
def judge_move(lines: Lines, cell: int, player: int, depth: int, width: int, scores: Scores) -> int:
    """The value of a move for the player who makes it, after so many plies more."""
    inside = borrowed_lines(lines)
    change_stone(inside, cell, player, 1)
    value = -judge(inside, 1 - player, depth, -2 * CERTAIN, 2 * CERTAIN, scores, width, 0)
    change_stone(inside, cell, player, -1)
    return value


@kernel(INT(LINES, INT, INT, SCORES))
def promising_moves(lines: Lines, player: int, width: int, scores: Scores) -> int:
    """List at the bottom of the stack what is worth judging; gives the number."""
    return list_moves(lines, player, scores, width, 0)
