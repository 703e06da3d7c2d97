"""Proofs in the m,n,k games on boards of up to 64 cells: can the attacker still win, or can the defender prevent it?

A position is two sets of stones in one word each. Every run of k cells is a *window*; a window lives for a player as
long as no stone of the opponent is in it and, where exactly k are needed, none of its own is next to its ends. What a
player must see at once comes from the windows: a window that lacks one stone wins, two such windows after one stone
cannot both be blocked, and a player without living windows cannot win any more. What is left is searched to a depth
that grows: forced replies are free, other stones cost one. Positions are kept with their answers, turned to the same
side by the symmetries of the board.

Answers are given for the player to move: ACHIEVED (the attacker wins, or the defender cannot be beaten), FAILED, or
OPEN if the depth did not suffice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from pocketzero.bits import borrowed, count, lowest, mix
from pocketzero.compiled import kernel
from pocketzero.games import Game
from pocketzero.games.mnk.rules import COLUMNS, EXACT, ROWS, K
from pocketzero.games.table import INT

ACHIEVED, OPEN, FAILED = 1, 0, -1
STOPPED = 2  # the budget is spent: no answer at all
NONE_NEEDED = -1  # instead of a number of moves: the defender holds

LARGEST = 64  # cells; a set of them is one word
TURNS = 8  # symmetries of a square; other boards repeat theirs
BUCKET = 4  # places in the table for one key
KINDS = 3  # of cells in a key: stones of the attacker, of the defender, empty

# What a survey finds for each of the two sides, the player to move first.
WINNING, LIVING, PAIRED = 0, 1, 2  # cells that win, that lie in living windows, that threaten to win
POTENTIAL = 3  # the sum over living windows of 2 to the power of minus the stones that they lack, in units of ONE
PARTNERS = 4  # for each cell: those that would win after a stone on it
ONE = 1 << 40
# What the budget holds.
NODES_LEFT, STOP = 0, 1


class Board(NamedTuple):
    """What never changes, and the room in which a proof is searched."""

    windows: NDArray[np.int64]  # for each window its cells and the cells next to its ends that must not be its own
    numbers: NDArray[np.int64]  # cells, k, exactly
    turned: NDArray[np.int64]  # cell x turn: where a turn takes a cell
    hashes: NDArray[np.int64]  # kind x cell x turn: what a cell of some kind adds to the key of the turned position
    keys: NDArray[np.int64]  # turn: the keys of the position at hand
    moves: NDArray[np.int64]  # ply x cell: the moves still to be tried on the path
    survey: NDArray[np.int64]  # side x what a survey finds
    scores: NDArray[np.int64]  # cell: how promising a stone there is
    potentials: NDArray[np.int64]  # cell: the part of the attacker's POTENTIAL that lies in windows through it
    table: NDArray[np.int64]  # key and answer of positions
    budget: NDArray[np.int64]  # nodes left, and whether to stop


CELLS_, K_, EXACT_ = 0, 1, 2  # places in ``numbers``


def windows_of(columns: int, rows: int, k: int, exactly: bool) -> NDArray[np.int64]:
    """The cells of every window, and of its ends where exactly k are needed."""
    found = []
    directions = [(0, 1), (1, 0), (1, 1), (1, -1)] if k > 1 else [(0, 1)]
    for row in range(rows):
        for column in range(columns):
            for down, right in directions:
                line = [(row + step * down, column + step * right) for step in range(-1, k + 1)]
                inside = [0 <= r < rows and 0 <= c < columns for r, c in line]
                if all(inside[1:-1]):
                    bits = [1 << (r * columns + c) if on else 0 for (r, c), on in zip(line, inside)]
                    found.append((sum(bits[1:-1]), bits[0] | bits[-1] if exactly else 0))
    return np.array(found or np.empty((0, 2)), np.uint64).view(np.int64).reshape(-1, 2)


def make_board(game: Game, *, entries: int) -> Board:
    """The room for proofs on the board of a game; ``entries`` is the size of the table, a power of two."""
    columns, rows, k, exactly = (int(game.geometry[place]) for place in (COLUMNS, ROWS, K, EXACT))
    cells = columns * rows
    turns = np.array([game.symmetries[turn % len(game.symmetries)] for turn in range(TURNS)], np.int64)
    words = np.array([[mix(LARGEST * kind + cell) for cell in range(cells)] for kind in range(KINDS)], np.int64)
    return Board(
        windows=windows_of(columns, rows, k, bool(exactly)),
        numbers=np.array([cells, k, exactly], np.int64),
        turned=np.ascontiguousarray(turns.T),
        hashes=np.ascontiguousarray(words[:, turns.T]),
        keys=np.zeros(TURNS, np.int64),
        moves=np.zeros((cells + 1, cells), np.int64),
        survey=np.zeros((2, PARTNERS + cells), np.int64),
        scores=np.zeros(cells, np.int64),
        potentials=np.zeros(cells, np.int64),
        table=np.full((entries, 2), -1, np.int64),
        budget=np.zeros(2, np.int64),
    )


BOARD = typeof(
    Board(
        **{
            name: np.zeros((1,) * dimensions, np.int64)
            for name, dimensions in zip(Board._fields, (2, 1, 2, 3, 1, 2, 2, 1, 1, 2, 1))
        }
    )
)


@kernel(BOARD(BOARD))
def borrowed_board(board: Board) -> Board:
    """The same board without reference counts, for the search below it."""
    return Board(
        borrowed(board.windows),
        borrowed(board.numbers),
        borrowed(board.turned),
        borrowed(board.hashes),
        borrowed(board.keys),
        borrowed(board.moves),
        borrowed(board.survey),
        borrowed(board.scores),
        borrowed(board.potentials),
        borrowed(board.table),
        borrowed(board.budget),
    )


@kernel(types.void(BOARD, INT, INT, INT, INT, INT), inline=True)
def note_window(board: Board, side: int, cells: int, ends: int, own: int, moves_left: int) -> None:
    """What a living window means to its side."""
    lacking = board.numbers[K_] - count(own)
    if lacking > moves_left:
        return
    found = board.survey[side]
    found[LIVING] |= cells | ends
    found[POTENTIAL] += max(ONE >> lacking, 1)
    left = cells & ~own
    if lacking == 1:
        found[WINNING] |= left
    elif lacking == 2:
        found[PAIRED] |= left
        first = left & -left
        found[PARTNERS + lowest(left)] |= left ^ first
        found[PARTNERS + lowest(left ^ first)] |= first


@kernel(types.void(BOARD, INT, INT), inline=True)
def look(board: Board, mine: int, theirs: int) -> None:
    """Survey all windows for both sides."""
    board.survey[:] = 0
    empty = board.numbers[CELLS_] - count(mine | theirs)
    for index in range(len(board.windows)):
        cells, ends = board.windows[index, 0], board.windows[index, 1]
        if cells & theirs == 0:
            if ends & mine == 0:
                note_window(board, 0, cells, ends, cells & mine, (empty + 1) >> 1)
            if cells & mine == 0 and ends & theirs == 0:
                note_window(board, 1, cells, ends, 0, empty >> 1)
        elif cells & mine == 0 and ends & theirs == 0:
            note_window(board, 1, cells, ends, cells & theirs, empty >> 1)


@kernel(INT(BOARD, INT), inline=True)
def double_cells(board: Board, side: int) -> int:
    """Cells on which a stone of this side threatens to win in two places at once."""
    found = 0
    left = board.survey[side, PAIRED]
    while left:
        cell = lowest(left)
        left &= left - 1
        if count(board.survey[side, PARTNERS + cell]) > 1:
            found |= int(np.int64(1) << cell)
    return found


@kernel(INT(BOARD, INT, INT), inline=True)
def useful_cells(board: Board, empty: int, doubles: int) -> int:
    """The moves that can matter when nobody wins at once; ``doubles`` are the double threats of the opponent.

    Against a double threat only its own cells help, or a threat that must be answered first. Cells outside all living
    windows are all alike, and where k or more win no better than any other.
    """
    useful = empty & (board.survey[0, LIVING] | board.survey[1, LIVING])
    dead = empty & ~useful
    if board.numbers[EXACT_]:
        useful |= dead & -dead
    stops = np.int64(-1)
    left = doubles
    while left:
        cell = lowest(left)
        left &= left - 1
        partners = board.survey[1, PARTNERS + cell]
        stops &= np.int64(1) << cell | (partners if count(partners) == 2 else np.int64(0))
    return useful & (stops | board.survey[0, PAIRED])


@kernel(types.void(types.int64[::1], INT, INT), inline=True)
def add_to_cells(scores: NDArray[np.int64], cells: int, amount: int) -> None:
    """Add an amount to each of these cells."""
    while cells:
        scores[lowest(cells)] += amount
        cells &= cells - 1


@kernel(types.void(BOARD, INT, INT, INT), inline=True)
def score_cells(board: Board, attacker: int, defender: int, moves_left: int) -> None:
    """How promising a stone on each cell is for either side, and the potential of the attacker there.

    A window counts four times as much with every stone in it, and those of the defender twice as much as those of the
    attacker: measured, this leaves the fewest nodes. ``moves_left`` are those of the attacker.
    """
    board.scores[:] = 0
    board.potentials[:] = 0
    for index in range(len(board.windows)):
        cells, ends = board.windows[index, 0], board.windows[index, 1]
        if cells & defender == 0 and ends & attacker == 0:
            own = count(cells & attacker)
            add_to_cells(board.scores, cells & ~attacker, int(np.int64(1) << (2 * own)))
            lacking = board.numbers[K_] - own
            if lacking <= moves_left:
                add_to_cells(board.potentials, cells & ~attacker, max(ONE >> lacking, 1))
        if cells & attacker == 0 and ends & defender == 0:
            add_to_cells(board.scores, cells & ~defender, int(np.int64(2) << (2 * count(cells & defender))))


@kernel(types.boolean(BOARD, INT), inline=True)
def one_stone_holds(board: Board, cells: int) -> bool:
    """Whether the defender holds by the bound of ``cannot_win`` after a stone on one of these cells."""
    while cells:
        if board.survey[1, POTENTIAL] - board.potentials[lowest(cells)] < ONE // 2:
            return True
        cells &= cells - 1
    return False


@kernel(INT(BOARD, INT), inline=True)
def hopeful_cells(board: Board, cells: int) -> int:
    """The attacker's moves after which ``cannot_win`` is not true; a stone doubles the potential of its windows."""
    hopeful = 0
    while cells:
        first = cells & -cells
        if board.survey[0, POTENTIAL] + board.potentials[lowest(cells)] >= ONE:
            hopeful |= first
        cells ^= first
    return hopeful


@kernel(INT(BOARD, INT, INT, INT), inline=True)
def sort_moves(board: Board, ply: int, moves: int, first: int) -> int:
    """Write the moves into their list, the most promising first; ``first`` goes before all."""
    if first >= 0:
        board.scores[first] = np.int64(1) << 60
    length = 0
    listed = board.moves[ply]
    while moves:
        cell = lowest(moves)
        moves &= moves - 1
        place = length
        while place > 0 and board.scores[listed[place - 1]] < board.scores[cell]:
            listed[place] = listed[place - 1]
            place -= 1
        listed[place] = cell
        length += 1
    return length


@kernel(types.void(BOARD, INT, INT), inline=True)
def add_to_keys(board: Board, kind: int, cells: int) -> None:
    """Add cells of one kind to the keys of all turns."""
    while cells:
        cell = lowest(cells)
        cells &= cells - 1
        for turn in range(TURNS):
            board.keys[turn] ^= board.hashes[kind, cell, turn]


@kernel(INT(BOARD, INT, INT, types.boolean), inline=True)
def make_keys(board: Board, mine: int, theirs: int, attacks: bool) -> int:
    """Make the keys of a surveyed position; gives the turn by which it is known in the table, that of the least key.

    Where k or more win, stones count only in windows that live for their side, and empty cells only in living ones:
    positions that differ in nothing else have the same answer, since a stone elsewhere is never better than another.
    """
    board.keys[:] = mix(LARGEST * KINDS + attacks)  # a word that no cell has
    my_living, their_living = board.survey[0, LIVING], board.survey[1, LIVING]
    if board.numbers[EXACT_]:
        my_living = their_living = np.int64(-1)
    add_to_keys(board, 0 if attacks else 1, mine & my_living)
    add_to_keys(board, 1 if attacks else 0, theirs & their_living)
    if not board.numbers[EXACT_]:
        add_to_keys(board, 2, (my_living | their_living) & ~(mine | theirs))
    best = 0
    for turn in range(1, TURNS):
        if board.keys[turn] < board.keys[best]:
            best = turn
    return best


# An answer in the table, from the lowest bit: answer + 1 (2 bits), depth (7), best cell + 1 (7), nodes spent (rest).
@kernel(INT(BOARD, INT), inline=True)
def find(board: Board, key: int) -> int:
    """What the table knows of a position, or -1."""
    bucket = key & (len(board.table) - BUCKET)
    for place in range(bucket, bucket + BUCKET):
        if board.table[place, 0] == key:
            return board.table[place, 1]
    return -1


@kernel(types.void(BOARD, INT, INT), inline=True)
def keep(board: Board, key: int, entry: int) -> None:
    """Put an answer into the table, in the place of what cost least."""
    bucket = key & (len(board.table) - BUCKET)
    chosen = bucket
    for place in range(bucket, bucket + BUCKET):
        if board.table[place, 0] == key:
            chosen = place
            break
        if board.table[place, 1] >> 16 < board.table[chosen, 1] >> 16:
            chosen = place
    board.table[chosen, 0] = key
    board.table[chosen, 1] = entry


@kernel(types.boolean(BOARD, types.boolean), inline=True)
def cannot_win(board: Board, attacks: bool) -> bool:
    """Whether blocking the most valuable cell each time holds the attacker (Erdős and Selfridge 1973)."""
    return board.survey[0, POTENTIAL] < ONE // 2 if attacks else board.survey[1, POTENTIAL] < ONE


@kernel(INT(BOARD, INT, INT, types.boolean), inline=True)
def seen_at_once(board: Board, mine: int, theirs: int, attacks: bool) -> int:
    """The answer for the player to move that needs no search, if there is one; leaves the survey behind."""
    look(board, mine, theirs)
    winning = board.survey[1, WINNING]
    if board.survey[0, WINNING]:
        return ACHIEVED
    if winning & (winning - 1):
        return FAILED
    if cannot_win(board, attacks):
        return FAILED if attacks else ACHIEVED
    if winning == 0 and double_cells(board, 0):
        return ACHIEVED
    return OPEN


@kernel(INT(BOARD, INT, INT, INT, types.boolean, INT), inline=True)
def list_moves(board: Board, ply: int, mine: int, theirs: int, attacks: bool, first: int) -> int:
    """List what the player to move may try; needs the survey of this position. Gives their number."""
    forced = board.survey[1, WINNING]
    if forced:
        board.moves[ply, 0] = lowest(forced)
        return 1
    cells = board.numbers[CELLS_]
    empty = ~(mine | theirs)
    if cells < LARGEST:
        empty &= (np.int64(1) << cells) - 1
    useful = useful_cells(board, empty, double_cells(board, 1))
    moves_left = (count(empty) + 1) >> 1 if attacks else count(empty) >> 1
    score_cells(board, mine if attacks else theirs, theirs if attacks else mine, moves_left)
    if attacks:
        useful = hopeful_cells(board, useful)
    elif one_stone_holds(board, useful):
        return NONE_NEEDED
    return sort_moves(board, ply, useful, first)


@kernel(INT(BOARD, INT, INT, INT, types.boolean, INT))
def prove(board: Board, ply: int, mine: int, theirs: int, attacks: bool, depth: int) -> int:
    """Whether the player to move, who attacks or defends, achieves its aim within this depth."""
    # 1. The budget, and what can be seen at once.
    board.budget[NODES_LEFT] -= 1
    if board.budget[NODES_LEFT] < 0 or board.budget[STOP]:
        return STOPPED
    answer = seen_at_once(board, mine, theirs, attacks)
    if answer != OPEN:
        return answer
    # 2. What the table knows.
    turn = make_keys(board, mine, theirs, attacks)
    key = board.keys[turn]
    known, first = find(board, key), -1
    if known >= 0:
        answer = (known & 3) - 1
        if answer != OPEN or (known >> 2) & 127 >= depth:
            return answer
        wanted = ((known >> 9) & 127) - 1
        for cell in range(board.numbers[CELLS_]):
            if board.turned[cell, turn] == wanted:
                first = cell
    # 3. One move after the other; the first that achieves the aim is enough.
    before = board.budget[NODES_LEFT]
    forced = board.survey[1, WINNING] != 0
    if depth <= 0 and not forced:
        return OPEN
    moves = list_moves(board, ply, mine, theirs, attacks, first)
    answer, best = (ACHIEVED if moves == NONE_NEEDED else FAILED), -1
    for index in range(moves):
        cell = board.moves[ply, index]
        after = mine | np.int64(1) << cell
        reply = prove(board, ply + 1, theirs, after, not attacks, depth if forced else depth - 1)
        if reply == STOPPED:
            return STOPPED
        if reply == FAILED:
            answer, best = ACHIEVED, cell
            break
        if reply == OPEN:
            answer, best = OPEN, cell
            if not attacks:  # within this depth the attacker proves nothing here
                break
    # 4. Keep the answer.
    spent = min(before - board.budget[NODES_LEFT], np.int64(1) << 40)
    place = board.turned[best, turn] + 1 if best >= 0 else 0
    keep(board, key, (spent << 16) | (place << 9) | (max(depth, 0) << 2) | (answer + 1))
    return answer


@kernel(INT(BOARD, INT, INT, types.boolean, INT, INT))
def prove_from(board: Board, mine: int, theirs: int, attacks: bool, depth: int, nodes: int) -> int:
    """``prove`` for a position that was not reached by the search, with so many nodes to spend."""
    board.budget[NODES_LEFT] = nodes
    return prove(borrowed_board(board), 0, mine, theirs, attacks, depth)
