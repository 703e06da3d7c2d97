"""How people write Dots and Boxes.

Lines have four notations. ``letters`` (the default) is the 2022 thesis's: ``aA`` is the horizontal line in column a
on row A, ``Bc`` the vertical line in row B on column c. ``rows`` is ``h12`` / ``v12``, row then column from 0 (with a
dot between them, ``h1.12``, where numbers have two digits). ``centres`` gives the place of the line's middle on the
grid of dots, lines and boxes, a letter and a number from 1, as one correspondence site does (``b1`` is the first
horizontal line). ``numbers`` are the ids of OpenSpiel. Moves are read in all of them but ``centres``, whose words
could be mistaken.

A position is written row by row like a small picture, with ``-`` and ``|`` for lines, ``.`` for what is not there,
and the owner's letter in finished boxes; then the score and the player to move:
``--/|A|.|/-./...../.. 1-0 A``.
"""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from pocketzero.errors import BadPosition, IllegalMove, UnknownName
from pocketzero.games.base import Game, Notation, Position
from pocketzero.games.dots import rules
from pocketzero.games.table import State

STYLES = ("letters", "rows", "centres", "numbers")


class DotsNotation(Notation):
    """Lines and positions of one board."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.across = (rows + 1) * columns  # how many horizontal lines there are
        self.lines = self.across + rows * (columns + 1)

    def place(self, line: int) -> tuple[bool, int, int]:
        """Whether a line is horizontal, and its row and column."""
        if line < self.across:
            return True, *divmod(line, self.columns)
        return False, *divmod(line - self.across, self.columns + 1)

    def number(self, is_across: bool, row: int, column: int) -> int | None:
        """The number of a line, or None if the board has no such line."""
        last_row, last_column = (self.rows, self.columns - 1) if is_across else (self.rows - 1, self.columns)
        if not (0 <= row <= last_row and 0 <= column <= last_column):
            return None
        return row * self.columns + column if is_across else self.across + row * (self.columns + 1) + column

    def write_line_as(self, line: int, style: str) -> str:
        """A line in one of the notations."""
        is_across, row, column = self.place(line)
        if style == "letters":
            letters = ascii_lowercase[column], ascii_uppercase[row]
            return letters[0] + letters[1] if is_across else letters[1] + letters[0]
        if style == "rows":
            dot = "." if max(self.rows, self.columns) > 9 else ""
            return f"{'h' if is_across else 'v'}{row}{dot}{column}"
        if style == "centres":
            x, y = (2 * column + 1, 2 * row) if is_across else (2 * column, 2 * row + 1)
            return f"{_grid_letter(x)}{y + 1}"
        if style == "numbers":
            return str(line)
        raise UnknownName(f"There is no line notation {style!r}. Notations: {', '.join(STYLES)}.")

    def read_line(self, text: str) -> int | None:
        """The line that a text names in one of the notations that cannot be mistaken, or None."""
        if found := re.fullmatch(r"([a-z])([A-Z])", text):
            return self.number(True, ascii_uppercase.index(found[2]), ascii_lowercase.index(found[1]))
        if found := re.fullmatch(r"([A-Z])([a-z])", text):
            return self.number(False, ascii_uppercase.index(found[1]), ascii_lowercase.index(found[2]))
        found = re.fullmatch(r"([hv])(\d)(\d)", text) or re.fullmatch(r"([hv])(\d{1,2})\.(\d{1,2})", text)
        if found:
            return self.number(found[1] == "h", int(found[2]), int(found[3]))
        if re.fullmatch(r"[0-9]{1,4}", text) and int(text) < self.lines:
            return int(text)
        return None

    def read_centre(self, text: str) -> int | None:
        """The line whose middle is at this place of the grid, or None."""
        found = re.fullmatch(r"([a-zA-Z]+)(\d{1,2})", text)
        if not found or _grid_column(found[1]) is None:
            return None
        x, y = _grid_column(found[1]) or 0, int(found[2]) - 1
        if (x + y) % 2 == 0 or y < 0:
            return None
        return self.number(y % 2 == 0, y // 2, x // 2)

    def write(self, position: Position, action: int) -> str:
        """The letters of a line."""
        return self.write_line_as(action, "letters")

    def read(self, position: Position, text: str) -> tuple[int, ...]:
        """One line."""
        line = self.read_line(text)
        if line is None:
            last = self.write_line_as(self.across - 1, "letters"), self.write_line_as(self.lines - 1, "letters")
            raise IllegalMove(
                f"{text!r} is not a line of a {self.rows}x{self.columns} board. Horizontal lines are aA to {last[0]}, "
                f"vertical ones Aa to {last[1]}; h00, v00 and the numbers 0 to {self.lines - 1} are understood too."
            )
        return (line,)

    def write_position(self, position: Position) -> str:
        """Rows of lines and boxes, the score, the player to move."""
        geometry, state = position.game.geometry, position.state
        drawn = drawn_lines(position)
        rows = []
        for row in range(self.rows + 1):
            rows.append("".join("-" if drawn[row * self.columns + c] else "." for c in range(self.columns)))
            if row < self.rows:
                down = [drawn[self.across + row * (self.columns + 1) + c] for c in range(self.columns + 1)]
                owners = [owner_of(geometry, state, row * self.columns + c) for c in range(self.columns)] + [""]
                rows.append("".join(("|" if line else ".") + owner for line, owner in zip(down, owners)))
        score = f"{state[rules.SCORE]}-{state[rules.SCORE + 1]}"
        return f"{'/'.join(rows)} {score} {'AB'[position.to_move]}"

    def read_position(self, game: Game, text: str) -> State:
        """Checks that the picture has the right size, finished boxes have owners, and the score is theirs."""
        fields = text.split()
        if len(fields) != 3 or fields[2] not in ("A", "B"):
            raise BadPosition(f"Expected a board, a score and the player to move (A or B), found {text!r}.")
        rows = fields[0].split("/")
        if len(rows) != 2 * self.rows + 1:
            raise BadPosition(f"The board must have {2 * self.rows + 1} rows between slashes; it has {len(rows)}.")
        state = game.start().state.copy()
        owners = self._draw_rows(game, state, rows)
        self._give_boxes(game, state, owners)
        score = f"{state[rules.SCORE]}-{state[rules.SCORE + 1]}"
        if fields[1] != score:
            raise BadPosition(f"The score must be that of the finished boxes, {score}, not {fields[1]!r}.")
        state[rules.PLAYER] = "AB".index(fields[2])
        return state

    def _draw_rows(self, game: Game, state: State, rows: list[str]) -> list[str]:
        """Draw the lines of the picture; gives the owner's letter, or a dot, of each box."""
        owners: list[str] = []
        for number, row in enumerate(rows):
            is_across = number % 2 == 0
            signs, letters = (row, "") if is_across else (row[::2], row[1::2])
            width = self.columns if is_across else 2 * self.columns + 1
            if len(row) != width or set(signs) - set("-." if is_across else "|.") or set(letters) - set("AB."):
                allowed = "- and ." if is_across else "| or . for lines with A, B or . for boxes between them"
                raise BadPosition(f"Row {number + 1} must be {width} signs, {allowed}; it is {row!r}.")
            for column, sign in enumerate(signs):
                if sign != ".":
                    line = self.number(is_across, number // 2, column)
                    game.rules.play(game.geometry, state, line)
            owners += letters
        return owners

    def _give_boxes(self, game: Game, state: State, owners: list[str]) -> None:
        """Every finished box goes to the owner in the picture."""
        at, words = game.geometry[rules.OWNED_AT], game.geometry[rules.BOX_WORDS]
        finished = [owner_of(game.geometry, state, box) != "." for box in range(len(owners))]
        state[rules.SCORE : rules.SCORE + 2] = 0
        state[at : at + 2 * words] = 0
        for box, (owner, is_finished) in enumerate(zip(owners, finished)):
            if is_finished != (owner != "."):
                row, column = divmod(box, self.columns)
                has = "all four sides and needs an owner" if is_finished else f"open sides, but the owner {owner}"
                raise BadPosition(f"The box in row {row + 1}, column {column + 1} has {has}.")
            if is_finished:
                player = "AB".index(owner)
                state[at + player * words + (box >> 6)] |= np.int64(1) << np.int64(box & 63)
                state[rules.SCORE + player] += 1


def drawn_lines(position: Position) -> list[bool]:
    """Which lines are drawn, by number."""
    state = position.state
    return [bool(state[rules.DRAWN + (line >> 6)] >> (line & 63) & 1) for line in range(position.game.action_count)]


def owner_of(geometry: State, state: State, box: int) -> str:
    """The letter of the player who owns a box, or a dot."""
    at, words = geometry[rules.OWNED_AT], geometry[rules.BOX_WORDS]
    for player, letter in enumerate("AB"):
        if state[at + player * words + (box >> 6)] >> (box & 63) & 1:
            return letter
    return "."


def _grid_letter(x: int) -> str:
    """The name of a column of the grid: a to z, then aa, ab, …"""
    return ascii_lowercase[x] if x < 26 else "a" + ascii_lowercase[x - 26]


def _grid_column(letters: str) -> int | None:
    """The column of the grid with this name."""
    letters = letters.lower()
    if len(letters) == 1:
        return ascii_lowercase.index(letters)
    return 26 + ascii_lowercase.index(letters[1]) if len(letters) == 2 and letters[0] == "a" else None
