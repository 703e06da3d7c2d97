"""The m,n,k games for the page."""

from __future__ import annotations

from typing import Any

from pocketzero.games import Game, Position
from pocketzero.games.mnk import rules
from pocketzero.games.mnk.notation import board_size, stones, write_cell
from pocketzero.games.mnk.picture import last_cell, winning_rows


def board(game: Game) -> dict[str, Any]:
    """The size, how many in a row win, and the names of the cells, row by row from the top."""
    columns, rows = board_size(game)
    return {
        "columns": columns,
        "rows": rows,
        "k": int(game.geometry[rules.K]),
        "exactly": bool(game.geometry[rules.EXACT]),
        "cells": [write_cell(game, cell) for cell in range(columns * rows)],
    }


def view(position: Position) -> dict[str, Any]:
    """Stones as a string by cell, the last one, and the rows that won."""
    last = last_cell(position)
    return {
        "stones": "".join("xo."[owner] for owner in stones(position)),
        "last": [write_cell(position.game, last)] if last >= 0 else [],
        "won": sorted({write_cell(position.game, cell) for row in winning_rows(position) for cell in row}),
    }
