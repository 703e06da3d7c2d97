"""How people write the m,n,k games: moves such as ``h8``, positions in one line.

A move is the letter of a column, from the left, and the number of a row, from the bottom; all letters are used.
A position is written row by row from the top, ``x`` and ``o`` for stones and numbers for runs of empty cells, then
who is to move: ``5/1x3/2o2/5/5 x``. The text holds all that matters for play; which stone came last is not in it.
"""

from __future__ import annotations

import re

import numpy as np

from pocketzero.errors import BadPosition, IllegalMove
from pocketzero.games.base import Game, Notation, Position
from pocketzero.games.mnk import rules
from pocketzero.games.table import DRAW, State

LETTERS = "abcdefghijklmnopqrstuvwxy"
SIGNS = "xo"  # the stones of player 0 and of player 1


def board_size(game: Game) -> tuple[int, int]:
    """Columns and rows."""
    return int(game.geometry[rules.COLUMNS]), int(game.geometry[rules.ROWS])


def write_cell(game: Game, cell: int) -> str:
    """The name of a cell."""
    columns, rows = board_size(game)
    return f"{LETTERS[cell % columns]}{rows - cell // columns}"


def read_cell(game: Game, text: str) -> int:
    """The cell with this name; the error says what is wrong with the name."""
    columns, rows = board_size(game)
    found = re.fullmatch(r"([a-z])([0-9]{1,3})", text.strip().lower())
    if not found:
        corner = LETTERS[columns - 1] + str(rows)
        raise IllegalMove(f"{text!r} is not a cell; cells are a column and a row, from a1 to {corner}.")
    column, row = LETTERS.find(found[1]), int(found[2])
    if not 0 <= column < columns:
        raise IllegalMove(f"{text!r}: there is no column {found[1]}; columns are {_span('a', LETTERS[columns - 1])}.")
    if not 1 <= row <= rows:
        raise IllegalMove(f"{text!r}: there is no row {row}; rows are {_span('1', str(rows))}.")
    return (rows - row) * columns + column


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def stones(position: Position) -> list[int]:
    """For each cell the player whose stone is on it, or -1."""
    sets = position.state[rules.STONES :].astype("<i8").view(np.uint8).reshape(2, -1)
    first, second = np.unpackbits(sets, axis=1, bitorder="little")[:, : position.game.action_count]
    return np.select([first == 1, second == 1], [0, 1], -1).tolist()


class MnkNotation(Notation):
    """Cells such as ``h8``, and positions in one line."""

    def write(self, position: Position, action: int) -> str:
        """The name of the cell."""
        return write_cell(position.game, action)

    def read(self, position: Position, text: str) -> tuple[int, ...]:
        """The cell with this name, which must be empty."""
        cell = read_cell(position.game, text)
        owner = stones(position)[cell]
        if owner >= 0 and not position.is_over:
            raise IllegalMove(f"{text!r}: the cell is taken; there is a stone of {SIGNS[owner]} on it.")
        return (cell,)

    def write_position(self, position: Position) -> str:
        """Rows from the top, then the player to move."""
        columns, _ = board_size(position.game)
        signs = "".join("xo."[owner] for owner in stones(position))
        rows = [signs[at : at + columns] for at in range(0, len(signs), columns)]
        board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
        return f"{board} {SIGNS[position.to_move]}"

    def read_position(self, game: Game, text: str) -> State:
        """The state of a position that a game can reach."""
        parts = text.lower().split()
        if len(parts) != 2:
            example = self.write_position(game.start())
            expected = f"a board and who is to move, such as {example!r}"
            raise BadPosition(f"{text!r} is not a position of {game.name}: expected {expected}.")
        board, player = parts
        if player not in ("x", "o"):
            raise BadPosition(f"Who is to move must be x or o, not {player!r}.")
        owners = _read_rows(game, board.split("/"))
        _check_counts(owners, player)
        return state_with(game, owners, SIGNS.index(player))


def _read_rows(game: Game, rows: list[str]) -> list[int]:
    """For each cell the player whose stone is on it, or -1."""
    columns, expected = board_size(game)
    if len(rows) != expected:
        raise BadPosition(f"The board of {game.name} has {expected} rows with / between them; here are {len(rows)}.")
    owners: list[int] = []
    for number, row in enumerate(rows, 1):
        cells = _read_row(row, number, columns)
        if len(cells) != columns:
            raise BadPosition(f"Row {number} from the top, {row!r}, has {len(cells)} cells; expected {columns}.")
        owners += cells
    return owners


def _read_row(row: str, number: int, columns: int) -> list[int]:
    cells: list[int] = []
    for part in re.finditer(r"[0-9]+|.", row, re.DOTALL):
        sign = part[0]
        place = f"Row {number} from the top, sign {part.start() + 1}"
        if sign in ("x", "o"):
            cells.append(SIGNS.index(sign))
        elif not (sign.isascii() and sign.isdigit()):
            raise BadPosition(f"{place}: expected x, o or a number of empty cells, found {sign!r}.")
        elif len(sign) > 2 or not 1 <= int(sign) <= columns:
            raise BadPosition(f"{place}: expected 1 to {columns} empty cells, found {sign[:12]!r}.")
        else:
            cells += [-1] * int(sign)
    return cells


def _check_counts(owners: list[int], player: str) -> None:
    """The first player has as many stones as the second when to move, and one more otherwise."""
    first, second = owners.count(0), owners.count(1)
    if first - second != SIGNS.index(player):
        expected = "as many stones of x as of o" if player == "x" else "one stone of x more than of o"
        raise BadPosition(f"With {player} to move there must be {expected}; here are {first} of x and {second} of o.")


def state_with(game: Game, owners: list[int], player: int) -> State:
    """The state with these stones, however many each side has; a row that wins must have come with the last stone."""
    geometry = game.geometry
    state = game.start().state.copy()
    words = rules.words_per_set(geometry)
    for cell, owner in enumerate(owners):
        if owner >= 0:
            _turn_stone(state, rules.STONES + owner * words, cell)
    state[rules.PLAYER] = player
    state[rules.EMPTY] = owners.count(-1)
    other_won = bool(rules.has_row(geometry, state, 1 - player))
    if rules.has_row(geometry, state, player):
        who = "Both sides have" if other_won else f"{SIGNS[player]} is to move but has"
        raise BadPosition(f"{who} a row that wins; the game ended before.")
    if other_won:
        _check_last_stone(game, state, owners, 1 - player)
        state[rules.RESULT] = 1 - player
    elif state[rules.EMPTY] == 0:
        state[rules.RESULT] = DRAW
    return state


def _check_last_stone(game: Game, state: State, owners: list[int], winner: int) -> None:
    """There must be a stone without which nobody had won yet."""
    begin = rules.STONES + winner * rules.words_per_set(game.geometry)
    for cell in (cell for cell, owner in enumerate(owners) if owner == winner):
        _turn_stone(state, begin, cell)
        was_won = rules.has_row(game.geometry, state, winner)
        _turn_stone(state, begin, cell)
        if not was_won:
            return
    raise BadPosition(f"{SIGNS[winner]} has rows that win which no single last stone made: the game ended before.")


def _turn_stone(state: State, begin: int, cell: int) -> None:
    """Put a stone into a set, or take it out of it."""
    state[begin + (cell >> 6)] ^= np.left_shift(np.int64(1), np.int64(cell & 63))
