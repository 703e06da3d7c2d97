"""Boards and positions as plain data for the page: where things lie, what is on them, and what may be done.

A *board* is what never changes during a game, a *view* is one position of it. Each family of games has a module here;
others are shown by their own picture and a list of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pocketzero.app.server.views import dots, mnk, plain, zertz
from pocketzero.games import Game, Outcome, Position
from pocketzero.players.base import family_of

View = dict[str, Any]
Describe = tuple[Callable[[Game], View], Callable[[Position], View]]

FAMILIES: dict[str, Describe] = {
    "dots": (dots.board, dots.view),
    "mnk": (mnk.board, mnk.view),
    "zertz": (zertz.board, zertz.view),
}
PLAIN: Describe = (plain.board, plain.view)


def board_of(game: Game) -> View:
    """What never changes during a game."""
    family = family_of(game)
    describe, _ = FAMILIES.get(family, PLAIN)
    kind = family if family in FAMILIES else "plain"
    shared = {"game": game.name, "title": game.title, "family": kind, "players": list(game.players)}
    return {**shared, "has_margin": game.has_margin, **describe(game)}


def view_of(position: Position) -> View:
    """One position."""
    _, describe = FAMILIES.get(family_of(position.game), PLAIN)
    before = position.previous
    shared = {
        "text": position.text,
        "to_move": position.to_move,
        "stays": before is not None and not position.is_over and before.to_move == position.to_move,
        "over": position.is_over,
        "outcome": position.outcome.name.lower(),
        "winner": int(position.outcome) if position.outcome in (Outcome.FIRST, Outcome.SECOND) else None,
        "margin": position.margin,
        "legal": position.legal_moves(),
    }
    return {**shared, **describe(position)}


def last_turn(position: Position) -> list[int]:
    """The actions of the player who moved last, since the turn came to them."""
    actions: list[int] = []
    before = position.previous
    while before is not None and position.action is not None:
        actions.append(position.action)
        earlier = before.previous
        if earlier is None or earlier.to_move != before.to_move:
            break
        position, before = before, earlier
    return actions[::-1]
