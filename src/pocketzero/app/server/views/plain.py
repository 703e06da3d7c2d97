"""Any other game for the page: its own picture, and its moves as a list."""

from __future__ import annotations

from typing import Any

from pocketzero.games import Game, Position


def board(game: Game) -> dict[str, Any]:
    """Nothing is known of the board."""
    return {}


def view(position: Position) -> dict[str, Any]:
    """The picture."""
    return {"svg": position._repr_svg_(), "last": []}
