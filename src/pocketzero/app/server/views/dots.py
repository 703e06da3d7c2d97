"""Dots and Boxes for the page."""

from __future__ import annotations

from typing import Any

from pocketzero.games import Game, Position
from pocketzero.games.dots import rules
from pocketzero.games.dots.notation import DotsNotation, drawn_lines, owner_of


def board(game: Game) -> dict[str, Any]:
    """The size, and the place and name of every line."""
    notation = game.notation
    assert isinstance(notation, DotsNotation)
    lines = []
    for line in range(notation.lines):
        across, row, column = notation.place(line)
        lines.append([notation.write_line_as(line, "letters"), int(across), row, column])
    return {"rows": notation.rows, "columns": notation.columns, "lines": lines}


def view(position: Position) -> dict[str, Any]:
    """Drawn lines and owned boxes, as strings by number, the score, and the lines of the last turn."""
    from pocketzero.app.server.views import last_turn

    geometry, state = position.game.geometry, position.state
    return {
        "drawn": "".join("1" if drawn else "0" for drawn in drawn_lines(position)),
        "owners": "".join(owner_of(geometry, state, box) for box in range(int(geometry[rules.BOXES]))),
        "score": [int(state[rules.SCORE]), int(state[rules.SCORE + 1])],
        "last": [position.write(line) for line in last_turn(position)],
    }
