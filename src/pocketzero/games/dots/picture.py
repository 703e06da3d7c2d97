"""Dots and Boxes drawn: the console picture of the 2022 thesis, and SVG."""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

from pocketzero.games.base import Outcome, Picture, Position
from pocketzero.games.dots import rules
from pocketzero.games.dots.notation import DotsNotation, drawn_lines, owner_of
from pocketzero.games.svg import Drawing

SPACING = 44  # between dots
MARGIN = 40


class DotsPicture(Picture):
    """Pictures of one board."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns

    def text(self, position: Position) -> str:
        """Small letters on top and capitals at the right name horizontal lines, the others vertical ones."""
        lines, owners = drawn_lines(position), _owners(position)
        across = (self.rows + 1) * self.columns
        columns = range(self.columns)
        picture = ["    " + "   ".join(ascii_lowercase[column] for column in columns)]
        for row in range(self.rows + 1):
            drawn = ["---" if lines[row * self.columns + column] else "   " for column in columns]
            picture.append("  o" + "".join(line + "o" for line in drawn) + f" {ascii_uppercase[row]}")
            if row < self.rows:
                first = across + row * (self.columns + 1)
                sides = ["|" if lines[first + column] else " " for column in range(self.columns + 1)]
                boxes = [f" {owners[row * self.columns + column]} " for column in columns] + [""]
                body = "".join(side + box for side, box in zip(sides, boxes))
                picture.append(f"{ascii_uppercase[row]} {body}".rstrip())
        picture.append("  " + "   ".join(ascii_lowercase[column] for column in range(self.columns + 1)))
        return "\n".join([*picture, self.caption(position)])

    def caption(self, position: Position) -> str:
        """The score and who is to move, or who has won."""
        state = position.state
        score = f"A {state[rules.SCORE]} : {state[rules.SCORE + 1]} B"
        endings = {Outcome.FIRST: "A wins", Outcome.SECOND: "B wins", Outcome.DRAW: "a draw"}
        if position.is_over:
            return f"{score}, {endings[position.outcome]}"
        again = position.previous is not None and position.previous.to_move == position.to_move
        return f"{score}, {'AB'[position.to_move]} to move{' again' if again else ''}"

    def svg(self, position: Position) -> str:
        """Boxes in their owner's colour, the lines of the last turn marked."""
        width = 2 * MARGIN + SPACING * self.columns
        height = 2 * MARGIN + SPACING * self.rows + 26
        drawing = Drawing(width, height, f"{position.game.title}: {self.caption(position)}")
        self._draw_boxes(drawing, _owners(position))
        self._draw_lines(drawing, position)
        for row in range(self.rows + 1):
            for column in range(self.columns + 1):
                drawing.circle(MARGIN + SPACING * column, MARGIN + SPACING * row, 4.5, "ink")
        self._draw_names(drawing)
        drawing.words(width / 2, height - 18, self.caption(position), size=14)
        return drawing.text

    def _draw_boxes(self, drawing: Drawing, owners: list[str]) -> None:
        for box, owner in enumerate(owners):
            if owner != " ":
                row, column = divmod(box, self.columns)
                x, y = MARGIN + SPACING * column, MARGIN + SPACING * row
                side = "first" if owner == "A" else "second"
                drawing.rect(x, y, SPACING, SPACING, f"{side}-soft")
                drawing.words(x + SPACING / 2, y + SPACING / 2, owner, side, size=18)

    def _draw_lines(self, drawing: Drawing, position: Position) -> None:
        fresh = _last_turn(position)
        notation = DotsNotation(self.rows, self.columns)
        for line, is_drawn in enumerate(drawn_lines(position)):
            is_across, row, column = notation.place(line)
            x, y = MARGIN + SPACING * column, MARGIN + SPACING * row
            to_x, to_y = (x + SPACING, y) if is_across else (x, y + SPACING)
            kind = "last" if line in fresh else "line" if is_drawn else "guide"
            drawing.line(x, y, to_x, to_y, kind, 4 if is_drawn else 1)

    def _draw_names(self, drawing: Drawing) -> None:
        right, bottom = MARGIN + SPACING * self.columns + 22, MARGIN + SPACING * self.rows + 22
        for column in range(self.columns + 1):
            x = MARGIN + SPACING * column
            drawing.words(x, bottom, ascii_lowercase[column], "faint")
            if column < self.columns:
                drawing.words(x + SPACING / 2, MARGIN - 22, ascii_lowercase[column], "faint")
        for row in range(self.rows + 1):
            y = MARGIN + SPACING * row
            drawing.words(right, y, ascii_uppercase[row], "faint")
            if row < self.rows:
                drawing.words(MARGIN - 22, y + SPACING / 2, ascii_uppercase[row], "faint")


def _owners(position: Position) -> list[str]:
    """The letter of the owner of each box, or a blank."""
    geometry = position.game.geometry
    boxes = range(int(geometry[rules.BOXES]))
    return [owner_of(geometry, position.state, box).replace(".", " ") for box in boxes]


def _last_turn(position: Position) -> set[int]:
    """The lines that the player who moved last has drawn since the turn came to them."""
    lines: set[int] = set()
    before = position.previous
    while before is not None and position.action is not None:
        lines.add(position.action)
        earlier = before.previous
        if earlier is None or earlier.to_move != before.to_move:
            break
        position, before = before, earlier
    return lines
