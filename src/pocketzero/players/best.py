"""The best player there is for a board, by the matches in docs/players.md, until nets say otherwise."""

from __future__ import annotations

import math

from pocketzero.games import Game
from pocketzero.players.base import Player, family_of
from pocketzero.players.spec import make_player

BEST = {  # by family: up to how many actions (lines, cells) who is best
    "dots": {312: "alphabeta:seconds=1", math.inf: "hard"},
    "mnk": {36: "exact:seconds=1", math.inf: "threats:seconds=1"},
    "zertz": {math.inf: "alphabeta:seconds=1"},
}
ELSE = {math.inf: "uct:seconds=1"}  # it plays any game


def best_text(game: Game) -> str:
    """Its text."""
    by_size = BEST.get(family_of(game), ELSE)
    return next(text for most, text in by_size.items() if game.action_count <= most)


def best_player(game: Game, *, seed: int = 0) -> Player:
    """The player itself."""
    return make_player(best_text(game), game, seed=seed)
