"""Wins by force in the m,n,k games: rows of threats that leave the opponent no choice.

Every run of k cells is a *window*. It lives for a player while the opponent has no stone in it and, where exactly k
are needed, the player has none next to its ends. What a living window lacks says all: one stone, and the player wins
there at once (a four, in Gomoku); a stone that makes two such places wins (an open four); a stone that prepares this
(a three) must be answered in the few cells that stop it, or by a four.

``Lines`` keeps these counts for all windows as stones come and go. ``wins_by_force`` searches the threats of one
player: fours only, or threes too. Whatever it finds is proven, since every reply that could help is tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from pocketzero.bits import borrowed, mix
from pocketzero.compiled import kernel
from pocketzero.games.mnk.rules import COLUMNS, EXACT, PLAYER, ROWS, STONES, K, holds, words_per_set
from pocketzero.games.table import EXACT as EXACT_ANSWER
from pocketzero.games.table import GEOMETRY, INT, NO_ANSWER, STATE, Bounds, Geometry, State, rule

BOOL = types.boolean
DIRECTIONS = 4  # across, down, and the two diagonals; a window is a direction and its first cell
LISTED = 3  # windows that lack so many stones or fewer are listed

# The rows of ``board``. Those of players come in pairs; a window's number is direction x cells + first cell.
OWNER = 0  # of a cell, or -1
OWN, HINDERED = 1, 3  # stones of a player in a window; what stops it there
PLACE = 5  # of a window in its list
LISTS = 7  # for each player, the windows that lack one, two and three stones
PARTNER, OTHER_PARTNER, MORE_PARTNERS = 13, 14, 15  # cells that would win after a stone on this one
MARK = 16  # of a cell that is listed already
LENGTHS = 17  # of the lists
BOARD_ROWS = 18

# What ``numbers`` holds.
NODES_LEFT, STOP, KEY, STAMP, BEST, VALUE = 0, 1, 2, 3, 4, 5  # VALUE of both players
THREES, THREES_FROM = 2, 200  # how many threes the rule ``solve`` may play, and from which budget on
NUMBER_COUNT = 7

WON, NO_THREAT = -1, -2  # instead of a number of defences
SEVERAL = -2  # instead of a cell
ANY_DEPTH = 1 << 20
TABLE_SIZE = 1 << 12
STACK_LISTS = 48  # the room for moves, in boards


class Lines(NamedTuple):
    """A board with the counts of its windows, and the room for a search."""

    geometry: Geometry
    board: NDArray[np.int32]
    stack: NDArray[np.int32]  # lists of moves, one behind the other
    numbers: NDArray[np.int64]
    failed: NDArray[np.int64]  # keys of positions without a win by force


LINES = typeof(
    Lines(
        np.zeros(1, np.int64),
        np.zeros((1, 1), np.int32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )
)


@kernel(LINES(LINES))
def borrowed_lines(lines: Lines) -> Lines:
    """The same without reference counts, for the search below it."""
    return Lines(
        borrowed(lines.geometry),
        borrowed(lines.board),
        borrowed(lines.stack),
        borrowed(lines.numbers),
        borrowed(lines.failed),
    )


@kernel(INT(GEOMETRY))
def cells_of(geometry: Geometry) -> int:
    """The number of cells."""
    return geometry[COLUMNS] * geometry[ROWS]


@kernel(INT(GEOMETRY, INT))
def step_of(geometry: Geometry, direction: int) -> int:
    """From a cell to the next in a direction."""
    return (1, geometry[COLUMNS], geometry[COLUMNS] + 1, geometry[COLUMNS] - 1)[direction]


@kernel(types.UniTuple(INT, 2)(GEOMETRY, INT, INT))
def room(geometry: Geometry, cell: int, direction: int) -> tuple[int, int]:
    """How many cells there are behind a cell and before it, in a direction."""
    row = cell // geometry[COLUMNS]
    left = cell - row * geometry[COLUMNS]
    right, below = geometry[COLUMNS] - 1 - left, geometry[ROWS] - 1 - row
    if direction == 0:
        return left, right
    if direction == 1:
        return row, below
    if direction == 2:
        return min(row, left), min(below, right)
    return min(row, right), min(below, left)


@kernel(INT(INT))
def weight(own: int) -> int:
    """What a living window with so many stones is worth: four times as much with every stone."""
    return int(np.int64(1) << min(2 * own, 24))


@kernel(types.void(LINES, INT, INT))
def enter(lines: Lines, player: int, window: int) -> None:
    """A window lives for a player with its present stones: list and count it."""
    board = lines.board
    own = board[OWN + player, window]
    lines.numbers[VALUE + player] += weight(own)
    lacking = lines.geometry[K] - own
    if 1 <= lacking <= LISTED:
        kind = LISTED * player + lacking - 1
        length = board[LENGTHS, kind]
        board[LISTS + kind, length] = window
        board[PLACE + player, window] = length
        board[LENGTHS, kind] = length + 1


@kernel(types.void(LINES, INT, INT))
def leave(lines: Lines, player: int, window: int) -> None:
    """A window no longer lives with its present stones: the last of its list takes its place."""
    board = lines.board
    own = board[OWN + player, window]
    lines.numbers[VALUE + player] -= weight(own)
    lacking = lines.geometry[K] - own
    if 1 <= lacking <= LISTED:
        kind = LISTED * player + lacking - 1
        length = board[LENGTHS, kind] - 1
        last, place = board[LISTS + kind, length], board[PLACE + player, window]
        board[LISTS + kind, place] = last
        board[PLACE + player, last] = place
        board[LENGTHS, kind] = length


@kernel(types.void(LINES, INT, INT, INT))
def add_own(lines: Lines, player: int, window: int, change: int) -> None:
    """A stone of a player comes into its window, or goes."""
    lives = lines.board[HINDERED + player, window] == 0
    if lives:
        leave(lines, player, window)
    lines.board[OWN + player, window] += change
    if lives:
        enter(lines, player, window)


@kernel(types.void(LINES, INT, INT, INT))
def add_hindrance(lines: Lines, player: int, window: int, change: int) -> None:
    """Something comes that stops a player in a window, or goes."""
    if lines.board[HINDERED + player, window] == 0:
        leave(lines, player, window)
    lines.board[HINDERED + player, window] += change
    if lines.board[HINDERED + player, window] == 0:
        enter(lines, player, window)


@kernel(types.void(LINES, INT, INT, INT))
def change_stone(lines: Lines, cell: int, player: int, change: int) -> None:
    """Put a stone (change 1) or take it away (change -1)."""
    geometry = lines.geometry
    cells, k = cells_of(geometry), geometry[K]
    lines.board[OWNER, cell] = player if change > 0 else -1
    lines.numbers[KEY] ^= mix(2 * cell + player)
    for direction in range(DIRECTIONS if k > 1 else 1):
        behind, before = room(geometry, cell, direction)
        step, first = step_of(geometry, direction), direction * cells + cell
        for back in range(max(0, k - 1 - before), min(k - 1, behind) + 1):
            window = first - back * step
            add_own(lines, player, window, change)
            add_hindrance(lines, 1 - player, window, change)
        if geometry[EXACT]:
            if before >= k:
                add_hindrance(lines, player, first + step, change)
            if behind >= k:
                add_hindrance(lines, player, first - k * step, change)


@kernel(types.void(LINES, STATE))
def set_up(lines: Lines, state: State) -> None:
    """Make the lines those of a position."""
    geometry, board = lines.geometry, lines.board
    cells, k = cells_of(geometry), geometry[K]
    board[:] = 0
    board[OWNER, :] = -1
    board[PARTNER : OTHER_PARTNER + 1, :] = -1
    lines.numbers[KEY] = lines.numbers[STAMP] = lines.numbers[VALUE] = lines.numbers[VALUE + 1] = 0
    for direction in range(DIRECTIONS if k > 1 else 1):
        for cell in range(cells):
            if room(geometry, cell, direction)[1] >= k - 1:
                enter(lines, 0, direction * cells + cell)
                enter(lines, 1, direction * cells + cell)
    words = words_per_set(geometry)
    for player in range(2):
        for cell in range(cells):
            if holds(state, STONES + player * words, cell):
                change_stone(lines, cell, player, 1)


@kernel(LINES(GEOMETRY, INT))
def new_lines(geometry: Geometry, table_size: int) -> Lines:
    """Room for the lines of a board; the table, for failed searches, has a power of two of places."""
    cells = cells_of(geometry)
    numbers = np.zeros(NUMBER_COUNT, np.int64)
    board = np.empty((BOARD_ROWS, max(DIRECTIONS * cells, 2 * LISTED)), np.int32)
    return Lines(geometry, board, np.empty(STACK_LISTS * cells, np.int32), numbers, np.zeros(table_size, np.int64))


@kernel(INT(LINES, INT, INT))
def next_empty(lines: Lines, window: int, after: int) -> int:
    """The first empty cell of a window behind the cell ``after`` (-1: the first of all)."""
    cells = cells_of(lines.geometry)
    direction = window // cells
    step = step_of(lines.geometry, direction)
    cell = window - direction * cells if after < 0 else after + step
    while lines.board[OWNER, cell] >= 0:
        cell += step
    return cell


@kernel(INT(LINES, INT))
def winning_cell(lines: Lines, player: int) -> int:
    """The cell on which a player wins at once; -1 if there is none, SEVERAL if there are more."""
    kind = LISTED * player
    found = -1
    for index in range(lines.board[LENGTHS, kind]):
        cell = next_empty(lines, lines.board[LISTS + kind, index], -1)
        if found >= 0 and cell != found:
            return SEVERAL
        found = cell
    return found


@kernel(BOOL(LINES, INT, INT))
def pair(lines: Lines, cell: int, partner: int) -> bool:
    """Note that a stone on a cell makes another cell win; says whether this is the second such cell."""
    board = lines.board
    if board[PARTNER, cell] < 0:
        board[PARTNER, cell] = partner
    elif board[PARTNER, cell] != partner:
        if board[OTHER_PARTNER, cell] < 0:
            board[OTHER_PARTNER, cell] = partner
            return True
        if board[OTHER_PARTNER, cell] != partner:
            board[MORE_PARTNERS, cell] = 1
    return False


@kernel(INT(LINES, INT, INT))
def list_doubles(lines: Lines, player: int, top: int) -> int:
    """List the cells on which a stone wins in two places at once; leaves the partners behind. Gives their number."""
    kind = LISTED * player + 1
    found = 0
    for index in range(lines.board[LENGTHS, kind]):
        window = lines.board[LISTS + kind, index]
        first = next_empty(lines, window, -1)
        second = next_empty(lines, window, first)
        if pair(lines, first, second):
            lines.stack[top + found] = first
            found += 1
        if pair(lines, second, first):
            lines.stack[top + found] = second
            found += 1
    return found


@kernel(types.void(LINES, INT))
def forget_partners(lines: Lines, player: int) -> None:
    """Undo what ``list_doubles`` left behind."""
    board = lines.board
    kind = LISTED * player + 1
    for index in range(board[LENGTHS, kind]):
        cell = -1
        for _ in range(2):
            cell = next_empty(lines, board[LISTS + kind, index], cell)
            board[PARTNER, cell] = board[OTHER_PARTNER, cell] = -1
            board[MORE_PARTNERS, cell] = 0


@kernel(INT(LINES, INT))
def double_cell(lines: Lines, player: int) -> int:
    """A cell on which a stone wins in two places at once, or -1; the room behind the stack is used."""
    top = len(lines.stack) - 2 * cells_of(lines.geometry)
    found = lines.stack[top] if list_doubles(lines, player, top) else -1
    forget_partners(lines, player)
    return found


@kernel(BOOL(LINES, INT, INT, INT))
def stops_all(lines: Lines, cell: int, doubles: int, top: int) -> bool:
    """Whether a stone on this cell stops every one of the listed double threats."""
    board = lines.board
    for index in range(doubles):
        double = lines.stack[top + index]
        is_partner = board[PARTNER, double] == cell or board[OTHER_PARTNER, double] == cell
        if cell != double and (board[MORE_PARTNERS, double] or not is_partner):
            return False
    return True


@kernel(INT(LINES, INT, INT, INT))
def list_once(lines: Lines, cell: int, top: int, length: int) -> int:
    """Append a cell to a list unless it bears the stamp of this list; gives the new length."""
    if lines.board[MARK, cell] == lines.numbers[STAMP]:
        return length
    lines.board[MARK, cell] = lines.numbers[STAMP]
    lines.stack[top + length] = cell
    return length + 1


@kernel(INT(LINES, INT, INT, INT, INT))
def list_window_cells(lines: Lines, player: int, lacking: int, top: int, length: int) -> int:
    """Append the empty cells of a player's windows that lack so many stones; gives the new length."""
    kind = LISTED * player + lacking - 1
    for index in range(lines.board[LENGTHS, kind]):
        cell = -1
        for _ in range(lacking):
            cell = next_empty(lines, lines.board[LISTS + kind, index], cell)
            length = list_once(lines, cell, top, length)
    return length


@kernel(INT(LINES, INT, INT))
def list_stops(lines: Lines, attacker: int, top: int) -> int:
    """List the replies to double threats: cells that stop all, and the opponent's fours; or NO_THREAT."""
    spare = len(lines.stack) - 2 * cells_of(lines.geometry)
    doubles = list_doubles(lines, attacker, spare)
    length = NO_THREAT
    if doubles:
        length = 0
        lines.numbers[STAMP] += 1
        double = lines.stack[spare]
        for cell in (double, lines.board[PARTNER, double], lines.board[OTHER_PARTNER, double]):
            if stops_all(lines, cell, doubles, spare):
                length = list_once(lines, cell, top, length)
        length = list_window_cells(lines, 1 - attacker, 2, top, length)
    forget_partners(lines, attacker)
    return length


@kernel(INT(LINES, INT, INT))
def list_defences(lines: Lines, attacker: int, top: int) -> int:
    """List the replies to the attacker's last stone that could help; or WON, or NO_THREAT."""
    if lines.board[LENGTHS, LISTED * (1 - attacker)]:
        return NO_THREAT  # the opponent wins first
    cell = winning_cell(lines, attacker)
    if cell == SEVERAL:
        return WON
    if cell >= 0:
        lines.stack[top] = cell
        return 1
    length = list_stops(lines, attacker, top)
    return WON if length == 0 else length


@kernel(INT(LINES, INT, BOOL, INT))
def list_attacks(lines: Lines, attacker: int, threes: bool, top: int) -> int:
    """List the stones that may threaten: where the opponent would win, if anywhere, else fours, then threes."""
    block = winning_cell(lines, 1 - attacker)
    if block == SEVERAL:
        return 0
    if block >= 0:
        lines.stack[top] = block
        return 1
    lines.numbers[STAMP] += 1
    length = list_window_cells(lines, attacker, 2, top, 0)
    return list_window_cells(lines, attacker, 3, top, length) if threes else length


@kernel(BOOL(LINES, INT, INT, BOOL, INT))
def wins_by_force(lines: Lines, attacker: int, depth: int, threes: bool, top: int) -> bool:
    """Whether the attacker, who is to move, wins by threats alone; BEST is the stone that begins.

    ``depth`` limits the threats that are not fours; ``top`` is the free end of the stack. False may also mean that
    the nodes or the room did not suffice.
    """
    # 1. What is seen at once.
    lines.numbers[NODES_LEFT] -= 1
    if lines.numbers[NODES_LEFT] < 0 or lines.numbers[STOP]:
        return False
    cell = winning_cell(lines, attacker)
    if cell != -1:
        lines.numbers[BEST] = next_empty(lines, lines.board[LISTS + LISTED * attacker, 0], -1)
        return True
    if lines.board[LENGTHS, LISTED * (1 - attacker)] == 0:
        cell = double_cell(lines, attacker)
        if cell >= 0:
            lines.numbers[BEST] = cell
            return True
    # 2. Whether this position has failed before, or there is no room.
    key = mix(lines.numbers[KEY] ^ mix(4 * depth + 2 * attacker + threes))
    place = key & (len(lines.failed) - 1)
    if lines.failed[place] == key or top + 4 * cells_of(lines.geometry) > len(lines.stack):
        return False
    # 3. Each threat, with every reply that could help.
    attacks = list_attacks(lines, attacker, threes and depth > 0, top)
    for index in range(attacks):
        attack = lines.stack[top + index]
        change_stone(lines, attack, attacker, 1)
        is_four = lines.board[LENGTHS, LISTED * attacker] > 0
        defences = list_defences(lines, attacker, top + attacks) if is_four or (threes and depth > 0) else NO_THREAT
        won = defences != NO_THREAT
        end = top + attacks + max(defences, 0)
        for number in range(max(defences, 0)):
            reply = lines.stack[top + attacks + number]
            change_stone(lines, reply, 1 - attacker, 1)
            won = wins_by_force(lines, attacker, depth if is_four else depth - 1, threes, end)
            change_stone(lines, reply, 1 - attacker, -1)
            if not won:
                break
        change_stone(lines, attack, attacker, -1)
        if won:
            lines.numbers[BEST] = attack
            return True
    if lines.numbers[NODES_LEFT] >= 0 and not lines.numbers[STOP]:
        lines.failed[place] = key
    return False


@kernel(INT(LINES, INT, INT, INT))
def forced_win(lines: Lines, attacker: int, threes: int, nodes: int) -> int:
    """The stone that begins a win by force with at most so many threes (0: fours only), or -1."""
    inside = borrowed_lines(lines)
    inside.numbers[NODES_LEFT] = nodes
    for depth in range(threes + 1):
        if wins_by_force(inside, attacker, depth, depth > 0, 0):
            return inside.numbers[BEST]
    return -1


@rule("solve")
def solve(geometry: Geometry, state: State, budget: int, bounds: Bounds) -> int:
    """Exact where the player to move wins within ``budget`` positions by fours, or, with enough, with a few threes."""
    if budget <= 0:
        return NO_ANSWER
    lines = new_lines(geometry, TABLE_SIZE)
    set_up(lines, state)
    if forced_win(lines, state[PLAYER], THREES if budget >= THREES_FROM else 0, budget) < 0:
        return NO_ANSWER
    bounds[0] = bounds[1] = 1 - 2 * state[PLAYER]
    return EXACT_ANSWER
