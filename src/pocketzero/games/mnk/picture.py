"""How the m,n,k games look: letters for a terminal, and a drawing.

Large boards are drawn as Gomoku is played, black (x) and white (o) stones on the crossings of a wooden board; small
ones as crosses and noughts in cells. The last stone and the row that wins are marked.
"""

from __future__ import annotations

from pocketzero.games.base import Outcome, Picture, Position
from pocketzero.games.mnk import rules
from pocketzero.games.mnk.notation import LETTERS, SIGNS, board_size, stones, write_cell
from pocketzero.games.svg import Drawing

SMALLEST_WOODEN = 7  # columns and rows; below, cells with crosses and noughts
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
STARS = {15: (3, 7, 11), 19: (3, 9, 15)}  # rows and columns of the star points, where a board has them
LEFT, TOP = 34, 14  # room for the coordinates, left and below, and for nothing, above and to the right


def last_cell(position: Position) -> int:
    """Where the last stone went, or -1 if that is not known."""
    return int(position.state[rules.LAST])


def winning_rows(position: Position) -> list[list[int]]:
    """The rows that won the game, each as its cells from one end to the other."""
    if position.outcome not in (Outcome.FIRST, Outcome.SECOND):
        return []
    columns, _ = board_size(position.game)
    k, exactly = (int(position.game.geometry[place]) for place in (rules.K, rules.EXACT))
    owners = stones(position)
    taken = {divmod(cell, columns) for cell, owner in enumerate(owners) if owner == int(position.outcome)}
    found = []
    for down, right in DIRECTIONS if k > 1 else DIRECTIONS[:1]:
        for row, column in sorted(taken):
            if (row - down, column - right) in taken:
                continue
            length = 1
            while (row + length * down, column + length * right) in taken:
                length += 1
            if length == k or (length > k and not exactly):
                found.append([(row + step * down) * columns + column + step * right for step in range(length)])
    return found


def standing(position: Position) -> str:
    """How the game stands, in words."""
    k = int(position.game.geometry[rules.K])
    if position.outcome is Outcome.ONGOING:
        return f"{SIGNS[position.to_move]} to move"
    if position.outcome is Outcome.DRAW:
        return "draw: the board is full"
    return f"{SIGNS[position.outcome]} wins with {k} in a row"


class MnkPicture(Picture):
    """Stones on a board with coordinates."""

    def text(self, position: Position) -> str:
        """Rows from the top; the last stone in brackets, a row that wins in capitals."""
        columns, rows = board_size(position.game)
        signs = ["xo."[owner] for owner in stones(position)]
        for cell in (cell for row in winning_rows(position) for cell in row):
            signs[cell] = signs[cell].upper()
        lines = [" " + " ".join(signs[at : at + columns]) + " " for at in range(0, len(signs), columns)]
        last = last_cell(position)
        if last >= 0:
            row, column = divmod(last, columns)
            lines[row] = f"{lines[row][: 2 * column]}[{signs[last]}]{lines[row][2 * column + 3 :]}"
        numbered = [f"{rows - row:2d} {line.rstrip()}" for row, line in enumerate(lines)]
        return "\n".join([*numbered, f"    {' '.join(LETTERS[:columns])}", standing(position)])

    def svg(self, position: Position) -> str:
        """A wooden board, or cells where the board is small."""
        columns, rows = board_size(position.game)
        if min(columns, rows) < SMALLEST_WOODEN:
            return _Cells(position, max(32, min(72, 480 // max(columns, rows)))).finished()
        return _Wood(position, max(24, min(48, 480 // max(columns, rows)))).finished()


class _Board:
    """One drawing: where the cells are, and what is drawn on them."""

    def __init__(self, position: Position, cell_size: float) -> None:
        self.position = position
        self.size = cell_size
        self.columns, self.rows = board_size(position.game)
        self.width, self.height = self.columns * cell_size, self.rows * cell_size
        self.last = last_cell(position)
        title = f"{position.game.title}: {standing(position)}"
        title += f", last {write_cell(position.game, self.last)}" if self.last >= 0 else ""
        self.drawing = Drawing(LEFT + self.width + TOP, TOP + self.height + LEFT, title)

    def centre(self, cell: int) -> tuple[float, float]:
        """The middle of a cell, in the drawing."""
        row, column = divmod(cell, self.columns)
        return LEFT + (column + 0.5) * self.size, TOP + (row + 0.5) * self.size

    def finished(self) -> str:
        """The whole picture."""
        self.ground()
        self.coordinates()
        won = {cell for row in winning_rows(self.position) for cell in row}
        for cell, owner in enumerate(stones(self.position)):
            if owner >= 0:
                self.stone(cell, owner, in_row=cell in won)
        return self.drawing.text

    def coordinates(self) -> None:
        """Letters below and numbers to the left."""
        size = min(14, 0.5 * self.size)
        for column in range(self.columns):
            x, _ = self.centre(column)
            self.drawing.words(x, TOP + self.height + 0.45 * LEFT, LETTERS[column], "faint", size)
        for row in range(self.rows):
            _, y = self.centre(row * self.columns)
            self.drawing.words(0.55 * LEFT, y, str(self.rows - row), "faint", size)

    def ground(self) -> None:
        """The empty board."""
        raise NotImplementedError

    def stone(self, cell: int, owner: int, *, in_row: bool) -> None:
        """A stone with its marks."""
        raise NotImplementedError


class _Wood(_Board):
    """Black and white stones on the crossings of a wooden board."""

    def ground(self) -> None:
        """Wood, lines and star points."""
        self.drawing.rect(LEFT, TOP, self.width, self.height, "wood", radius=4)
        left, top = self.centre(0)
        right, bottom = self.centre(self.columns * self.rows - 1)
        for column in range(self.columns):
            x, _ = self.centre(column)
            self.drawing.line(x, top, x, bottom, "wood-line")
        for row in range(self.rows):
            _, y = self.centre(row * self.columns)
            self.drawing.line(left, y, right, y, "wood-line")
        for row in STARS.get(self.rows, ()):
            for column in STARS.get(self.columns, ()):
                x, y = self.centre(row * self.columns + column)
                self.drawing.circle(x, y, 0.05 * self.size, "wood-line", 0.1 * self.size, filled=False)

    def stone(self, cell: int, owner: int, *, in_row: bool) -> None:
        """A round stone; a dot on the last one, a ring on those that won."""
        x, y = self.centre(cell)
        self.drawing.circle(x, y, 0.44 * self.size, ("black", "white")[owner], 1)
        if in_row:
            self.drawing.circle(x, y, 0.34 * self.size, "last", 0.09 * self.size, filled=False)
        if cell == self.last:
            self.drawing.circle(x, y, 0.14 * self.size, "mark")


class _Cells(_Board):
    """Crosses and noughts in cells."""

    def ground(self) -> None:
        """Lines around the cells."""
        for column in range(self.columns + 1):
            x = LEFT + column * self.size
            self.drawing.line(x, TOP, x, TOP + self.height, "guide", 2)
        for row in range(self.rows + 1):
            y = TOP + row * self.size
            self.drawing.line(LEFT, y, LEFT + self.width, y, "guide", 2)

    def stone(self, cell: int, owner: int, *, in_row: bool) -> None:
        """A cross or a nought; a dot in the corner of the last one, a tinted cell for those that won."""
        x, y = self.centre(cell)
        half = 0.5 * self.size
        if in_row:
            kind = ("first-soft", "second-soft")[owner]
            self.drawing.rect(x - half + 1, y - half + 1, self.size - 2, self.size - 2, kind)
        (self.cross, self.nought)[owner](x, y)
        if cell == self.last:
            self.drawing.circle(x + 0.76 * half, y - 0.76 * half, 0.15 * half, "mark")

    def cross(self, x: float, y: float) -> None:
        """Two bars, as one shape that takes its colour from the class."""
        arm, thick = 0.28 * self.size, 0.07 * self.size
        inner, outer = thick, arm + thick
        corners = [(0, -inner), (arm, -outer), (outer, -arm), (inner, 0), (outer, arm), (arm, outer),
                   (0, inner), (-arm, outer), (-outer, arm), (-inner, 0), (-outer, -arm), (-arm, -outer)]  # fmt: skip
        points = " ".join(f"{x + right:g},{y + down:g}" for right, down in corners)
        self.drawing.shapes.append(f'<polygon points="{points}" class="first"/>')

    def nought(self, x: float, y: float) -> None:
        """A ring, as one shape that takes its colour from the class."""
        outer, inner = 0.34 * self.size, 0.24 * self.size
        rings = [
            f"M{x - r:g},{y:g}a{r:g},{r:g} 0 1 0 {2 * r:g},0a{r:g},{r:g} 0 1 0 {-2 * r:g},0" for r in (outer, inner)
        ]
        self.drawing.shapes.append(f'<path d="{"".join(rings)}z" fill-rule="evenodd" class="second"/>')
