"""The best player there is for a game, until nets say otherwise."""

from __future__ import annotations

from pocketzero.games import Game
from pocketzero.players.base import Player, family_of
from pocketzero.players.spec import make_player

BEST = {"dots": "hard"}  # by family; everything else is searched with random games


def best_text(game: Game) -> str:
    """Its text."""
    return BEST.get(family_of(game), "uct:seconds=1")


def best_player(game: Game, *, seed: int = 0) -> Player:
    """The player itself."""
    return make_player(best_text(game), game, seed=seed)
